// Answers that are being put together out of large pieces, and those that their clients have not taken yet: what did not
// fit the socket waits here, and not in uWebSockets.js, which would hold as much as it is given.
//   U1. Bounded over all connections together, and in time: who reads too slowly, or never, is cut off.
//   U2. A connection has one of them at most: a request that comes in meanwhile ends it (pipelining is not supported), so
//       that nobody fills the memory by asking on and on without reading.

import {type Failure, unavailable} from '../failure.js';
import type {Waiting} from './deadlines.js';
import type {HttpResponse} from './transport.js';

/** A history page of 1,000 events of 64 KiB has 64 MiB. */
export const answerBytesMax = 128 * 1024 * 1024;

export const tooManyAnswers: Failure = unavailable('too many large answers at once');

/** Time to take an answer: a fixed part, and what a line of 2 Mbit/s needs. */
const answerMsMin = 30_000;
const answerBytesPerMs = 256;

let answerBytes = 0;

/** Bytes that are held now. */
export const answerBytesInFlight = (): number => answerBytes;

export const hasRoomForAnswer = (bytes: number): boolean => answerBytes + bytes <= answerBytesMax;

/** What the making of one answer holds of the bound. */
export class AnswerShare {
  private bytes = 0;

  /** @returns false when there is no room for `bytes` more. */
  take(bytes: number): boolean {
    if (!hasRoomForAnswer(bytes)) return false;
    answerBytes += bytes;
    this.bytes += bytes;
    return true;
  }

  release(): void {
    answerBytes -= this.bytes;
    this.bytes = 0;
  }
}

/** The exchange, as far as its answer needs it. */
export interface AnsweredExchange {
  readonly res: HttpResponse;
  close(): void;
  failed(doing: string, error: unknown): void;
}

export class UnreadAnswer implements Waiting {
  readonly deadlineMs: number;
  private readonly exchange: AnsweredExchange;
  private readonly body: Buffer;
  private readonly whenTaken: () => void;

  /** The client took the head and a part of `body`. `whenTaken`: the last byte is with the kernel. */
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
      return true; // No rest is left to write.
    }
  }

  /** Not at all: its own timeout ends a client that takes nothing for 10 s, and starts anew with what is taken. */
  renew(): void {}

  expire(): void {
    this.exchange.close(); // The abort handler sees to the rest.
  }

  /** It is taken, or nobody is there to take it. Once. */
  release(): void {
    answerBytes -= this.body.length;
  }
}
