// One kept-alive HTTP/1.1 connection on a raw socket: writes prepared bytes and finds the end of the answer.
//   C1. An answer 200 that arrives in one piece, as nearly all do, allocates nothing: the generator shares the machine with the
//       service that it measures.
//   C2. Only the answer's own bytes are read. (`indexOf` of a header searches the whole read buffer if the header has another
//       spelling: 2.6 us for each answer, and 115 when the memory had held JSON before.)
//   C3. One request is in flight at a time.

import {connect, type Socket} from 'node:net';

export interface ConnectionListener {
  /** `status`, and for a refusal `hasRetryAfter` and `lastRefusal`, are those of the answer. */
  answered(connection: Connection): void;
  /** The connection is unusable; the request in flight has no answer. */
  failed(connection: Connection, error: Error): void;
}

/** End of the header name `content-length`, and of no other header. */
const lengthName = Buffer.from('-length', 'latin1');
const lowerCaseBit = 0x20;
const retryAfterName = /\r\nretry-after: *\d/i;
const statusAt = 'HTTP/1.1 '.length;
const [zero, nine, colon, lineFeed] = [48, 57, 58, 10];

// Sockets are read one after the other, and an answer is processed before the next read: one buffer serves all of them (C1).
const readBuffer = Buffer.allocUnsafeSlow(256 * 1024);

export class Connection {
  /** Status of the last answer. */
  status = 0;
  hasRetryAfter = false;
  /** The last answer that was not 200, head and body. */
  lastRefusal = '';
  /** Number of the request in flight; for the driver of the connection. */
  request = -1;
  #socket!: Socket;
  #partial: Buffer | null = null;
  #listener: ConnectionListener | null = null;

  static open(host: string, port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection = new Connection();
      const callback = (length: number, bytes: Uint8Array): boolean => {
        connection.#take(bytes as Buffer, length);
        return true;
      };
      const socket = connect({host, port, noDelay: true, onread: {buffer: readBuffer, callback}});
      connection.#socket = socket;
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        socket.on('error', (error) => connection.#fail(error));
        socket.on('close', () => connection.#fail(new Error('the server closed the connection')));
        resolve(connection);
      });
    });
  }

  listen(listener: ConnectionListener): void {
    this.#listener = listener;
  }

  send(request: Buffer): void {
    this.#socket.write(request);
  }

  close(): void {
    this.#listener = null;
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    const listener = this.#listener;
    this.#listener = null; // A close follows an error: only one of them is reported.
    listener?.failed(this, error);
  }

  #take(chunk: Buffer, chunkLength: number): void {
    let [bytes, length] = [chunk, chunkLength];
    if (this.#partial !== null) {
      bytes = Buffer.concat([this.#partial, chunk.subarray(0, chunkLength)]);
      length = bytes.length;
    }
    const end = answerEnd(bytes, length);
    if (end === -1) {
      this.#partial = Buffer.from(bytes.subarray(0, length));
      return;
    }
    if (end !== length) throw new Error('more bytes than one answer: the server answers what was not asked');
    this.#partial = null;
    this.status = digits(bytes, statusAt, length);
    if (this.status !== 200) this.#keepRefusal(bytes.toString('latin1', 0, length));
    this.#listener?.answered(this);
  }

  #keepRefusal(answer: string): void {
    this.hasRetryAfter = retryAfterName.test(answer);
    this.lastRefusal = answer;
  }
}

/** End of the answer; -1 when bytes are missing. Our servers always send the length. */
function answerEnd(bytes: Buffer, length: number): number {
  let lengthAt = -1;
  for (let at = statusAt; at < length; at++) {
    const byte = bytes[at]!;
    if (byte === colon && isLengthName(bytes, at)) lengthAt = at + ': '.length;
    else if (byte === lineFeed && bytes[at - 2] === lineFeed) {
      if (lengthAt === -1) throw new Error(`an answer without content-length:\n${bytes.toString('latin1', 0, at)}`);
      const end = at + 1 + digits(bytes, lengthAt, at);
      return end <= length ? end : -1;
    }
  }
  return -1;
}

/** Whether `content-length`, in any spelling, ends at `end`. */
function isLengthName(bytes: Buffer, end: number): boolean {
  for (let i = 1; i <= lengthName.length; i++) {
    if ((bytes[end - i]! | lowerCaseBit) !== lengthName[lengthName.length - i]) return false;
  }
  return true;
}

/** The decimal number that starts at `start`. */
function digits(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at]!;
    if (digit < zero || digit > nine) break;
    value = value * 10 + digit - zero;
  }
  return value;
}
