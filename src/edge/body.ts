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
  return declaredBytes(exchange) > bytesMax ? tooLarge(bytesMax) : undefined;
}

/** From the request line to the last byte (API.md, Operations). */
const bodyMsMax = 30_000;
const bodyTimeout: Failure = {
  code: 'request_timeout',
  message: `the body did not arrive within ${bodyMsMax / 1_000} s`,
};

/** 503 when a body as large as the client says could not be held now. */
export function declaredTooMuch(exchange: Exchange): Failure | undefined {
  return BodyShare.hasRoom(declaredBytes(exchange)) ? undefined : tooManyBodies;
}

const declaredBytes = ({contentLength}: Exchange): number => Number(contentLength ?? 0);

/**
 * Hands the whole body to `use`, decompressed. The bytes are valid only during the call.
 * Answers by itself when the body is too large or broken.
 */
export function readBody(
  exchange: Exchange,
  bytesMax: number,
  encoding: ContentEncoding | undefined,
  use: (bytes: Buffer) => void,
): void {
  const useWhole = (bytes: Buffer): void => {
    if (encoding === undefined) use(bytes);
    else useDecompressed(exchange, bytes, encoding, bytesMax, use);
  };
  const isChunked = exchange.transferEncoding !== undefined;
  let collected: CollectedBody | undefined;
  let waiting: Waiting | undefined;
  const collect = (): CollectedBody => {
    collected = new CollectedBody(declaredBytes(exchange));
    waiting = awaitBody(exchange, collected);
    return collected;
  };
  // With a length the head alone calls back, without a byte; here nothing does before the first one.
  if (isChunked) collect();
  exchange.res.onData((chunk, isLast) => {
    if (exchange.isOver) return;
    exchange.noteData();
    if (collected === undefined && isLast && chunk.byteLength <= bytesMax) {
      useWhole(Buffer.from(chunk)); // A view. Most bodies come in one piece.
      return;
    }
    const failure = (collected ?? collect()).add(chunk, bytesMax);
    if (failure !== undefined) exchange.fail(failure, true);
    else if (isLast) {
      exchange.deadlines.delete(waiting!);
      if (isChunked) atTurnEnd(useCollected);
      else useCollected();
    }
  });
  /** Chunks may be followed by what makes the parser refuse the request (trailers): then it never was one. */
  const useCollected = (): void => {
    if (exchange.isOver || collected === undefined) return;
    useWhole(collected.bytes());
    collected.release();
  };
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
  use: (bytes: Buffer) => void,
): void {
  decompress(compressed, encoding, bytesMax, (result) => {
    if (exchange.isOver) return;
    if ('failure' in result) exchange.fail(result.failure);
    else use(result.bytes);
  });
}
