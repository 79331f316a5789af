// Bodies of requests: collected up to a bound of bytes and of time, decompressed up to the same bound of bytes.
//   R1. Whoever must wait before it is begun (intake.ts) is not read any further: its connection is paused, and the time
//       is not its own.
import {BodyShare, tooManyBodies} from './body-budget.js';
import {CollectedBody, tooLarge} from './collected-body.js';
import type {Waiting} from './deadlines.js';
import {type ContentEncoding, decompress} from './decompression.js';
import type {Exchange} from './exchange.js';
import type {Failure} from './failure.js';
import type {Arrival, Intake} from './intake.js';
import {atTurnEnd} from './turn.js';

/** 413 when the client already says that the body is too large. */
export function declaredTooLarge(exchange: Exchange, bytesMax: number): Failure | undefined {
  return exchange.declaredBytes > bytesMax ? tooLarge(bytesMax) : undefined;
}

/** From the request line to the last byte (API.md, Operations). */
const bodyMsMax = 30_000;
const bodyTimeout: Failure = {
  code: 'request_timeout',
  message: `the body did not arrive within ${bodyMsMax / 1_000} s`,
};

/** 503 when a body as large as the client says could neither be held now nor wait. */
export function declaredTooMuch({declaredBytes}: Exchange, intake: Intake): Failure | undefined {
  return BodyShare.hasRoom(declaredBytes) && !intake.isFullFor(declaredBytes) ? undefined : tooManyBodies;
}

/** Gets the whole body, decompressed; the bytes are valid only during the call. */
export type UseBody = (exchange: Exchange, bytes: Buffer) => void;

export interface BodyOptions {
  readonly bytesMax: number;
  readonly encoding: ContentEncoding | undefined;
  readonly intake: Intake;
  readonly use: UseBody;
}

/** Hands the whole body to `use`. Answers by itself when the body is too large or broken, or cannot be taken. */
export function readBody(exchange: Exchange, options: BodyOptions): void {
  const reader = new BodyReader(exchange, options);
  exchange.res.onData((chunk, isLast) => reader.add(chunk, isLast));
}

class BodyReader implements Arrival, Waiting {
  readonly declaredBytes: number;
  /** Of what is waited for now. */
  deadlineMs: number;
  private readonly exchange: Exchange;
  private readonly options: BodyOptions;
  private readonly isChunked: boolean;
  private collected: CollectedBody | undefined;
  private isNew = true;
  private isWhole = false;
  /** Monotonic ms since which it waits before it is begun. */
  private waitsSinceMs: number | undefined;

  constructor(exchange: Exchange, options: BodyOptions) {
    this.exchange = exchange;
    this.options = options;
    this.declaredBytes = exchange.declaredBytes;
    this.deadlineMs = exchange.receivedMs + bodyMsMax;
    this.isChunked = exchange.transferEncoding !== undefined;
    // With a length the head alone calls back, without a byte; here nothing does before the first one.
    if (this.isChunked) this.collect();
  }

  add(chunk: ArrayBuffer, isLast: boolean): void {
    const {exchange} = this;
    if (exchange.isOver) return;
    exchange.noteData();
    const {bytesMax} = this.options;
    const isHere = isLast && this.collected === undefined && chunk.byteLength <= bytesMax;
    if (this.isNew && chunk.byteLength > 0) this.arrive(chunk.byteLength, isHere);
    if (exchange.isOver) return;
    if (isHere && this.waitsSinceMs === undefined) {
      this.useWhole(Buffer.from(chunk)); // A view. Most bodies come in one piece.
      return;
    }
    const failure = (this.collected ?? this.collect()).add(chunk, bytesMax);
    this.isWhole = isLast;
    if (failure !== undefined) exchange.fail(failure, true);
    else if (isLast && this.waitsSinceMs === undefined) this.finish();
  }

  private arrive(bytes: number, isHere: boolean): void {
    this.isNew = false;
    const {exchange} = this;
    const outcome = this.options.intake.arrive(this, bytes, isHere);
    if (outcome === 'refused') this.refuse();
    if (outcome !== 'waits') return;
    this.waitsSinceMs = exchange.nowMs;
    this.deadlineMs = Number.POSITIVE_INFINITY; // R1
    exchange.pause();
  }

  /** It waited, and is begun now. */
  begin(): void {
    const {exchange, waitsSinceMs} = this;
    this.waitsSinceMs = undefined;
    if (this.isWhole) this.finish();
    else {
      this.deadlineMs = exchange.receivedMs + bodyMsMax + exchange.nowMs - waitsSinceMs!; // R1
      exchange.resume();
    }
  }

  /** It waited in vain, or could not even wait. */
  refuse(): void {
    this.exchange.fail(tooManyBodies);
  }

  renew(): void {
    this.exchange.renewTimeout();
  }

  expire(): void {
    this.exchange.fail(bodyTimeout, true);
  }

  /** The rest of the body is not there yet: it has until its deadline. */
  private collect(): CollectedBody {
    const {exchange} = this;
    const collected = new CollectedBody(exchange.declaredBytes);
    this.collected = collected;
    exchange.deadlines.add(this);
    exchange.onOver(() => {
      exchange.deadlines.delete(this);
      this.options.intake.leave(this);
      collected.release();
    });
    return collected;
  }

  /** Chunks may be followed by what makes the parser refuse the request (trailers): then it never was one. */
  private finish(): void {
    const {exchange} = this;
    this.options.intake.leave(this);
    // A connection that is paused stays so until its answer, and its timeout goes on.
    if (exchange.isPaused) this.deadlineMs = Number.POSITIVE_INFINITY;
    else exchange.deadlines.delete(this);
    if (this.isChunked) atTurnEnd(() => this.useCollected());
    else this.useCollected();
  }

  private useCollected(): void {
    if (this.exchange.isOver || this.collected === undefined) return;
    this.useWhole(this.collected.bytes());
    this.collected.release();
  }

  private useWhole(bytes: Buffer): void {
    const {exchange} = this;
    const {encoding, bytesMax, use} = this.options;
    if (encoding === undefined) use(exchange, bytes);
    else useDecompressed(exchange, bytes, encoding, bytesMax, use);
  }
}

function useDecompressed(
  exchange: Exchange,
  compressed: Buffer,
  encoding: ContentEncoding,
  bytesMax: number,
  use: UseBody,
): void {
  decompress(compressed, encoding, bytesMax, (result) => {
    if (exchange.isOver) return;
    if ('failure' in result) exchange.fail(result.failure);
    else use(exchange, result.bytes);
  });
}
