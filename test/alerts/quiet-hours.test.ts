// Quiet hours on days whose clocks do what clocks do.
import {expect, test} from 'vitest';
import {quietUntil, timeOfDay} from '../../src/alerts/quiet-hours.js';
import {zoneOf} from '../../src/zone.js';

const night = {from: '22:00', to: '07:00'};
const noon = {from: '12:00', to: '13:00'};

test.each([
  ['before the night', 'Europe/Berlin', night, '2026-01-10T20:59:59Z', undefined],
  ['its first moment', 'Europe/Berlin', night, '2026-01-10T21:00:00Z', '2026-01-11T06:00:00Z'],
  ['past midnight', 'Europe/Berlin', night, '2026-01-11T02:00:00Z', '2026-01-11T06:00:00Z'],
  ['its end is not in it', 'Europe/Berlin', night, '2026-01-11T06:00:00Z', undefined],
  ['within a day', 'UTC', noon, '2026-01-11T12:30:00Z', '2026-01-11T13:00:00Z'],
  ['before noon', 'UTC', noon, '2026-01-11T11:59:59Z', undefined],
  [
    'the night in which the clock goes forward has an hour less',
    'Europe/Berlin',
    night,
    '2026-03-29T00:30:00Z',
    '2026-03-29T05:00:00Z',
  ],
  [
    'the night in which it goes back has an hour more',
    'Europe/Berlin',
    night,
    '2026-10-25T00:30:00Z',
    '2026-10-25T06:00:00Z',
  ],
  [
    'an end that the clock skips is where it jumps',
    'Europe/Berlin',
    {from: '22:00', to: '02:30'},
    '2026-03-29T00:30:00Z',
    '2026-03-29T01:00:00Z',
  ],
  [
    'an end that comes twice is the first one',
    'Europe/Berlin',
    {from: '22:00', to: '02:30'},
    '2026-10-25T00:10:00Z',
    '2026-10-25T00:30:00Z',
  ],
  ['an offset', '-03:30', night, '2026-01-10T01:30:00Z', '2026-01-10T10:30:00Z'],
] as const)('%s', (_, timezone, {from, to}, time, end) => {
  const until = quietUntil({timezone, from, to}, zoneOf(timezone)!, Date.parse(time));
  expect(until).toBe(end === undefined ? undefined : Date.parse(end));
});

test('times of day', () => {
  expect(['00:00', '07:05', '23:59'].map(timeOfDay)).toEqual([0, 425 * 60_000, 1_439 * 60_000]);
  expect(['24:00', '7:00', '07:60', '', '07:00:00'].map(timeOfDay)).toEqual(Array(5).fill(undefined));
});
