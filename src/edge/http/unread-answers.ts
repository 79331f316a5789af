// Answers that are being made of large pieces, and those that their clients have not read yet. Bytes that the socket does not
// take wait here, and not in uWebSockets.js, which buffers without a bound.
//   U1. Bounded over all connections together, and in time: a client that reads too slowly, or never, is cut off.
//   U2. A connection has at most one: a request that arrives in the meantime ends it (pipelining is not supported), so that a
//       client that keeps asking without reading cannot fill the memory.

import {type Failure, unavailable} from '../failure.js';
import type {Waiting} from './deadlines.js';
import type {HttpResponse} from './transport.js';

/** A history page of 1,000 events of 64 KiB has 64 MiB. */
export const answerBytesMax = 128 * 1024 * 1024;

export const tooManyAnswers: Failure = unavailable('too many large answers at once');

/** Time to read an answer: a fixed part, and as much as a line of 2 Mbit/s needs. */
const answerMsMin = 30_000;
const answerBytesPerMs = 256;

let answerBytes = 0;

/** Bytes held now. */
export const answerBytesInFlight = (): number => answerBytes;

export const hasRoomForAnswer = (bytes: number): boolean => answerBytes + bytes <= answerBytesMax;

/** The share of one answer in the bound, while it is made. */
export class AnswerShare {
  private bytes = 0;

  /** @returns false when there is no room for `bytes` more. */
  take(bytes: number): boolean {
    if (!hasRoomForAnswer(bytes)) return false;
    answerBytes += bytes;
    this.bytes += bytes;
    return true;
  }

  release(bytes = this.bytes): void {
    answerBytes -= bytes;
    this.bytes -= bytes;
  }
}

/** The exchange as its answer needs it. */
interface AnsweredExchange {
  readonly res: HttpResponse;
  close(): void;
  failed(doing: string, error: unknown): void;
}

export class UnreadAnswer implements Waiting {
  readonly deadlineMs: number;
  private readonly exchange: AnsweredExchange;
  private readonly body: Buffer;
  private readonly whenTaken: () => void;

  /** The client took the head and a part of `body`. `whenTaken`: the kernel has the last byte. */
  constructor(exchange: AnsweredExchange, body: Buffer, nowMs: number, whenTaken: () => void) {
    this.exchange = exchange;
    this.body = body;
    this.whenTaken = whenTaken;
    this.deadlineMs = nowMs + answerMsMin + body.length / answerBytesPerMs;
    answerBytes += body.length;
    exchange.res.onWritable((offset) => this.writeOn(offset));
  }

  private writeOn(offset: number): boolean {
    try {
      const [isOk, isDone] = this.exchange.res.tryEnd(this.body.subarray(offset), this.body.length);
      if (isDone) this.whenTaken();
      return isOk;
    } catch (error) {
      this.exchange.failed('writing the rest of an answer', error);
      return true; // Nothing is left to write.
    }
  }

  /** Does nothing: the connection's own timeout ends a client that takes nothing for 10 s, and restarts with each byte taken. */
  renew(): void {}

  expire(): void {
    this.exchange.close(); // The abort handler does the rest.
  }

  /** The client has all of it, or has left. Called once. */
  release(): void {
    answerBytes -= this.body.length;
  }
}
