import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type LogHead, truncateInSteps} from '../../../src/partition/log/log-truncation.js';

/** A log, and what was asked of its server. */
function head(first: number, end: number, changed: Partial<LogHead> = {}) {
  const removed: number[] = [];
  const rests: number[] = [];
  const cut: LogHead = {
    first,
    end,
    isSame: async () => true,
    removeBefore: async (sequence) => removed.push(sequence),
    rest: async (workedMs) => void rests.push(workedMs),
    ...changed,
  };
  return {cut, removed, rests};
}

test('a log is cut in steps up to its end, with a rest between each two', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(10_000), fc.integer({min: 1, max: 100_000}), async (first, count) => {
      const {cut, removed, rests} = head(first, first + count);
      await truncateInSteps(cut);
      expect(removed).toEqual(removed.toSorted((a, b) => a - b));
      expect(removed[0]).toBe(first + Math.min(Math.max(64, Math.ceil(count / 100)), count));
      expect(removed.at(-1)).toBe(first + count);
      expect(removed.length).toBeLessThanOrEqual(100);
      expect(rests).toHaveLength(removed.length - 1);
    }),
  );
});

test('a log that begins there already is left alone', async () => {
  for (const first of [100, 101]) {
    const {cut, removed} = head(first, 100);
    await truncateInSteps(cut);
    expect(removed).toEqual([]);
  }
});

test('a log that turns out to be another one in between is left as it is', async () => {
  const {cut, removed} = head(1, 1_000, {isSame: async () => removed.length < 2});
  await truncateInSteps(cut);
  expect(removed).toHaveLength(2);
});

test('what fails reaches the caller, who begins again with what is there', async () => {
  const {cut} = head(1, 1_000, {removeBefore: () => Promise.reject(new Error('of a test'))});
  await expect(truncateInSteps(cut)).rejects.toThrow('of a test');
});
