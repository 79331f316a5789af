// Sorting and adding up without comparing or hashing, against a Map and the comparator that they replace.
import {describe, expect, test} from 'vitest';
import {DaySets} from '../../actors/aggregator/day-sets.js';
import {noUser, timeOrder} from '../../actors/chunk/rows.js';
import {PairSums} from '../../actors/order/pair-sums.js';
import {radixSortIndices, sortNumbers} from '../../actors/order/radix-sort.js';
import {endOfRun} from '../../actors/order/search.js';
import {Random} from '../../tools/random.js';

const seeds = [1, 2, 3, 4, 5, 6, 7, 8];

describe('places by keys', () => {
  test.each(seeds)('seed %i: in order, equal keys as they were', (seed) => {
    const random = new Random(seed);
    const widest = random.pick([1, 100, 2 ** 11, 2 ** 22, 2 ** 32 - 1]);
    const keys = Uint32Array.from({length: random.between(0, 3_000)}, () => random.between(0, widest));
    const places = Uint32Array.from(keys.keys()).reverse();
    const wanted = [...places].sort((a, b) => keys[a] - keys[b] || b - a);
    radixSortIndices(places, keys);
    expect([...places]).toEqual(wanted);
  });
});

describe('numbers', () => {
  test.each(seeds)('seed %i: in order', (seed) => {
    const random = new Random(seed);
    const widest = random.pick([0, 1, 100, 2 ** 11, 2 ** 22, 2 ** 32 - 1]);
    for (const most of [3, 511, 512, 5_000]) {
      const numbers = Uint32Array.from({length: random.between(0, most)}, () => random.between(0, widest));
      const wanted = [...numbers].sort((a, b) => a - b);
      sortNumbers(numbers);
      expect([...numbers]).toEqual(wanted);
    }
  });
});

describe('users by day', () => {
  test.each(seeds)('seed %i: the sets of a Map, whatever comes again', (seed) => {
    const random = new Random(seed);
    const sets = new DaySets();
    const oracle = new Map<number, Set<number>>();
    const [days, users] = [random.pick([1, 3, 100]), random.pick([1, 50, 3_000, 2 ** 32 - 1])];
    const isRising = random.chance(0.5);
    let day = 0;
    for (let i = 0, count = random.between(0, 20_000); i < count; i++) {
      if (random.chance(0.1)) day = random.between(0, days);
      const user = isRising ? i % (users + 1) : random.between(0, users);
      sets.add(day, user);
      oracle.set(day, (oracle.get(day) ?? new Set()).add(user));
    }
    const wanted = [...oracle].sort(([a], [b]) => a - b);
    const found = sets.sorted().map((set) => [set.day, [...set.users]]);
    expect(found).toEqual(wanted.map(([of, set]) => [of, [...set].sort((a, b) => a - b)]));
    expect(sets.sorted().map((set) => [set.day, [...set.users]])).toEqual(found);
  });
});

describe('runs of equal numbers', () => {
  test.each(seeds)('seed %i: end where the first other number is', (seed) => {
    const random = new Random(seed);
    const lengths = Array.from({length: 60}, () => random.pick([1, 1, 2, 3, 4, 5, 8, 9, random.between(1, 300)]));
    const numbers = Uint32Array.from(lengths.flatMap((length, run) => Array<number>(length).fill(3 * run)));
    const ends: number[] = [];
    for (let at = 0; at < numbers.length; at = ends.at(-1)!) ends.push(endOfRun(numbers, at));
    let end = 0;
    expect(ends).toEqual(lengths.map((length) => (end += length)));
  });
});

describe('sums by pairs', () => {
  test.each(seeds)('seed %i: what a Map adds up, whatever is joined on the way', (seed) => {
    const random = new Random(seed);
    const sums = new PairSums(random.pick([0, 1, 7, 4_096]));
    const oracle = new Map<string, number>();
    const widest = random.pick([3, 40, 2 ** 32 - 1]);
    for (let i = random.between(0, 9_000); i > 0; i--) {
      const [a, b, delta] = [random.between(0, widest), random.between(0, widest), random.between(-2, 5)];
      sums.add(a, b, delta);
      oracle.set(`${a} ${b}`, (oracle.get(`${a} ${b}`) ?? 0) + delta);
    }
    const {first, second, values} = sums.sorted();
    const found = [...first].map((a, i) => [a, second[i], values[i]]);
    const wanted = [...oracle].map(([key, value]) => [...key.split(' ').map(Number), value]);
    expect(found).toEqual(wanted.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
    expect(sums.sorted()).toEqual({first, second, values});
  });
});

describe('rows by time', () => {
  test.each(seeds)('seed %i: live rows by (time, row)', (seed) => {
    const random = new Random(seed);
    const spanMs = random.pick([0, 50, 3_600_000, 2 ** 32 - 1, 2 ** 40]);
    const lateShare = random.pick([0, 0.02, 1]);
    const count = random.between(1, 4_000);
    const step = random.pick([1, 1, 0.25]);
    const times = Float64Array.from({length: count}, (_, row) =>
      random.chance(lateShare) ? random.between(0, spanMs) * step : Math.floor((row / count) * spanMs),
    );
    const users = Uint32Array.from({length: count}, () => (random.chance(0.1) ? noUser : 1));
    const wanted = [...users.keys()]
      .filter((row) => users[row] !== noUser)
      .sort((a, b) => times[a] - times[b] || a - b);
    expect([...timeOrder(times, users, count)]).toEqual(wanted);
  });
});
