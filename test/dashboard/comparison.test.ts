// A range beside an earlier one: never more of the earlier than of the later.
import {expect, test} from 'vitest';
import {comparedDays, pastSoFar} from '../../dashboard/src/address/compared.js';
import {againstText} from '../../dashboard/src/charts/against.js';
import {linesNote, soFarText} from '../../dashboard/src/charts/comparison.js';

const day = (text: string): number => Date.parse(text) / 86_400_000;
const week = {from: day('2026-11-16'), to: day('2026-11-22')};

test('off compares with nothing', () => {
  expect(comparedDays(week, 'day', 'off')).toBeUndefined();
  expect(pastSoFar(undefined, week, week.to, 0)).toBeUndefined();
});

test('a time before the first data is nothing to compare with, nor is one that has data for a part of it', () => {
  const first = day('2026-11-10');
  expect(comparedDays(week, 'day', 'before', first)).toBeUndefined();
  expect(comparedDays(week, 'day', 'before', day('2026-11-09'))).toMatchObject({from: day('2026-11-09')});
  expect(comparedDays(week, 'day', 'year', day('2026-11-09'))).toBeUndefined();
});

test('while today is in the range, the week before counts up to the same minute of its weekday', () => {
  const past = comparedDays(week, 'day', 'before');
  const asOfMs = Date.parse('2026-11-19T12:03:50Z');
  expect(past).toMatchObject({from: day('2026-11-09'), to: day('2026-11-15')});
  expect(pastSoFar(past, week, day('2026-11-19'), asOfMs)).toMatchObject({
    from: day('2026-11-09'),
    untilMs: Date.parse('2026-11-12T12:03:50Z'),
  });
});

test('a range that is over is compared whole, and one without an answer not yet', () => {
  const past = comparedDays(week, 'day', 'before');
  expect(pastSoFar(past, week, day('2026-11-23'), Date.parse('2026-11-23T01:00:00Z'))).toBeUndefined();
  expect(pastSoFar(past, week, day('2026-11-19'), undefined)).toBeUndefined();
});

test('the note names what dotted and dashed lines are, and only those that there are', () => {
  const asOfMs = Date.parse('2026-11-19T12:03:50Z');
  const past = {from: day('2020-11-09'), to: day('2020-11-15')};
  expect(linesNote({what: 'events a day', past: undefined, isOpen: true, asOfMs, today: week.to})).toBe(
    'events a day, dashed: until 12:03 UTC',
  );
  expect(linesNote({past, isOpen: false, asOfMs, today: week.to})).toBe('dotted: 9 Nov – 15 Nov 2020');
  expect(soFarText(undefined)).toBe('so far');
});

test('the days that a change is against are named, as far as they are counted', () => {
  const month = {from: day('2026-10-30'), to: day('2026-11-28')};
  const past = comparedDays(month, 'day', 'before')!;
  expect(againstText(past, undefined, 'UTC', month.to)).toBe('30 Sep – 29 Oct');
  const soFar = pastSoFar(past, month, month.to, Date.parse('2026-11-28T12:03:50Z'));
  expect(againstText(past, soFar?.untilMs, 'Asia/Tokyo', month.to)).toBe('30 Sep – 29 Oct until 12:03 Asia/Tokyo');
  const ahead = {from: month.from, to: month.to + 2};
  const early = pastSoFar(comparedDays(ahead, 'day', 'before'), ahead, month.to, Date.parse('2026-11-28T12:03:50Z'));
  expect(againstText(past, early?.untilMs, 'UTC', month.to)).toBe('30 Sep – 27 Oct until 12:03 UTC');
});
