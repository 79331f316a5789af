// Bodies of requests: collected up to a bound, decompressed up to the same bound.
import {createBrotliDecompress, createGunzip, createInflate} from 'node:zlib';
import {CollectedBody, tooLarge} from './collected-body.js';
import type {Exchange} from './exchange.js';
import {type Failure, invalidRequest} from './failure.js';

export const contentEncodings = ['gzip', 'deflate', 'br'] as const;
export type ContentEncoding = (typeof contentEncodings)[number];

/** 413 when the client already says that the body is too large. */
export function declaredTooLarge(exchange: Exchange, bytesMax: number): Failure | undefined {
  return Number(exchange.contentLength ?? 0) > bytesMax ? tooLarge(bytesMax) : undefined;
}

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
    else decompress(exchange, bytes, encoding, bytesMax, use);
  };
  let collected: CollectedBody | undefined;
  exchange.res.onData((chunk, isLast) => {
    if (exchange.isOver) return;
    if (collected === undefined && isLast && chunk.byteLength <= bytesMax) {
      useWhole(Buffer.from(chunk)); // A view. Most bodies come in one piece.
      return;
    }
    collected ??= new CollectedBody(exchange, bytesMax);
    const failure = collected.add(chunk);
    if (failure !== undefined) exchange.fail(failure, true);
    else if (isLast) collected.use(useWhole);
  });
}

const openDecompressor = {gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress};

/** In the thread pool; stops at the bound, so that a bomb costs no more than an honest body. */
function decompress(
  exchange: Exchange,
  compressed: Buffer,
  encoding: ContentEncoding,
  bytesMax: number,
  use: (bytes: Buffer) => void,
): void {
  const stream = openDecompressor[encoding]();
  const pieces: Buffer[] = [];
  let length = 0;
  stream.on('data', (piece: Buffer) => {
    length += piece.length;
    if (length <= bytesMax) return void pieces.push(piece);
    stream.destroy();
    exchange.fail(tooLarge(bytesMax));
  });
  stream.on('error', () => exchange.fail(invalidRequest(`the body is no complete ${encoding}`)));
  stream.on('end', () => {
    if (!exchange.isOver) use(Buffer.concat(pieces, length));
  });
  stream.end(Buffer.from(compressed)); // A copy: the thread pool reads it after the call.
}
