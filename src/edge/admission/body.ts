// Bodies of requests: collected up to a bound of bytes and of time, decompressed up to the same bound of bytes.
//   R1. Whoever must wait, before it is begun (intake.ts) or for memory (bodies-under-way.ts), is not read any further: its
//       connection is paused, and the time is not taken off its own.
//   R2. A compressed body becomes whole once more when it is decompressed: that is what it takes of a turn, and of the log.

// The global of this name is a getter, which would be called for every body.
import {Buffer} from 'node:buffer';
import type {Failure} from '../failure.js';
import type {Waiting} from '../http/deadlines.js';
import type {Exchange} from '../http/exchange.js';
import {atTurnEnd} from '../http/turn.js';
import type {BodiesUnderWay, BodyUnderWay} from './bodies-under-way.js';
import {BodyShare, tooManyBodies} from './body-budget.js';
import {CollectedBody, tooLarge} from './collected-body.js';
import {type ContentEncoding, type Decompressed, decompress, encodingFound} from './decompression.js';
import {type Arrival, type Intake, waitingBodyBytesMin} from './intake.js';

/** 413 when the client already says that the body is too large. */
export function declaredTooLarge(exchange: Exchange, bytesMax: number): Failure | undefined {
  return exchange.declaredBytes > bytesMax ? tooLarge(bytesMax) : undefined;
}

/** From the request line to the last byte (docs/api.md, Limits). */
export const bodyMsMax = 30_000;
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

/** What bodies share. */
export interface BodyHost {
  readonly intake: Intake;
  readonly underWay: BodiesUnderWay;
}

export interface BodyOptions {
  readonly bytesMax: number;
  /** As the request labels it. */
  readonly encoding: ContentEncoding | undefined;
  readonly host: BodyHost;
  readonly use: UseBody;
}

/**
 * Hands the whole body to `use`. Answers by itself when the body is too large or broken, or cannot be taken.
 * A small body that comes in one piece, as most do, needs nothing that a reader is for.
 */
export function readBody(exchange: Exchange, options: BodyOptions): void {
  let reader = exchange.transferEncoding === undefined ? undefined : new BodyReader(exchange, options);
  exchange.res.onData((chunk, isLast) => {
    try {
      if (isLast && reader === undefined && isUsedAsItIs(exchange, chunk.byteLength, options)) {
        const bytes = Buffer.from(chunk); // A view.
        if (encodingFound(bytes, undefined) === undefined) {
          exchange.noteData();
          options.use(exchange, bytes);
          return;
        }
      }
      reader ??= new BodyReader(exchange, options);
      reader.add(chunk, isLast);
    } catch (error) {
      exchange.failed('taking a body', error);
    }
  });
}

/** What `intake` has no say in (N1), and nobody has to decompress. */
function isUsedAsItIs({isOver, declaredBytes}: Exchange, bytes: number, {encoding, bytesMax}: BodyOptions): boolean {
  return (
    !isOver &&
    encoding === undefined &&
    bytes <= bytesMax &&
    bytes < waitingBodyBytesMin &&
    declaredBytes < waitingBodyBytesMin
  );
}

class BodyReader implements Arrival, BodyUnderWay, Waiting {
  readonly declaredBytes: number;
  private readonly exchange: Exchange;
  private readonly options: BodyOptions;
  private readonly isChunked: boolean;
  private collected: CollectedBody | undefined;
  private decompressed: Decompressed | undefined;
  private isNew = true;
  private isWhole = false;
  /** It is not begun yet. */
  private isWaiting = false;
  /** R1: for how long it was not read, and since when it is not. */
  private pausedMs = 0;
  private pausedSinceMs: number | undefined;

  constructor(exchange: Exchange, options: BodyOptions) {
    this.exchange = exchange;
    this.options = options;
    this.declaredBytes = exchange.declaredBytes;
    this.isChunked = exchange.transferEncoding !== undefined;
    // With a length the head alone calls back, without a byte; here nothing does before the first one.
    if (this.isChunked) this.collect();
  }

  /** R1: it has its time when it is read. */
  get deadlineMs(): number {
    if (this.pausedSinceMs !== undefined) return Number.POSITIVE_INFINITY;
    return this.exchange.receivedMs + bodyMsMax + this.pausedMs;
  }

