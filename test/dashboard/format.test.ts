// Numbers, shares, durations and dates as pages say them, in any time zone of the machine.
import {afterEach, describe, expect, test} from 'vitest';
import {daysFromCivil} from '../../actors/calendar.js';
import {
  agoText,
  bucketText,
  change,
  clockText,
  count,
  dateOf,
  datesText,
  dayText,
  duration,
  longDayText,
  minuteText,
  momentText,
  percent,
  propertiesText,
  rangeName,
  secondsOf,
  short,
  weekdayName,
} from '../../dashboard/src/charts/format.js';

const before = process.env.TZ;
afterEach(() => {
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

test('counts are in full up to five digits on axes, always elsewhere', () => {
  expect([0, 9_999, 99_999, 100_000, 1_234_567].map(short)).toEqual(['0', '9,999', '99,999', '100k', '1.2M']);
  expect(count(1_234_567)).toBe('1,234,567');
});

test('shares have one decimal and a thin space, changes a sign', () => {
  expect(percent(0.6194)).toBe('61.9\u2009%');
  expect(change(106, 100)).toBe('+6.0\u2009%');
  expect(change(94, 100)).toBe('−6.0\u2009%');
  expect(change(999, 100)).toBe('+899.0\u2009%');
  expect(change(1_360, 100)).toBe('14 times');
  expect(change(6_933_000, 100)).toBe('69,330 times');
  expect(change(5, 0)).toBe('');
});

test('no rounding says none or all where it is not', () => {
  expect([0, 1 / 100_000, 0.0004, 0.0005, 0.5, 0.9994, 0.9996, 1 - 1e-6, 1].map((share) => percent(share))).toEqual(
    ['0.0', '<0.1', '<0.1', '0.1', '50.0', '99.9', '>99.9', '>99.9', '100.0'].map((text) => `${text}\u2009%`),
  );
  expect([0, 0.001, 0.004, 0.996, 1].map((share) => percent(share, 0))).toEqual(
    ['0', '<1', '<1', '>99', '100'].map((text) => `${text}\u2009%`),
  );
  // A change is no share: it may be more than all.
  expect([change(10_001, 10_000), change(9_999, 10_000), change(100, 100), change(19_999, 10_000)]).toEqual(
    ['+<0.1', '−<0.1', '+0.0', '+100.0'].map((text) => `${text}\u2009%`),
  );
});

test('durations are their two largest units', () => {
  expect([0, 0.25, 1, 59.9, 252, 3_600, 93_600, 86_400 * 5 + 60, 31_557_600 * 6 + 86_400 * 132].map(duration)).toEqual([
    '0 s',
    '250 ms',
    '1 s',
    '1 min',
    '4 min 12 s',
    '1 h',
    '1 d 2 h',
    '5 d',
    '6 y 132 d',
  ]);
  // Bounds of histograms by the clock have one unit.
  expect([0.005, 15, 900, 43_200, 86_400 * 14, 86_400 * 180, 31_557_600 * 2].map(duration)).toEqual([
    '5 ms',
    '15 s',
    '15 min',
    '12 h',
    '14 d',
    '180 d',
    '2 y',
  ]);
  // The nearest one: 1.99 s is no second.
  expect([0.9999, 1.04, 1.5, 1.99, 9.96, 12.6, 119.6, 3_599.6, 86_399, 90_000].map(duration)).toEqual([
    '1 s',
    '1 s',
    '1.5 s',
    '2 s',
    '10 s',
    '13 s',
    '2 min',
    '1 h',
    '1 d',
    '1 d 1 h',
  ]);
  expect(agoText(1_000, 1_500)).toBe('now');
  expect(agoText(20 * 3_600_000, 500)).toBe('20 h ahead');
  expect(agoText(30_000, 1_000)).toBe('now'); // Two clocks.
  expect(agoText(1_000, 42_000)).toBe('41 s ago');
});

describe.each(['UTC', 'Asia/Tehran', 'America/Los_Angeles', 'Pacific/Auckland'])('in %s', (zone) => {
  test('dates are those of UTC', () => {
    process.env.TZ = zone;
    const midnight = secondsOf('2026-11-11');
    expect([dayText(midnight), longDayText(midnight), weekdayName(midnight)]).toEqual([
      '11 Nov',
      'Wed 11 Nov 2026',
      'Wednesday',
    ]);
    expect(clockText(midnight - 1)).toBe('23:59:59');
    const [ms, later] = [midnight * 1_000, midnight * 1_000 + 90 * 86_400_000];
    expect([momentText(ms, ms), minuteText(ms, ms), dateOf(ms, ms)]).toEqual([
      '11 Nov, 00:00:00',
      '11 Nov, 00:00',
      '11 Nov',
    ]);
    expect([momentText(ms, later), minuteText(ms, later), dateOf(ms, later)]).toEqual([
      '11 Nov 2026, 00:00:00',
      '11 Nov 2026, 00:00',
      '11 Nov 2026',
    ]);
    expect(bucketText(secondsOf('2026-11-11T14:00:00Z'), 'hour')).toBe('Wed 11 Nov 2026, 14:00 UTC');
    expect(bucketText(secondsOf('2026-11-09'), 'week')).toBe('Week of 9 Nov 2026');
    expect(bucketText(secondsOf('2026-11-01'), 'month')).toBe('November 2026');
  });
});

test('ranges have years only where they are not all of this one', () => {
  const today = daysFromCivil(2026, 11, 26);
  const text = (from: [number, number, number], to: [number, number, number]): string =>
    datesText({from: daysFromCivil(...from), to: daysFromCivil(...to)}, today);
  expect(text([2026, 10, 28], [2026, 11, 26])).toBe('28 Oct – 26 Nov');
  expect(text([2026, 11, 26], [2026, 11, 26])).toBe('26 Nov');
  expect(text([2024, 10, 1], [2024, 10, 31])).toBe('1 Oct – 31 Oct 2024');
  expect(text([2025, 12, 28], [2026, 1, 3])).toBe('28 Dec 2025 – 3 Jan 2026');
  expect(rangeName({kind: 'last', amount: 1, unit: 'day'})).toBe('Today');
  expect(rangeName({kind: 'month', year: 2026, month: 10})).toBe('October 2026');
});

test('properties are one short line', () => {
  expect(propertiesText({plan: 'pro', seats: 12, left: null})).toBe('plan pro, seats 12, left null');
  expect(propertiesText({text: 'x'.repeat(1_000)})).toHaveLength(160);
});
