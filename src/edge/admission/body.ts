// Bodies of requests: collected within a bound of bytes and of time, and decompressed within the same bound of bytes.
//   R1. The connection of a body that waits, to begin (intake.ts) or for memory (bodies-under-way.ts), is paused. The pause
//       does not count against the body's time.
//   R2. A compressed body is complete once it is decompressed: only then does it take its share of a turn and of the log.

// The global `Buffer` is a getter, which would be called for each body.
import {Buffer} from 'node:buffer';
import type {Failure} from '../failure.js';
import type {Waiting} from '../http/deadlines.js';
import type {Exchange} from '../http/exchange.js';
import {atTurnEnd} from '../http/turn.js';
import type {BodiesUnderWay, BodyUnderWay} from './bodies-under-way.js';
import {BodyShare, tooManyBodies} from './body-budget.js';
import {CollectedBody, tooLarge} from './collected-body.js';
import {
  type ContentEncoding,
  type Decompressed,
  decompress,
  encodingFound,
  type NotDecompressed,
} from './decompression.js';
import {type BodyArrival, type Intake, waitingBodyBytesMin} from './intake.js';

/** 413 when the announced length exceeds the bound. */
export function declaredTooLarge(exchange: Exchange, bytesMax: number): Failure | undefined {
  return exchange.declaredBytes > bytesMax ? tooLarge(bytesMax) : undefined;
}

/** Time limit from the request line to the last byte (docs/api/limits.md). */
export const bodyMsMax = 30_000;
const bodyTimeout: Failure = {
  code: 'request_timeout',
  message: `the body did not arrive within ${bodyMsMax / 1_000} s`,
};

/** 503 when a body of the announced length can neither begin nor wait now. */
export function declaredTooMuch({declaredBytes}: Exchange, intake: Intake): Failure | undefined {
  return BodyShare.hasRoom(declaredBytes) && !intake.isFullFor(declaredBytes) ? undefined : tooManyBodies;
}

/** Receives the whole body, decompressed; the bytes are valid only during the call. */
type UseBody = (exchange: Exchange, bytes: Buffer) => void;

/** Shared by all bodies. */
export interface BodyHost {
  readonly intake: Intake;
  readonly underWay: BodiesUnderWay;
}

interface BodyOptions {
  readonly bytesMax: number;
  /** Encoding that the request names. */
  readonly encoding: ContentEncoding | undefined;
  /** Whether what it decompresses to is charged to the key: a client sends a thousandth of what that costs to read. */
  readonly isCharged: boolean;
  readonly host: BodyHost;
  readonly use: UseBody;
}

/**
 * Calls `use` with the whole body. Answers by itself when the body is too large, broken, or cannot be taken.
 * A small body in one piece, as most are, needs no reader.
 */
export function readBody(exchange: Exchange, options: BodyOptions): void {
  let reader = exchange.transferEncoding === undefined ? undefined : new BodyReader(exchange, options);
  exchange.res.onData((chunk, isLast) => {
    try {
      if (isLast && reader === undefined && isUsedAsItIs(exchange, chunk.byteLength, options)) {
        const bytes = Buffer.from(chunk); // A view of the chunk.
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

/** Whether the body skips the intake (N1) and needs no decompression. */
function isUsedAsItIs({isOver, declaredBytes}: Exchange, bytes: number, {encoding, bytesMax}: BodyOptions): boolean {
  return (
    !isOver &&
    encoding === undefined &&
    bytes <= bytesMax &&
    bytes < waitingBodyBytesMin &&
    declaredBytes < waitingBodyBytesMin
  );
}

class BodyReader implements BodyArrival, BodyUnderWay, Waiting {
  readonly declaredBytes: number;
  private readonly exchange: Exchange;
  private readonly options: BodyOptions;
  private readonly isChunked: boolean;
  private collected: CollectedBody | undefined;
  private decompressed: Decompressed | undefined;
  private isNew = true;
  private isWhole = false;
  /** Waits to begin. */
  private isWaiting = false;
  /** Total time of pauses, and the start of the current one. R1 */
  private pausedMs = 0;
  private pausedSinceMs: number | undefined;

  constructor(exchange: Exchange, options: BodyOptions) {
    this.exchange = exchange;
    this.options = options;
    this.declaredBytes = exchange.declaredBytes;
    this.isChunked = exchange.transferEncoding !== undefined;
    // A body with a length calls back for the head alone, without a byte; a chunked one calls back with its first byte only.
    if (this.isChunked) this.collect();
  }

  /** The deadline, moved by the time of pauses. R1 */
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
      this.useWhole(Buffer.from(chunk)); // A view of the chunk: most bodies come in one piece.
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

  /** False: the body is stored for a later turn, if there is room for it. */
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

  /** The body waited, and begins now. */
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

  /** The body waited too long, to begin or to resume. */
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

  /** Collects the rest of the body, which has until its deadline to come. */
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

  /** Trailers after the chunks may make the parser refuse the request: then there was none. */
  private finish(): void {
    const {exchange, isChunked} = this;
    this.options.host.underWay.leave(this);
    // A paused connection stays paused until its answer, and its timeout is renewed.
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

  /** Uses the decompressed body. R2 */
  private takeDecompressed(result: Decompressed | NotDecompressed): void {
    const {exchange} = this;
    if (this.options.isCharged) exchange.caller.costsBytes(result.byteLength);
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
