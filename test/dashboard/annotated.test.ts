// Annotations on charts: the bucket that each is in, where its words are, and moments of a zone.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {annotatedText, marksOf, utcSeconds} from '../../dashboard/src/charts/annotated.js';
import {flagRowsMax, placeFlags} from '../../dashboard/src/charts/flags.js';

const seconds = (date: string): number => Date.parse(date) / 1_000;
const days = ['2026-11-02', '2026-11-03', '2026-11-04'].map(seconds);
const end = seconds('2026-11-05');

test('a mark is at the bucket that its annotation is in, the open one included; others are not shown', () => {
  const annotations = [
    {at: '2026-11-05', text: 'after the last day'},
    {at: '2026-11-04T23:59Z', text: 'mail'},
    {at: '2026-11-04', text: 'launch'},
    {at: '2026-11-02T00:00Z', text: 'first moment'},
    {at: '2026-11-01T23:59:59Z', text: 'before'},
  ];
  expect(marksOf(annotations, days, end, 'UTC')).toEqual([
    {time: days[0], texts: ['first moment']},
    {time: days[2], texts: ['launch', 'mail']},
  ]);
  const weeks = [seconds('2026-11-02')];
  expect(marksOf(annotations, weeks, seconds('2026-11-09'), 'UTC')).toEqual([
    {time: weeks[0], texts: ['first moment', 'launch', 'mail', 'after the last day']},
  ]);
  expect(marksOf(annotations, [], end, 'UTC')).toEqual([]);
});

test('in a zone a date stays that date, a moment is where its clock shows it', () => {
  const annotations = [
    {at: '2026-11-03', text: 'day'},
    {at: '2026-11-03T23:00Z', text: 'moment'},
  ];
  expect(marksOf(annotations, days, end, 'Asia/Tokyo')).toEqual([
    {time: days[1], texts: ['day']},
    {time: days[2], texts: ['moment']},
  ]);
  expect(utcSeconds('Asia/Tokyo', seconds('2026-11-04T08:00Z'))).toBe(seconds('2026-11-03T23:00Z'));
  expect(utcSeconds('UTC', seconds('2026-11-04T08:00Z'))).toBe(seconds('2026-11-04T08:00Z'));
  // Berlin is an hour ahead from 25 October 2026, 01:00 UTC on; two hours before.
  expect(utcSeconds('Europe/Berlin', seconds('2026-10-25T01:30Z'))).toBe(seconds('2026-10-24T23:30Z'));
  expect(utcSeconds('Europe/Berlin', seconds('2026-10-25T03:30Z'))).toBe(seconds('2026-10-25T02:30Z'));
  expect(annotatedText('2026-11-03')).toBe('Tue 3 Nov 2026');
  expect(annotatedText('2026-11-03T23:00:07.5Z')).toBe('Tue 3 Nov 2026, 23:00 UTC');
});

test('no words lie on others, or beyond the right edge; each is beside its upright', () => {
  const width = 600;
  const flag = fc.record({x: fc.integer({min: 60, max: width}), width: fc.integer({min: 10, max: 180})});
  fc.assert(
    fc.property(fc.array(flag, {maxLength: 20}), (given) => {
      const flags = given.toSorted((a, b) => a.x - b.x);
      const placed = placeFlags(flags, width).map((place, at) => ({...flags[at]!, place}));
      for (const {x, width: own, place} of placed) {
        if (place === undefined) continue;
        expect(place.row).toBeLessThan(flagRowsMax);
        expect(place.left + own).toBeLessThanOrEqual(width);
        expect(Math.min(Math.abs(place.left - x), Math.abs(place.left + own - x))).toBeLessThanOrEqual(6);
      }
      const shown = placed.flatMap(({place, width: own}) => (place === undefined ? [] : [{...place, width: own}]));
      for (const [at, one] of shown.entries()) {
        for (const other of shown.slice(at + 1)) {
          if (one.row !== other.row) continue;
          expect(one.left + one.width <= other.left || other.left + other.width <= one.left).toBe(true);
        }
      }
    }),
  );
  expect(placeFlags([{x: 100, width: 50}], 600)).toEqual([{left: 106, row: 0}]);
  expect(placeFlags([{x: 590, width: 50}], 600)).toEqual([{left: 534, row: 0}]);
});
