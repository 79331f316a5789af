// What bodies count for while they are put together, where there is hardly any room left.
import {afterEach, expect, test} from 'vitest';
import {BodyShare, unfinishedBodyBytes, unfinishedBytesMax} from '../../src/edge/admission/body-budget.js';
import {CollectedBody} from '../../src/edge/admission/collected-body.js';

const mib = 1_048_576;
const bytesMax = 10 * mib;
/** Kept for the rest of bodies that were begun. */
const endingBytes = 16 * mib;
const others = new BodyShare();

/** Others leave room for so many bytes of bodies that begin. */
function leaveRoom(bytes: number): void {
  others.release();
  others.overdraw(unfinishedBytesMax - endingBytes - bytes - unfinishedBodyBytes());
}

afterEach(() => {
  others.release();
  expect(unfinishedBodyBytes()).toBe(0);
});

const pieceOf = (bytes: number, fill: number): ArrayBuffer => new Uint8Array(bytes).fill(fill).buffer;

test.each([20_000, 300_000, 700_000])('a body of %i bytes for which there is just room is taken', (bytes) => {
  leaveRoom(bytes);
  const body = new CollectedBody(bytes);
  expect(body.add(pieceOf(bytes, 1), bytesMax)).toBeUndefined();
  expect(body.isOverdrawn).toBe(false);
  expect(body.bytes().equals(Buffer.alloc(bytes, 1))).toBe(true);
  expect(BodyShare.hasRoom(1)).toBe(false);
  body.release();
});

test('one for which a byte is missing is not, and leaves nothing behind', () => {
  leaveRoom(299_999);
  const body = new CollectedBody(300_000);
  expect(body.add(pieceOf(300_000, 1), bytesMax)).toMatchObject({code: 'unavailable'});
  leaveRoom(0);
  body.release();
});

test('where there is room a buffer is rounded, and used again', () => {
  const body = new CollectedBody(50_000);
  body.add(pieceOf(50_000, 1), bytesMax);
  expect(unfinishedBodyBytes()).toBe(65_536);
  body.release();
  const next = new CollectedBody(60_000);
  next.add(pieceOf(60_000, 2), bytesMax);
  expect(unfinishedBodyBytes()).toBe(65_536);
  expect(next.bytes().equals(Buffer.alloc(60_000, 2))).toBe(true);
  next.release();
});

test('a body that goes on is not held up while the bytes that are here have room', () => {
  leaveRoom(300_000);
  const body = new CollectedBody(600_000);
  for (const [i, fill] of [1, 2, 3].entries()) {
    expect(body.add(pieceOf(100_000, fill), bytesMax)).toBeUndefined();
    expect([i, body.isOverdrawn]).toEqual([i, false]);
  }
  expect(body.add(pieceOf(1, 4), bytesMax)).toBeUndefined();
  expect(body.isOverdrawn).toBe(true);
  const pieces = [1, 2, 3].map((fill) => Buffer.alloc(100_000, fill));
  expect(body.bytes().equals(Buffer.concat([...pieces, Buffer.of(4)]))).toBe(true);
  body.release();
});

test('one that comes in small pieces is not copied with each of them where room is scarce', () => {
  leaveRoom(250_000);
  const body = new CollectedBody(600_000);
  let [bytes, buffers, held] = [0, 0, 0];
  for (; !body.isOverdrawn && bytes < 600_000; bytes += 1_000) {
    expect(body.add(pieceOf(1_000, 1), bytesMax)).toBeUndefined();
    if (unfinishedBodyBytes() !== held) buffers += 1;
    held = unfinishedBodyBytes();
  }
  expect(body.isOverdrawn).toBe(true);
  expect(buffers).toBeLessThan(20);
  expect(body.bytes().equals(Buffer.alloc(bytes, 1))).toBe(true);
  body.release();
});

test('one that was held goes on as soon as there is room for its rest, not for the next power of two', () => {
  leaveRoom(50_000);
  const body = new CollectedBody(600_000);
  body.add(pieceOf(50_000, 1), bytesMax);
  body.add(pieceOf(50_000, 2), bytesMax);
  expect(body.isOverdrawn).toBe(true);
  others.overdraw(unfinishedBytesMax - unfinishedBodyBytes() - 499_999);
  expect(body.reserve(bytesMax)).toBe(false);
  others.overdraw(-1);
  expect(body.reserve(bytesMax)).toBe(true);
  expect(body.isOverdrawn).toBe(false);
  expect(unfinishedBodyBytes()).toBe(unfinishedBytesMax);
  for (let fill = 3; fill <= 12; fill++) expect(body.add(pieceOf(50_000, fill), bytesMax)).toBeUndefined();
  expect(body.isOverdrawn).toBe(false);
  const pieces = Array.from({length: 12}, (_, i) => Buffer.alloc(50_000, i + 1));
  expect(body.bytes().equals(Buffer.concat(pieces))).toBe(true);
  body.release();
});
