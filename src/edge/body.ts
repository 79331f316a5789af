// Bodies of requests: collected up to a bound, decompressed up to the same bound.
//   B1. What uWebSockets.js hands over is valid only during its callback: a chunk that must wait is copied.
//   B2. Unfinished bodies of all requests together are bounded: a thousand slow uploads must not fill the memory.
import {createBrotliDecompress, createGunzip, createInflate} from 'node:zlib';
import type {Exchange} from './exchange.js';
import {type Failure, invalidRequest, unavailable} from './failure.js';

export const unfinishedBytesMax = 128 * 1024 * 1024;

/** Bytes of all bodies that are being collected or decompressed. */
let unfinishedBytes = 0;

export const contentEncodings = ['gzip', 'deflate', 'br'] as const;
export type ContentEncoding = (typeof contentEncodings)[number];

const tooLarge = (bytesMax: number): Failure => ({
  code: 'payload_too_large',
  message: `the body exceeds ${bytesMax} bytes`,
});

/** 413 when the client already says that the body is too large. */
export function declaredTooLarge(exchange: Exchange, bytesMax: number): Failure | undefined {
  return Number(exchange.contentLength ?? 0) > bytesMax ? tooLarge(bytesMax) : undefined;
}

/**
 * Hands the whole body to `use`, decompressed; a body that arrives in one piece and is not compressed is not copied
 * and is valid only during the call. Answers by itself when the body is too large or broken.
 */
export function readBody(
  exchange: Exchange,
  bytesMax: number,
  encoding: ContentEncoding | undefined,
  use: (bytes: Buffer) => void,
): void {
  const collected = new CollectedBody(exchange);
  exchange.res.onData((chunk, isLast) => {
    if (exchange.isOver) return;
    if (collected.length + chunk.byteLength > bytesMax) exchange.fail(tooLarge(bytesMax), true);
    else if (!isLast) {
      if (!collected.add(chunk)) exchange.fail(unavailable('too many bodies are on their way'), true);
    } else if (encoding !== undefined) decompress(exchange, collected.finish(chunk), encoding, bytesMax, use);
    else use(collected.finish(chunk));
  });
}

class CollectedBody {
  length = 0;
  private readonly chunks: Buffer[] = [];

  constructor(private readonly exchange: Exchange) {}

  /** B1, B2. @returns false when there is no room for it. */
  add(chunk: ArrayBuffer): boolean {
    if (unfinishedBytes + chunk.byteLength > unfinishedBytesMax) return false;
    if (this.chunks.length === 0) this.exchange.onOver(() => this.release());
    this.chunks.push(Buffer.from(Buffer.from(chunk)));
    this.length += chunk.byteLength;
    unfinishedBytes += chunk.byteLength;
    return true;
  }

  finish(last: ArrayBuffer): Buffer {
    if (this.chunks.length === 0) return Buffer.from(last);
    return Buffer.concat([...this.chunks, Buffer.from(last)]);
  }

  private release(): void {
    unfinishedBytes -= this.length;
    this.length = 0;
  }
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
  stream.end(Buffer.from(compressed)); // B1
}
