// Ranges of days: as they stand in addresses, as people type them, and what they are compared with.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {bucketStarts, dateText, daysFromCivil, type Interval} from '../../actors/calendar.js';
import {dayMs, reportBucketsMax} from '../../actors/limits.js';
import {
  allowsInterval,
  type Days,
  daysOf,
  intervals,
  parseRange,
  type Range,
  rangeText,
  steppedRange,
  usualInterval,
} from '../../dashboard/src/address/range.js';
import {parseTypedRange} from '../../dashboard/src/controls/range-typed.js';
import {pastOf} from '../../src/asks/question/past-range.js';

const today = daysFromCivil(2026, 11, 26);
const inWords = ({from, to}: Days): string => `${dateText(from)}..${dateText(to)}`;
const shown = (text: string): string => inWords(daysOf(parseRange(text)!, today));

const someDay = fc.integer({min: daysFromCivil(1970, 1, 1), max: daysFromCivil(2100, 1, 1)});
const someDays: fc.Arbitrary<Days> = fc
  .tuple(someDay, fc.integer({min: 0, max: 900}))
  .map(([from, length]) => ({from, to: from + length}));
const someRange: fc.Arbitrary<Range> = fc.oneof(
  fc.record({
    kind: fc.constant('last' as const),
    amount: fc.integer({min: 1, max: 600}),
    unit: fc.constantFrom('day' as const, 'month' as const),
  }),
  fc.constant({kind: 'yesterday'} as const),
  fc.record({
    kind: fc.constant('month' as const),
    year: fc.integer({min: 1, max: 9_999}),
    month: fc.integer({min: 1, max: 12}),
  }),
  fc.record({kind: fc.constant('year' as const), year: fc.integer({min: 1, max: 9_999})}),
  someDays.map((days) => ({kind: 'days' as const, ...days})),
);

describe('a range in an address', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(someRange, (range) => {
        expect(parseRange(rangeText(range))).toEqual(range);
      }),
    );
  });

  test('of the last days ends with today, of the last months begins with a month', () => {
    expect(shown('today')).toBe('2026-11-26..2026-11-26');
    expect(shown('yesterday')).toBe('2026-11-25..2026-11-25');
    expect(shown('30d')).toBe('2026-10-28..2026-11-26');
    expect(shown('12mo')).toBe('2025-12-01..2026-11-26');
    expect(shown('2024-02')).toBe('2024-02-01..2024-02-29');
    expect(shown('2025')).toBe('2025-01-01..2025-12-31');
    expect(shown('2026-11-03..2026-11-09')).toBe('2026-11-03..2026-11-09');
    expect(shown('2026-11-03')).toBe('2026-11-03..2026-11-03');
  });

  test.each([
    '',
    '0d',
    '30',
    '30w',
    '2026-13',
    '2026-02-30',
    '2026-11-09..2026-11-03',
    '2026-11-03..',
    '2026-11-01..2026-11-02..2026-11-03',
    '0000',
    '99999d',
  ])('%j is none', (text) => {
    expect(parseRange(text)).toBeUndefined();
  });
});

describe('a range that a person types', () => {
  test.each([
    ['-7d', '2026-11-20..2026-11-26'],
    ['last 2 weeks', '2026-11-13..2026-11-26'],
    ['3 months', '2026-09-01..2026-11-26'],
    ['Yesterday', '2026-11-25..2026-11-25'],
    ['2026-10', '2026-10-01..2026-10-31'],
    ['Oct 2026', '2026-10-01..2026-10-31'],
    ['3 Nov - 9 Nov', '2026-11-03..2026-11-09'],
    ['3 november 2024 to 9 nov 2024', '2024-11-03..2024-11-09'],
    ['28 Dec - 3 Jan', '2025-12-28..2026-01-03'],
    ['27 Nov', '2025-11-27..2025-11-27'],
    ['2026-11-03 - 2026-11-09', '2026-11-03..2026-11-09'],
  ])('%j is %s', (typed, days) => {
    expect(inWords(daysOf(parseTypedRange(typed, today)!, today))).toBe(days);
  });

  test.each(['soon', '31 Feb', '9 Nov 2020 - 3 Nov 2020', '3 Xyz', 'Xyz 2026', '-', '3 Nov - 4 Nov - 5 Nov'])(
    '%j is not understood',
    (typed) => {
      expect(parseTypedRange(typed, today)).toBeUndefined();
    },
  );

  test('is understood where it is one of an address', () => {
    fc.assert(
      fc.property(someRange, (range) => {
        const [typed, written] = [parseTypedRange(rangeText(range), today)!, range];
        expect(daysOf(typed, today)).toEqual(daysOf(written, today));
      }),
    );
  });
});

