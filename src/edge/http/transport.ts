// The HTTP server as the edge needs it, with the names and meanings of uWebSockets.js: on machines with a binary of it (uws.ts)
// there is no layer in between. node-server.ts implements it with node:http for all others.
//   T1. A request object is valid only until its handler returns.
//   T2. `onAborted` is called once when the connection ends before the answer, also by our own `close`.
//   T3. A request on a connection whose last one is unanswered ends the connection (pipelining is not supported).
//   T4. HTTP/1.1 alone: 505 for others. The transport refuses a request without Host, or one that can be read in two ways, and
//       ends its connection.

/** A request line and its headers. T1 */
export interface HttpRequest {
  getCaseSensitiveMethod(): string;
  /** The path, undecoded. */
  getUrl(): string;
  /** Undecoded, without the question mark. */
  getQuery(): string | undefined;
  /** The first header of that name, which is in lower case; empty without one. */
  getHeader(name: string): string;
  /** Every header line, its name in lower case. */
  forEach(take: (name: string, value: string) => void): void;
}

export interface HttpResponse {
  /** Joins the writes in `write` to one segment, where possible. */
  cork(write: () => void): unknown;
  /** Writes the status, such as `200 OK`, which is the default. */
  writeStatus(status: string): unknown;
  /** A value may have further header lines, each after a CR LF. */
  writeHeader(name: string, value: string | Buffer): unknown;
  /** Writes a piece of an answer of unknown length. False: no more until `onWritable` is called. */
  write(piece: string | Buffer): boolean;
  /** Ends with a body of a known length, or ends an answer of pieces. */
  end(body?: string | Buffer, closes?: boolean): unknown;
  endWithoutBody(): unknown;
  /** Writes as much of a body of `total` bytes as the client takes now. `isDone`: all of it is written; the answer is over. */
  tryEnd(body: string | Buffer, total: number): [isOk: boolean, isDone: boolean];
  /** `handle` gets the number of body bytes written. */
  onWritable(handle: (offset: number) => boolean): unknown;
  /** T2 */
  onAborted(handle: () => void): unknown;
  /** The pieces of the body; each is valid only during the call. */
  onData(handle: (piece: ArrayBuffer, isLast: boolean) => void): unknown;
  /** Stops reading the connection. */
  pause(): void;
  /** Reads on, and restarts the 10 s after which an idle connection ends. */
  resume(): void;
  /** Ends the connection at once. */
  close(): unknown;
  /** Four bytes, sixteen, or none when the connection is closed. */
  getRemoteAddress(): ArrayBuffer;
}

export type Handle = (res: HttpResponse, req: HttpRequest) => void;

export interface HttpApp {
  /** POST requests of exactly this path; has precedence over `any`. */
  post(path: string, handle: Handle): void;
  /** Every other request. */
  any(handle: Handle): void;
  /** `change` gets 1 when a connection opens, -1 when it closes. `close` ends the connection at once. */
  onConnection(change: (by: 1 | -1, close: () => void) => void): void;
  /** @returns the port; undefined when another program has it. 0: any free one. */
  listen(host: string, port: number): Promise<number | undefined>;
  /** Accepts no connection any more. */
  stopListening(): void;
  /** Closes all connections, too. */
  close(): void;
}

export interface Transport {
  /** The name that logs and pages show. */
  readonly name: string;
  newApp(): HttpApp;
}

/** Request line and headers together. A name of 256 characters, percent-encoded, takes 3 KiB: 50 funnel steps must fit. */
export const headersBytesMax = 32 * 1024;
/** Connections end after this time without a byte, or when their headers do not come. */
export const idleMsMax = 10_000;
