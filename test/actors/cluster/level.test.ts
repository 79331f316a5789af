// When the level of a deployment rises.
import {expect, test} from 'vitest';
import {agreedMs, LevelRise, lackingLevel} from '../../../actors/cluster/level.js';

type Range = readonly [number, number];
const members = (...ranges: readonly Range[]): {levels: Range}[] => ranges.map((levels) => ({levels}));

test('the level rises once all members have had the next one for ten minutes', () => {
  const rise = new LevelRise();
  const both = members([1, 2], [1, 2]);
  expect(rise.isDue(both, 1, 1_000)).toBe(false);
  expect(rise.isDue(both, 1, 999 + agreedMs)).toBe(false);
  expect(rise.isDue(both, 1, 1_000 + agreedMs)).toBe(true);
  rise.reset();
  // Nobody has the one after it.
  for (const nowMs of [2_000 + agreedMs, 3_000 + 3 * agreedMs]) expect(rise.isDue(both, 2, nowMs)).toBe(false);
});

test('a member of the version before begins the time anew, however short it is there', () => {
  const rise = new LevelRise();
  const next = members([1, 2], [2, 3]);
  rise.isDue(next, 1, 0);
  expect(rise.isDue([...next, ...members([1, 1])], 1, agreedMs)).toBe(false);
  expect(rise.isDue(next, 1, agreedMs + 1)).toBe(false);
  expect(rise.isDue(next, 1, 2 * agreedMs)).toBe(false);
  expect(rise.isDue(next, 1, 2 * agreedMs + 1)).toBe(true);
});

test('without members nothing rises, and who lacks a level is named', () => {
  const rise = new LevelRise();
  expect([0, 2 * agreedMs].map((nowMs) => rise.isDue([], 1, nowMs))).toEqual([false, false]);
  expect(lackingLevel(members([1, 1], [1, 2], [2, 3]), 2)).toEqual(members([1, 1]));
  expect(lackingLevel(members([1, 2], [2, 3]), 1)).toEqual(members([2, 3]));
});
