// Ways of being slow, each with the deadline after which the service closes the connection.
//   The HTTP server checks its timeout every 4 s, ours is checked every second: 10 s may last 12, and 30 s may last 31.

export interface SlowKind {
  readonly name: string;
  /** What is sent at once. */
  readonly opening: string;
  /** Sent again every so often, for ever. */
  readonly drip?: {readonly text: string; readonly everyMs: number};
  /** How the answer is read: undefined as fast as it comes. */
  readonly reading?: 'never' | {readonly bytes: number; readonly everyMs: number};
  /** Ms from the connection on until the service must have ended it. */
  readonly closedWithinMs: number;
}

const idleMsMax = 12_000;
const bodyMsMax = 31_000;

/** An answer that is larger than the buffers of a connection. */
export interface LargeAnswer {
  readonly secretKey: string;
  readonly path: string;
  readonly bytes: number;
}

export function slowKinds(writeKey: string): readonly SlowKind[] {
  const post = (path: string, headers: readonly string[]): string =>
    [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${writeKey}`, ...headers, '', ''].join('\r\n');
  const json = 'Content-Type: application/json';
  return [
    {name: 'says nothing', opening: '', closedWithinMs: idleMsMax},
    {
      name: 'drips its headers',
      opening: 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Drip: ',
      drip: {text: 'a', everyMs: 1_000},
      closedWithinMs: idleMsMax,
    },
    {name: 'stays after an answer', opening: 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', closedWithinMs: idleMsMax},
    {
      name: 'drips the headers of its second request',
      opening: 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
      drip: {text: 'G', everyMs: 1_000},
      closedWithinMs: 2 * idleMsMax,
    },
    {
      name: 'drips its body',
      opening: `${post('/v1/events', [json, 'Content-Length: 500'])}{`,
      drip: {text: ' ', everyMs: 1_000},
      closedWithinMs: bodyMsMax,
    },
    {
      name: 'drips its chunks',
      opening: `${post('/v1/events', [json, 'Transfer-Encoding: chunked'])}1\r\n{\r\n`,
      drip: {text: '1\r\n \r\n', everyMs: 1_000},
      closedWithinMs: bodyMsMax,
    },
    {
      name: 'stops in its body',
      opening: `${post('/v1/events/batch', [json, 'Content-Length: 200000'])}${'x'.repeat(100_000)}`,
      closedWithinMs: bodyMsMax,
    },
    {
      name: 'drips the body of a refused request',
      opening: post('/v1/nothing', [json, 'Content-Length: 500']),
      drip: {text: ' ', everyMs: 1_000},
      closedWithinMs: idleMsMax,
    },
  ];
}

/** Their time begins with the answer. */
export function slowReaders({secretKey, path, bytes}: LargeAnswer): readonly SlowKind[] {
  const opening = [`GET ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${secretKey}`, '', ''].join('\r\n');
  return [
    {name: 'never reads', opening, reading: 'never', closedWithinMs: idleMsMax},
    {
      name: 'reads a trickle',
      opening,
      reading: {bytes: 16_384, everyMs: 1_000},
      closedWithinMs: 31_000 + bytes / 256,
    },
    {
      name: 'reads some of it now and then',
      opening,
      reading: {bytes: 1_000_000, everyMs: 10_000},
      closedWithinMs: 31_000 + bytes / 256,
    },
  ];
}