describe('the range before and after', () => {
  test('lie beside it, and none begins after today', () => {
    fc.assert(
      fc.property(someRange, (range) => {
        const days = daysOf(range, today);
        const before = steppedRange(range, today, -1);
        if (before !== undefined) expect(daysOf(before, today).to).toBe(days.from - 1);
        const after = steppedRange(range, today, 1);
        if (after === undefined) return;
        expect(daysOf(after, today).from).toBeGreaterThan(days.from);
        expect(daysOf(after, today).from).toBeLessThanOrEqual(today);
      }),
    );
  });

  test('of a month are months', () => {
    expect(steppedRange(parseRange('2026-01')!, today, -1)).toEqual(parseRange('2025-12'));
    expect(steppedRange(parseRange('2025-12')!, today, 1)).toEqual(parseRange('2026-01'));
    expect(steppedRange(parseRange('2026-11')!, today, 1)).toBeUndefined();
    expect(steppedRange(parseRange('today')!, today, 1)).toBeUndefined();
  });
});

describe('the interval', () => {
  test('is what makes some thirty to a hundred buckets', () => {
    const usual = (days: number): Interval => usualInterval({from: today - days + 1, to: today});
    expect([1, 3, 4, 120, 121, 731, 732].map(usual)).toEqual(['hour', 'hour', 'day', 'day', 'week', 'week', 'month']);
  });

  test('is off only where the service would refuse as many buckets', () => {
    fc.assert(
      fc.property(someDays, fc.constantFrom(...intervals), ({from, to}, interval) => {
        const days = {from, to: from + (to - from) * 12};
        const starts = bucketStarts(days.from * dayMs, (days.to + 1) * dayMs - 1, interval, reportBucketsMax);
        if (allowsInterval(days, interval)) expect(starts).toBeDefined();
      }),
    );
    expect(allowsInterval({from: today - 415, to: today}, 'hour')).toBe(true);
    expect(allowsInterval({from: today - 417, to: today}, 'hour')).toBe(false);
  });
});

describe('the time before', () => {
  const buckets = (days: Days, interval: Interval): number[] =>
    bucketStarts(days.from * dayMs, (days.to + 1) * dayMs - 1, interval, reportBucketsMax)!;

  test('has as many buckets, so that each stands beside one', () => {
    fc.assert(
      fc.property(
        someDays,
        fc.constantFrom(...intervals.slice(1)),
        fc.constantFrom('before' as const, 'weekdays' as const, 'year' as const),
        (days, interval, compare) => {
          const past = pastOf(days, interval, compare);
          expect(buckets(past, interval)).toHaveLength(buckets(days, interval).length);
          if (compare !== 'year') expect(past.to).toBeLessThan(days.from);
        },
      ),
    );
  });

  test('lies whole weeks before, where that is asked for or the range is short: a Friday stands beside a Friday', () => {
    const chosen = fc.constantFrom('before' as const, 'weekdays' as const, 'year' as const);
    fc.assert(
      fc.property(someDays, chosen, (days, compare) => {
        const past = pastOf(days, 'day', compare);
        const isShort = days.to - days.from < 28;
        if (compare !== 'before' || isShort) expect((days.from - past.from) % 7).toBe(0);
        else expect(past.to).toBe(days.from - 1);
        expect((days.from - pastOf(days, 'week', compare).from) % 7).toBe(0);
      }),
    );
  });

  test('of a longer range is the days just before it: none is left out', () => {
    // Today is 26 November: 30 days begin on 28 October.
    expect(inWords(pastOf(daysOf(parseRange('30d')!, today), 'day', 'before'))).toBe('2026-09-28..2026-10-27');
    expect(inWords(pastOf(daysOf(parseRange('30d')!, today), 'day', 'weekdays'))).toBe('2026-09-23..2026-10-22');
    expect(inWords(pastOf(daysOf(parseRange('28d')!, today), 'day', 'before'))).toBe('2026-10-02..2026-10-29');
    expect(inWords(pastOf(daysOf(parseRange('7d')!, today), 'day', 'before'))).toBe('2026-11-13..2026-11-19');
    expect(inWords(pastOf(daysOf(parseRange('today')!, today), 'hour', 'year'))).toBe('2025-11-27..2025-11-27');
  });

  test('of months keeps their ends', () => {
    expect(inWords(pastOf(daysOf(parseRange('2024-02')!, today), 'month', 'before'))).toBe('2024-01-01..2024-01-31');
    expect(inWords(pastOf(daysOf(parseRange('2024-02')!, today), 'month', 'year'))).toBe('2023-02-01..2023-02-28');
    expect(inWords(pastOf(daysOf(parseRange('12mo')!, today), 'month', 'before'))).toBe('2024-12-01..2025-11-26');
  });

  test('names the moment that a moment is compared with', () => {
    const noon = today * dayMs + dayMs / 2;
    expect(pastOf({from: today, to: today}, 'hour', 'before').momentOf(noon)).toBe(noon - 7 * dayMs);
    const past = pastOf(daysOf(parseRange('12mo')!, today), 'month', 'year');
    expect(new Date(past.momentOf(noon)).toISOString()).toBe('2025-11-26T12:00:00.000Z');
  });
});
