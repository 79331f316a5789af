// What the service needs of an HTTP server, with the names and meanings of uWebSockets.js: on machines with a binary of it
// (uws.ts) nothing stands between it and the edge. node-server.ts has the same on top of node:http, for all others.
//   T1. A request object says nothing any more when its handler returned.
//   T2. `onAborted` is called once when the connection ends before the answer did, also by our own `close`.
//   T3. A request that comes on a connection whose last one is unanswered ends the connection (pipelining is not supported).
//   T4. HTTP/1.1 alone: 505 for others. A request without Host, or that cannot be read in one way only, is refused by the
//       transport, and its connection ends.

/** A request line and its headers. T1 */
export interface HttpRequest {
  getCaseSensitiveMethod(): string;
  /** The path, undecoded. */
  getUrl(): string;
  /** Without the question mark, undecoded. */
  getQuery(): string | undefined;
  /** The first of that name, which is in lower case; empty without one. */
  getHeader(name: string): string;
  /** Every header line, its name in lower case. */
  forEach(take: (name: string, value: string) => void): void;
}

export interface HttpResponse {
  /** Collects what `write` writes into one segment, where that is possible. */
  cork(write: () => void): unknown;
  /** `200 OK`, which is the default. */
  writeStatus(status: string): unknown;
  /** A value may hold further header lines, each behind a CR LF. */
  writeHeader(name: string, value: string | Buffer): unknown;
  /** A piece of an answer whose length nobody knows. False: no more until `onWritable` is called. */
  write(text: string): boolean;
  /** Ends with a body of a known length, or ends an answer of pieces. */
  end(body?: string | Buffer, closes?: boolean): unknown;
  endWithoutBody(): unknown;
  /** Writes of a body of `total` bytes as much as the client takes now. `isDone`: all of it is out, and the answer is over. */
  tryEnd(body: string | Buffer, total: number): [isOk: boolean, isDone: boolean];
  /** `handle` gets the bytes of the body that are out. */
  onWritable(handle: (offset: number) => boolean): unknown;
  /** T2 */
  onAborted(handle: () => void): unknown;
  /** The pieces of the body; each is valid only during the call. */
  onData(handle: (piece: ArrayBuffer, isLast: boolean) => void): unknown;
  /** Reads nothing more of the connection. */
  pause(): void;
  /** Reads on; the 10 s after which a connection ends on which nothing moves begin anew. */
  resume(): void;
  /** Ends the connection at once. */
  close(): unknown;
  /** Four bytes, sixteen, or none when the connection is closed. */
  getRemoteAddress(): ArrayBuffer;
}

export type Handle = (res: HttpResponse, req: HttpRequest) => void;

export interface HttpApp {
  /** For POST requests of this path, byte for byte. Before `any`. */
  post(path: string, handle: Handle): void;
  /** For every other request. */
  any(handle: Handle): void;
  /** Told of every connection: 1 when it opens, -1 when it is closed. `close` ends it at once. */
  onConnection(change: (by: 1 | -1, close: () => void) => void): void;
  /** @returns the port; undefined when another program has it. 0: any free one. */
  listen(host: string, port: number): Promise<number | undefined>;
  /** Accepts no connection any more. */
  stopListening(): void;
  /** Closes what is still connected, too. */
  close(): void;
}

export interface Transport {
  /** For people. */
  readonly name: string;
  newApp(): HttpApp;
}

/** Request line and headers together. A name of 256 characters, percent-encoded, takes 3 KiB: 50 funnel steps must fit. */
export const headersBytesMax = 32 * 1024;
/** After this a connection ends on which nothing moves, or whose headers do not come. */
export const idleMsMax = 10_000;
