import {expect, test} from 'vitest';
import {
  type Generations,
  generationOfRow,
  generationsMax,
  lostFrom,
  newestOf,
  usersLostFrom,
  withGeneration,
} from '../../actors/generations.js';

/** A user comes with every tenth row. */
const startOf = (generation: number, ordinal: number) => ({generation, ordinal, users: ordinal / 10});
const first: Generations = [startOf(1, 0)];
const begun = (...starts: readonly (readonly [generation: number, ordinal: number])[]): Generations =>
  starts.reduce((all, [generation, ordinal]) => withGeneration(all, startOf(generation, ordinal)), first);

test.each([
  ['one', first, [1, 1, 1], [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]],
  ['a second one', begun([2, 100]), [1, 2, 2], [100, Number.POSITIVE_INFINITY]],
  ['a third one that went back behind the second', begun([2, 100], [4, 50]), [1, 4, 4], [50, 50]],
  ['a third one', begun([2, 100], [3, 150]), [1, 2, 3], [100, 150]],
  ['one that went back to nothing', begun([2, 100], [3, 0]), [3, 3, 3], [0, 0]],
])('of the rows, %s', (_, generations, ofRows, lost) => {
  expect([50 - 1, 100, 150].map((ordinal) => generationOfRow(generations, ordinal))).toEqual(ofRows);
  expect([1, 2].map((generation) => lostFrom(generations, generation))).toEqual(lost);
  expect([1, 2].map((generation) => usersLostFrom(generations, generation))).toEqual(lost.map((from) => from / 10));
});

test('at the bound no row that may be lost is taken for one that is not', () => {
  let all = first;
  const starts = Array.from({length: 200}, (_, n) => startOf(n + 2, (n + 1) * 10));
  for (const start of starts) {
    all = withGeneration(all, start);
    expect(newestOf(all)).toBe(start.generation);
  }
  expect(all.length).toBe(generationsMax);
  for (const {generation, ordinal, users} of [startOf(1, 0), ...starts.slice(0, -1)]) {
    expect(lostFrom(all, generation)).toBeLessThanOrEqual(ordinal + 10);
    expect(usersLostFrom(all, generation)).toBeLessThanOrEqual(users + 1);
  }
  expect(lostFrom(all, 201)).toBe(Number.POSITIVE_INFINITY);
});
