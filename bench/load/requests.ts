// Whole HTTP requests as bytes, made before the clock runs: the generator must not spend its time on building them.

import {type WorkloadEvent, type WorkloadOptions, workloadEvents} from '../workload/events.js';

export interface PreparedRequests {
  readonly buffers: readonly Buffer[];
  /** Events of each request; all but the last one carry as many as the first. */
  readonly eventCounts: readonly number[];
  /** Average bytes of one event's JSON. */
  readonly bytesPerEvent: number;
}

/** `batchEvents` 1: single requests to POST /v1/events; more: batches. `onEvent` sees every event once, in order. */
export function prepareRequests(
  workload: WorkloadOptions,
  batchEvents: number,
  key: string,
  onEvent: (event: WorkloadEvent) => void = () => {},
): PreparedRequests {
  const buffers: Buffer[] = [];
  const eventCounts: number[] = [];
  let texts: string[] = [];
  let jsonBytes = 0;
  const close = (): void => {
    if (texts.length === 0) return;
    const body = batchEvents === 1 ? texts[0]! : `{"events":[${texts.join(',')}]}`;
    buffers.push(requestBytes(batchEvents === 1 ? '/v1/events' : '/v1/events/batch', key, body));
    eventCounts.push(texts.length);
    texts = [];
  };
  for (const event of workloadEvents(workload)) {
    onEvent(event);
    jsonBytes += event.json.length; // ASCII only.
    texts.push(event.json);
    if (texts.length === batchEvents) close();
  }
  close();
  return {buffers, eventCounts, bytesPerEvent: jsonBytes / workload.eventCount};
}

/** One request to POST /v1/events/batch with these events. */
export function batchRequest(key: string, eventJsons: readonly string[]): Buffer {
  return requestBytes('/v1/events/batch', key, `{"events":[${eventJsons.join(',')}]}`);
}

function requestBytes(path: string, key: string, body: string): Buffer {
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    'latin1',
  );
}
