// Where the events of a service are, beside the days of a page.
import {expect, test} from 'vitest';
import {liesElsewhere, liesMostlyBefore, newestOf, storedDays} from '../../dashboard/src/service/stored-days.js';

const day = (text: string): number => Date.parse(text) / 86_400_000;
const named = (first: string, last: string, count: number) => ({
  name: first,
  count,
  first_seen: first,
  last_seen: last,
});
const page = {from: day('2026-10-31'), to: day('2026-11-29')};
const hourMs = 3_600_000;

test('the days of all names, in the zone of the page', () => {
  const data = [
    named('2020-07-17T00:30:00Z', '2024-01-01T10:00:00Z', 6_000),
    named('2021-01-01T00:00:00Z', '2026-05-15T23:30:00Z', 150),
  ];
  const whole = {data, has_more: false, next_cursor: null};
  const stored = {from: day('2020-07-17'), to: day('2026-05-15'), count: 6_150};
  expect(storedDays(whole)).toEqual(stored);
  expect(storedDays(whole, (ms) => ms - hourMs)).toEqual({...stored, from: day('2020-07-16')});
  expect(storedDays({...whole, data: []})).toBeUndefined();
});

test.each([
  ['after all events', '2020-07-17', '2026-05-15', true],
  ['on the last of them', '2020-07-17', '2026-10-31', false],
  ['on the first of them', '2026-11-29', '2026-12-15', false],
  ['before all of them', '2026-11-30', '2026-12-15', true],
])('days %s', (_, from, to, is) => {
  expect(liesElsewhere({from: day(from), to: day(to)}, page)).toBe(is);
});

test('one event after an import is few; a month of a product that runs for years is not, nor is a quieter one', () => {
  const stored = {from: day('2020-07-17'), to: day('2026-11-29'), count: 6_151};
  expect(liesMostlyBefore(stored, page, 1)).toBe(true);
  expect(liesMostlyBefore(stored, page, 80)).toBe(false);
  expect(liesMostlyBefore(stored, page, 20)).toBe(false);
  expect(liesMostlyBefore({...stored, to: page.to + 1}, page, 1)).toBe(false);
  expect(liesMostlyBefore({...stored, from: page.from}, page, 1)).toBe(false);
});

test('the newest are the last month of what there is', () => {
  expect(newestOf({from: day('2020-07-17'), to: day('2026-05-30')})).toEqual({
    from: day('2026-05-01'),
    to: day('2026-05-30'),
  });
  expect(newestOf(page)).toEqual(page);
  expect(newestOf({from: page.to, to: page.to})).toEqual({from: page.to, to: page.to});
});
