// Bodies of requests: collected up to a bound of bytes and of time, decompressed up to the same bound of bytes.
import {BodyShare, tooManyBodies} from './body-budget.js';
import {CollectedBody, tooLarge} from './collected-body.js';
import type {Waiting} from './deadlines.js';
import {type ContentEncoding, decompress} from './decompression.js';
import type {Exchange} from './exchange.js';
import type {Failure} from './failure.js';
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

/** 503 when a body as large as the client says could not be held now. */
export function declaredTooMuch(exchange: Exchange): Failure | undefined {
  return BodyShare.hasRoom(exchange.declaredBytes) ? undefined : tooManyBodies;
}

/** Gets the whole body, decompressed; the bytes are valid only during the call. */
export type UseBody = (exchange: Exchange, bytes: Buffer) => void;

/** Hands the whole body to `use`. Answers by itself when the body is too large or broken. */
export function readBody(
  exchange: Exchange,
  bytesMax: number,
  encoding: ContentEncoding | undefined,
  use: UseBody,
): void {
  const reader = new BodyReader(exchange, bytesMax, encoding, use);
  exchange.res.onData((chunk, isLast) => reader.add(chunk, isLast));
}

class BodyReader {
  private readonly exchange: Exchange;
  private readonly bytesMax: number;
  private readonly encoding: ContentEncoding | undefined;
  private readonly use: UseBody;
  private readonly isChunked: boolean;
  private collected: CollectedBody | undefined;
  private waiting: Waiting | undefined;

  constructor(exchange: Exchange, bytesMax: number, encoding: ContentEncoding | undefined, use: UseBody) {
    this.exchange = exchange;
    this.bytesMax = bytesMax;
    this.encoding = encoding;
    this.use = use;
    this.isChunked = exchange.transferEncoding !== undefined;
    // With a length the head alone calls back, without a byte; here nothing does before the first one.
    if (this.isChunked) this.collect();
  }

  add(chunk: ArrayBuffer, isLast: boolean): void {
    const {exchange, bytesMax} = this;
    if (exchange.isOver) return;
    exchange.noteData();
    if (this.collected === undefined && isLast && chunk.byteLength <= bytesMax) {
      this.useWhole(Buffer.from(chunk)); // A view. Most bodies come in one piece.
      return;
    }
    const failure = (this.collected ?? this.collect()).add(chunk, bytesMax);
    if (failure !== undefined) exchange.fail(failure, true);
    else if (isLast) this.finish();
  }

  private collect(): CollectedBody {
    this.collected = new CollectedBody(this.exchange.declaredBytes);
    this.waiting = awaitBody(this.exchange, this.collected);
    return this.collected;
  }

  /** Chunks may be followed by what makes the parser refuse the request (trailers): then it never was one. */
  private finish(): void {
    this.exchange.deadlines.delete(this.waiting!);
    if (this.isChunked) atTurnEnd(() => this.useCollected());
    else this.useCollected();
  }

  private useCollected(): void {
    if (this.exchange.isOver || this.collected === undefined) return;
    this.useWhole(this.collected.bytes());
    this.collected.release();
  }

  private useWhole(bytes: Buffer): void {
    const {exchange, encoding, bytesMax, use} = this;
    if (encoding === undefined) use(exchange, bytes);
    else useDecompressed(exchange, bytes, encoding, bytesMax, use);
  }
}

/** The rest of the body is not there yet: it has until its deadline. */
function awaitBody(exchange: Exchange, body: CollectedBody): Waiting {
  const waiting: Waiting = {
    deadlineMs: exchange.receivedMs + bodyMsMax,
    renew: () => exchange.renewTimeout(),
    expire: () => exchange.fail(bodyTimeout, true),
  };
  exchange.deadlines.add(waiting);
  exchange.onOver(() => {
    exchange.deadlines.delete(waiting);
    body.release();
  });
  return waiting;
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
