// Bodies of requests: collected up to a bound, decompressed up to the same bound.
import {CollectedBody, tooLarge} from './collected-body.js';
import {type ContentEncoding, decompress} from './decompression.js';
import type {Exchange} from './exchange.js';
import type {Failure} from './failure.js';
import {atTurnEnd} from './turn.js';

/** 413 when the client already says that the body is too large. */
export function declaredTooLarge(exchange: Exchange, bytesMax: number): Failure | undefined {
  return declaredBytes(exchange) > bytesMax ? tooLarge(bytesMax) : undefined;
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
  exchange.res.onData((chunk, isLast) => {
    if (exchange.isOver) return;
    exchange.noteData();
    if (collected === undefined) {
      if (isLast && !isChunked && chunk.byteLength <= bytesMax) {
        useWhole(Buffer.from(chunk)); // A view. Most bodies come in one piece.
        return;
      }
      const body = new CollectedBody(declaredBytes(exchange));
      collected = body;
      exchange.onOver(() => body.release());
    }
    const failure = collected.add(chunk, bytesMax);
    if (failure !== undefined) exchange.fail(failure, true);
    else if (isLast && isChunked) atTurnEnd(useCollected);
    else if (isLast) useCollected();
  });
  /** Chunks may be followed by what makes the parser refuse the request (trailers): then it never was one. */
  const useCollected = (): void => {
    if (exchange.isOver || collected === undefined) return;
    useWhole(collected.bytes());
    collected.release();
  };
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