  add(chunk: ArrayBuffer, isLast: boolean): void {
    const {exchange} = this;
    if (exchange.isOver) return;
    exchange.noteData();
    const {bytesMax} = this.options;
    const isHere = isLast && this.collected === undefined && chunk.byteLength <= bytesMax;
    if (this.isNew && chunk.byteLength > 0) this.arrive(chunk.byteLength, isHere);
    if (exchange.isOver) return;
    if (isHere && !this.isWaiting && this.isUsedHere(chunk.byteLength)) {
      this.useWhole(Buffer.from(chunk)); // A view. Most bodies come in one piece.
      return;
    }
    const collected = this.collected ?? this.collect();
    const failure = collected.add(chunk, bytesMax);
    this.isWhole = isLast;
    if (failure !== undefined) exchange.fail(failure, true);
    else if (this.isWaiting) return;
    else if (isLast) this.finish();
    else if (collected.isOverdrawn) this.options.host.underWay.holdAll();
  }

  /** Otherwise it is kept for a later turn, where there is room for it. */
  private isUsedHere(bytes: number): boolean {
    return this.options.host.intake.isUsedAtOnce(bytes) || !BodyShare.hasRoom(bytes);
  }

  private arrive(bytes: number, isHere: boolean): void {
    this.isNew = false;
    const outcome = this.options.host.intake.arrive(this, bytes, isHere);
    if (outcome === 'refused') this.exchange.fail(tooManyBodies);
    if (outcome !== 'waits') return;
    this.isWaiting = true;
    this.pause();
  }

  /** It waited, and is begun now. */
  begin(): void {
    this.exchange.guard('beginning a body that waited', () => {
      this.isWaiting = false;
      this.options.host.underWay.begin(this);
      if (this.isWhole) this.finish();
      else this.goOn();
    });
  }

  reserve(): boolean {
    return this.collected!.reserve(this.options.bytesMax);
  }

  hold(): void {
    this.pause();
  }

  goOn(): void {
    this.pausedMs += this.exchange.nowMs - this.pausedSinceMs!;
    this.pausedSinceMs = undefined;
    this.exchange.resume();
  }

  /** It waited in vain: to begin, or to go on. */
  refuse(failure: Failure = tooManyBodies): void {
    this.exchange.fail(failure, !this.isWaiting);
  }

  renew(): void {
    this.exchange.renewTimeout();
  }

  expire(): void {
    this.exchange.fail(bodyTimeout, true);
  }

  private pause(): void {
    this.pausedSinceMs = this.exchange.nowMs;
    this.exchange.pause();
  }

  /** The rest of the body is not there yet: it has until its deadline. */
  private collect(): CollectedBody {
    const {exchange} = this;
    const collected = new CollectedBody(exchange.declaredBytes);
    this.collected = collected;
    exchange.deadlines.add(this);
    if (!this.isWaiting) this.options.host.underWay.begin(this);
    exchange.onOver(() => this.forget());
    return collected;
  }

  /** The exchange is over. */
  private forget(): void {
    const {intake, underWay} = this.options.host;
    this.exchange.deadlines.delete(this);
    intake.leave(this);
    underWay.leave(this);
    this.collected?.release();
    this.decompressed?.release();
  }

  /** Chunks may be followed by what makes the parser refuse the request (trailers): then it never was one. */
  private finish(): void {
    const {exchange, isChunked} = this;
    this.options.host.underWay.leave(this);
    // A connection that is paused stays so until its answer, and its timeout is renewed.
    if (!exchange.isPaused) exchange.deadlines.delete(this);
    if (isChunked) atTurnEnd(() => this.complete(), exchange);
    else this.complete();
  }

  private complete(): void {
    if (this.exchange.isOver) return;
    if (this.options.host.intake.complete(this, this.collected!.bytes().length)) this.use();
  }

  use(): void {
    this.exchange.guard('using a body', () => this.useNow());
  }

  private useNow(): void {
    const {exchange, collected, decompressed} = this;
    if (exchange.isOver) return;
    if (decompressed !== undefined) {
      this.decompressed = undefined;
      this.options.use(exchange, decompressed.takeBytes());
      decompressed.release();
    } else if (collected !== undefined) {
      this.useWhole(collected.bytes());
      collected.release();
    }
  }

  private useWhole(bytes: Buffer): void {
    const {bytesMax, use} = this.options;
    const encoding = encodingFound(bytes, this.options.encoding);
    if (encoding === undefined) use(this.exchange, bytes);
    else
      decompress(bytes, encoding, bytesMax, (result) =>
        this.exchange.guard('using a decompressed body', () => this.takeDecompressed(result)),
      );
  }

  /** R2 */
  private takeDecompressed(result: Decompressed | {readonly failure: Failure}): void {
    const {exchange} = this;
    if ('failure' in result) {
      exchange.fail(result.failure);
      return;
    }
    if (exchange.isOver) {
      result.release();
      return;
    }
    this.decompressed = result;
    exchange.onOver(() => this.forget());
    if (this.options.host.intake.complete(this, result.byteLength)) this.use();
  }
}
