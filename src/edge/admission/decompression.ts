// Compressed bodies: decompressed in the thread pool, within the bound of plain ones, so that a bomb costs no more than an
// honest body.
import {createBrotliDecompress, createGunzip, createInflate} from 'node:zlib';
import {type Failure, invalidRequest} from '../failure.js';
import {BodyShare, tooManyBodies} from './body-budget.js';
import {tooLarge} from './collected-body.js';

const openDecompressor = {gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress};

export type ContentEncoding = keyof typeof openDecompressor;

/** @returns undefined for an encoding that is not supported. */
export function encodingOf(name: string): ContentEncoding | undefined {
  return Object.hasOwn(openDecompressor, name) ? (name as ContentEncoding) : undefined;
}

/** First bytes of gzip, which no UTF-8 text has: some clients forget the label. */
const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** `labelled`: the encoding that the request names, if it names one. */
export const encodingFound = (bytes: Uint8Array, labelled: ContentEncoding | undefined): ContentEncoding | undefined =>
  labelled ?? (isGzip(bytes) ? 'gzip' : undefined);

/** A whole body. It counts as unfinished until `release`. */
export interface Decompressed {
  readonly byteLength: number;
  /** Joins the pieces; called once, when the body is used, so that a waiting body is held only once. */
  takeBytes(): Buffer;
  release(): void;
}

/** `byteLength`: decompressed until then. */
export interface NotDecompressed {
  readonly failure: Failure;
  readonly byteLength: number;
}

/** Calls back once, with the whole body or with its failure. `compressed` is copied. */
export function decompress(
  compressed: Buffer,
  encoding: ContentEncoding,
  bytesMax: number,
  done: (result: Decompressed | NotDecompressed) => void,
): void {
  const share = new BodyShare();
  if (!share.take(compressed.length)) {
    done({failure: tooManyBodies, byteLength: 0});
    return;
  }
  const whole = Buffer.from(compressed);
  const stream = openDecompressor[encoding]();
  const pieces: Buffer[] = [];
  let length = 0;
  const fail = (failure: Failure): void => {
    stream.destroy();
    share.release();
    done({failure, byteLength: length});
  };
  stream.on('data', (piece: Buffer) => {
    length += piece.length;
    pieces.push(piece);
    if (length > bytesMax) fail(tooLarge(bytesMax));
    else if (!share.take(piece.length)) fail(tooManyBodies);
  });
  stream.on('error', () => fail(invalidRequest(`the body is not complete ${encoding} data`)));
  stream.on('end', () => {
    // Bytes after the end of the compressed data would be dropped silently.
    if (stream.bytesWritten < whole.length)
      return fail(invalidRequest(`the body goes on after the end of its ${encoding}`));
    done({
      byteLength: length,
      takeBytes: () => Buffer.concat(pieces.splice(0), length),
      release: () => share.release(),
    });
  });
  stream.end(whole);
}
