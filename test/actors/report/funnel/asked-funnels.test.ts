// Which funnels have postings where those of all names do not fit.
import {expect, test} from 'vitest';
import {AskedFunnels, type NamedStretch} from '../../../../actors/report/funnel/asked-funnels.js';

const stretch = {startMs: 0, lastMs: 100};
const names = (...all: number[]): ReadonlySet<number> => new Set(all);
const upTo =
  (namesMax: number) =>
  ({names: all}: NamedStretch): boolean =>
    all.size <= namesMax;

test('what was asked for last is chosen first, each funnel as a whole, as far as they fit', () => {
  const asked = new AskedFunnels();
  asked.note(names(1, 2), stretch, 1);
  asked.note(names(3, 4, 5), stretch, 2);
  asked.note(names(5, 6), stretch, 3);
  expect(asked.choose(0, undefined, upTo(6))).toEqual({names: names(5, 6, 3, 4, 1, 2), stretch});
  expect(asked.choose(0, undefined, upTo(5))).toEqual({names: names(5, 6, 3, 4), stretch});
  expect(asked.choose(0, undefined, upTo(3))).toEqual({names: names(5, 6), stretch});
  expect(asked.choose(0, undefined, upTo(1))).toBeUndefined();
  expect(asked.choose(2, undefined, upTo(6))).toEqual({names: names(5, 6, 3, 4), stretch});
  expect(asked.namesSince(2)).toEqual(names(3, 4, 5, 6));
  expect(asked.choose(4, undefined, upTo(6))).toBeUndefined();
});

test('what is kept stays while it is asked for', () => {
  const asked = new AskedFunnels();
  asked.note(names(1, 2), stretch, 1);
  asked.note(names(3, 4), stretch, 2);
  const kept = {names: names(1, 2), stretch};
  expect(asked.choose(0, kept, upTo(3))).toEqual(kept);
  expect(asked.choose(2, kept, upTo(3))).toEqual({names: names(3, 4), stretch});
  // Asked for again, from an earlier time on: it is not what is kept.
  asked.note(names(1, 2), {startMs: -5, lastMs: 100}, 3);
  expect(asked.choose(3, kept, upTo(3))).toEqual({names: names(1, 2), stretch: {startMs: -5, lastMs: 100}});
});

test('what is chosen spans the stretches of its funnels', () => {
  const asked = new AskedFunnels();
  asked.note(names(1), {startMs: 50, lastMs: 60}, 1);
  asked.note(names(2), {startMs: 10, lastMs: 20}, 1);
  expect(asked.choose(0, undefined, upTo(2))).toEqual({names: names(2, 1), stretch: {startMs: 10, lastMs: 60}});
});

test('of many questions the newest are known', () => {
  const asked = new AskedFunnels();
  for (let name = 0; name < 100; name++) asked.note(names(name), stretch, name);
  expect(asked.namesSince(0).size).toBe(32);
  expect(asked.namesSince(0).has(99)).toBe(true);
});
