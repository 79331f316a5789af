// Whole HTTP requests as bytes, prepared before the measurement: the generator must not spend its time on them.

import {type WorkloadEvent, type WorkloadOptions, workloadEvents} from '../workload/events.js';
import {EventTimes} from './event-times.js';

/** Times of the events in a copy of a request: as they were prepared, or those of sending. */
export type Copies = 'as prepared' | 'of their moment';

const timeKey = '"timestamp":"';

export interface PreparedRequests {
  readonly buffers: readonly Buffer[];
  /** Events of each request; all but the last one carry as many as the first. */
  readonly eventCounts: readonly number[];
  /** Event times of each request, if copies get the times of sending. */
  readonly times: readonly EventTimes[] | undefined;
  /** Average bytes of one event's JSON. */
  readonly bytesPerEvent: number;
}

/** `batchEvents` 1: single requests to POST /v1/events; more: batches. `onEvent` sees every event once, in order. */
export function prepareRequests(
  workload: WorkloadOptions,
  batchEvents: number,
  key: string,
  copies: Copies,
  onEvent: (event: WorkloadEvent) => void = () => {},
): PreparedRequests {
  const buffers: Buffer[] = [];
  const eventCounts: number[] = [];
  const times: EventTimes[] = [];
  let events: WorkloadEvent[] = [];
  let jsonBytes = 0;
  const close = (): void => {
    if (events.length === 0) return;
    const texts = events.map(({json}) => json);
    const body = batchEvents === 1 ? texts[0]! : `{"events":[${texts.join(',')}]}`;
    const buffer = requestBytes(batchEvents === 1 ? '/v1/events' : '/v1/events/batch', key, body);
    buffers.push(buffer);
    eventCounts.push(events.length);
    if (copies === 'of their moment') times.push(timesIn(buffer, events));
    events = [];
  };
  for (const event of workloadEvents(workload)) {
    onEvent(event);
    jsonBytes += event.json.length; // ASCII only.
    events.push(event);
    if (events.length === batchEvents) close();
  }
  close();
  const bytesPerEvent = jsonBytes / workload.eventCount;
  return {buffers, eventCounts, times: copies === 'of their moment' ? times : undefined, bytesPerEvent};
}

function timesIn(request: Buffer, events: readonly WorkloadEvent[]): EventTimes {
  const places: number[] = [];
  for (let at = 0; places.length < events.length; ) {
    at = request.indexOf(timeKey, at) + timeKey.length;
    places.push(at);
  }
  return new EventTimes(
    places,
    events.map(({lateMs}) => lateMs),
  );
}

/** The bytes of the request with this number, to be sent now. */
export function copyOf({buffers, times}: PreparedRequests, request: number, nowMs: number): Buffer {
  const buffer = buffers[request]!;
  if (times !== undefined) times[request]!.write(buffer, nowMs);
  return buffer;
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
