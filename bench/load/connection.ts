// One kept-alive HTTP/1.1 connection on a raw socket: writes prepared bytes, finds the end of the answer, no more.
//   C1. Closed loop: the next request leaves when the last one is answered. (Under overload such a loop waits with the
//       server, and its percentiles flatter; they are for comparing rows of one run, not a promise of latency.)

import {connect, type Socket} from 'node:net';
import {monotonicMs} from '../../src/clock.js';

export interface Exchange {
  readonly status: number;
  readonly elapsedMs: number;
}

const headEnd = Buffer.from('\r\n\r\n');

export class Connection {
  readonly #socket: Socket;
  #partial: Buffer | null = null;
  #sentMs = 0;
  #onExchange: (exchange: Exchange) => void = () => {};
  #onFailure: (error: Error) => void = () => {};
  /** The body of the last answer that was not 200: a benchmark of refusals measures nothing. */
  lastRefusal = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#onFailure(error));
    socket.on('close', () => this.#onFailure(new Error('the server closed the connection')));
  }

  static open(host: string, port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({host, port, noDelay: true});
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      });
    });
  }

  /** From now on these are told; a failure ends the connection. */
  listen(onExchange: (exchange: Exchange) => void, onFailure: (error: Error) => void): void {
    this.#onExchange = onExchange;
    this.#onFailure = onFailure;
  }

  send(request: Buffer): void {
    this.#sentMs = monotonicMs();
    this.#socket.write(request);
  }

  close(): void {
    this.#onFailure = () => {};
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    const bytes = this.#partial === null ? chunk : Buffer.concat([this.#partial, chunk]);
    const end = answerEnd(bytes);
    if (end === null) {
      this.#partial = bytes;
      return;
    }
    if (end !== bytes.length) throw new Error('more bytes than one answer: the server answers what was not asked');
    this.#partial = null;
    const status = Number(bytes.toString('latin1', 9, 12));
    if (status !== 200) this.lastRefusal = bytes.toString('utf8').slice(0, 500);
    this.#onExchange({status, elapsedMs: monotonicMs() - this.#sentMs});
  }
}

/** Where the answer ends; null when bytes are missing. Our servers always name the length. */
function answerEnd(bytes: Buffer): number | null {
  const bodyStart = bytes.indexOf(headEnd);
  if (bodyStart === -1) return null;
  const head = bytes.toString('latin1', 0, bodyStart);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without content-length:\n${head}`);
  const end = bodyStart + headEnd.length + Number(length);
  return bytes.length < end ? null : end;
}
