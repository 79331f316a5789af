// Compressed bodies: within their bound, and whole.
import {brotliCompressSync, deflateSync, gzipSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {unfinishedBodyBytes} from '../../src/edge/admission/body-budget.js';
import {type ContentEncoding, decompress} from '../../src/edge/admission/decompression.js';

const compressors = {gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync};
const encodings = Object.keys(compressors) as ContentEncoding[];
const bytesMax = 64 * 1024;

/** The text of the body, or the code of its failure and the bytes that were decompressed until then. */
const read = (body: Buffer, encoding: ContentEncoding): Promise<string | {code: string; byteLength: number}> =>
  new Promise((resolve) => {
    decompress(body, encoding, bytesMax, (result) => {
      if ('failure' in result) return resolve({code: result.failure.code, byteLength: result.byteLength});
      const text = result.takeBytes().toString();
      result.release();
      resolve(text);
    });
  });

test.each(encodings)('%s: a body of the bound is whole, and one byte more is too large', async (encoding) => {
  const whole = 'x'.repeat(bytesMax);
  expect(await read(compressors[encoding](whole), encoding)).toBe(whole);
  expect(await read(compressors[encoding](`${whole}x`), encoding)).toMatchObject({code: 'payload_too_large'});
  expect(unfinishedBodyBytes()).toBe(0);
});

test.each(encodings)('%s: a bomb is given up soon after the bound', async (encoding) => {
  const outcome = await read(compressors[encoding](Buffer.alloc(2 * 1024 * 1024)), encoding);
  expect(outcome).toMatchObject({code: 'payload_too_large'});
  expect((outcome as {byteLength: number}).byteLength).toBeLessThan(4 * bytesMax);
  expect(unfinishedBodyBytes()).toBe(0);
});

test.each(encodings)('%s: a body that is cut, or goes on after its end, is refused', async (encoding) => {
  const body = compressors[encoding]('{"event":"signup"}');
  expect(await read(body.subarray(0, -4), encoding)).toMatchObject({code: 'invalid_request'});
  expect(await read(Buffer.concat([body, Buffer.from('{"event":"more"}')]), encoding)).toMatchObject({
    code: 'invalid_request',
  });
  expect(unfinishedBodyBytes()).toBe(0);
});
