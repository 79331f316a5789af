import {crc32} from 'node:zlib';
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import type {PartRef} from '../../actors/manifest.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {borrowRoom, lookMs, newSpareRoom, offerRoom} from '../../src/parts/spare-room.js';

const kib = 1_024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A cache over parts of zeros. */
const cacheOf = (bytesMax: number): PartsCache =>
  new PartsCache({read: async (revision) => new Uint8Array(revision * kib)}, bytesMax);

function load(cache: PartsCache, key: string, sizeKib: number): Promise<unknown> {
  const bytes = sizeKib * kib;
  const ref: PartRef = {key, revisions: [sizeKib], bytes, valueBytes: bytes, crcs: [crc32(new Uint8Array(bytes))]};
  return cache.load(ref);
}

test('what the owner does not use others may, and what it takes they give back', async () => {
  const room = newSpareRoom(60 * kib);
  const [owner, borrower] = [cacheOf(100 * kib), cacheOf(40 * kib)];
  borrowRoom(room, borrower.memory, 1);
  expect(borrower.memory.bytesMax).toBe(100 * kib); // S2
  offerRoom(room, owner.memory);
  await load(owner, 'o', 30);
  vi.advanceTimersByTime(2 * lookMs);
  expect(borrower.memory.bytesMax).toBe(110 * kib);
  for (const key of ['a', 'b', 'c']) await load(borrower, key, 35);
  expect(borrower.memory.bytesHeld).toBe(105 * kib);
  owner.memory.lend(20 * kib); // Somebody works with it: it is not free either.
  vi.advanceTimersByTime(2 * lookMs);
  expect(borrower.memory.bytesMax).toBe(90 * kib);
  expect(borrower.memory.bytesHeld).toBe(70 * kib);
  await load(owner, 'p', 50);
  expect(owner.memory.bytesHeld).toBe(80 * kib);
  vi.advanceTimersByTime(2 * lookMs);
  expect(borrower.memory.bytesMax).toBe(40 * kib);
  expect(borrower.memory.bytesHeld).toBe(35 * kib);
});

test('several borrowers share it', async () => {
  const room = newSpareRoom(0);
  const [owner, ...borrowers] = [cacheOf(100 * kib), cacheOf(40 * kib), cacheOf(40 * kib)];
  offerRoom(room, owner.memory);
  for (const borrower of borrowers) borrowRoom(room, borrower.memory, 1 / 2);
  vi.advanceTimersByTime(2 * lookMs);
  expect(borrowers.map(({memory}) => memory.bytesMax)).toEqual([90 * kib, 90 * kib]);
});
