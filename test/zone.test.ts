// Zones against instants that were worked out by hand: the worst days of the last years, for which no code of ours or of Node
// is asked.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {offsetText, utc, zoneOf} from '../src/zone.js';
import {runs} from './support/runs.js';

const dayMs = 86_400_000;
const zone = (name: string) => zoneOf(name)!;
const day = (date: string): number => Date.parse(date) / dayMs;
const iso = (timeMs: number): string => new Date(timeMs).toISOString().replace(':00.000Z', 'Z');

/** Local days: the instant at which each begins, and the one at which it ends. */
const worstDays = [
  // Midnight does not exist.
  ['Africa/Cairo', '2024-04-26', '2024-04-25T22:00Z', '2024-04-26T21:00Z'],
  ['Asia/Beirut', '2024-03-31', '2024-03-30T22:00Z', '2024-03-31T21:00Z'],
  ['America/Santiago', '2024-09-08', '2024-09-08T04:00Z', '2024-09-09T03:00Z'],
  // The clock goes back from midnight to 23:00: the day before has 25 hours.
  ['Africa/Cairo', '2024-10-31', '2024-10-30T21:00Z', '2024-10-31T22:00Z'],
  ['Asia/Beirut', '2024-10-26', '2024-10-25T21:00Z', '2024-10-26T22:00Z'],
  ['America/Santiago', '2024-04-06', '2024-04-06T03:00Z', '2024-04-07T04:00Z'],
  // From 00:01 to 23:01: the day has begun, and stays begun.
  ['America/St_Johns', '2010-11-06', '2010-11-06T02:30Z', '2010-11-07T02:30Z'],
  ['America/St_Johns', '2010-11-07', '2010-11-07T02:30Z', '2010-11-08T03:30Z'],
  ['America/St_Johns', '2011-03-13', '2011-03-13T03:30Z', '2011-03-14T02:30Z'],
  // A day that never was.
  ['Pacific/Apia', '2011-12-29', '2011-12-29T10:00Z', '2011-12-30T10:00Z'],
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00Z', '2011-12-30T10:00Z'],
  ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00Z', '2011-12-31T10:00Z'],
  // A shift by half an hour.
  ['Australia/Lord_Howe', '2024-10-06', '2024-10-05T13:30Z', '2024-10-06T13:00Z'],
  ['Australia/Lord_Howe', '2024-04-07', '2024-04-06T13:00Z', '2024-04-07T13:30Z'],
  ['Asia/Kolkata', '2024-03-10', '2024-03-09T18:30Z', '2024-03-10T18:30Z'],
  ['Asia/Kathmandu', '2024-03-10', '2024-03-09T18:15Z', '2024-03-10T18:15Z'],
  ['America/New_York', '2024-03-10', '2024-03-10T05:00Z', '2024-03-11T04:00Z'],
  ['America/New_York', '2024-11-03', '2024-11-03T04:00Z', '2024-11-04T05:00Z'],
  ['Europe/Berlin', '2024-03-31', '2024-03-30T23:00Z', '2024-03-31T22:00Z'],
  ['Europe/Berlin', '2024-10-27', '2024-10-26T22:00Z', '2024-10-27T23:00Z'],
  // An hour that was left within a week.
  ['America/Recife', '2000-10-08', '2000-10-08T03:00Z', '2000-10-09T02:00Z'],
  ['America/Recife', '2000-10-14', '2000-10-14T02:00Z', '2000-10-15T03:00Z'],
  ['Africa/Monrovia', '1971-06-01', '1971-06-01T00:44:30.000Z', '1971-06-02T00:44:30.000Z'],
  ['-03:30', '2024-03-10', '2024-03-10T03:30Z', '2024-03-11T03:30Z'],
  ['UTC', '2024-03-10', '2024-03-10T00:00Z', '2024-03-11T00:00Z'],
] as const;

describe('local days', () => {
  test.each(worstDays)('%s, %s', (name, date, start, end) => {
    const local = zone(name);
    expect([iso(local.dayStart(day(date))), iso(local.dayStart(day(date) + 1))]).toEqual([start, end]);
    if (start === end) return;
    for (const timeMs of [Date.parse(start), Date.parse(end) - 1]) expect(local.dayOf(timeMs)).toBe(day(date));
  });

  test('follow each other without a gap, and hold the times that they are asked for', () => {
    const names = [
      ...new Set(worstDays.map(([name]) => name)),
      'Europe/London',
      'Antarctica/Troll',
      'Pacific/Kwajalein',
    ];
    const property = fc.property(
      fc.constantFrom(...names),
      fc.integer({min: Date.UTC(1970, 0), max: Date.UTC(2060, 0)}),
      (name, timeMs) => {
        const local = zone(name);
        const found = local.dayOf(timeMs);
        expect(local.dayStart(found)).toBeLessThanOrEqual(timeMs);
        expect(local.dayStart(found + 1)).toBeGreaterThan(timeMs);
        expect(local.offsetAt(local.dayStart(found)) + local.dayStart(found)).toBeGreaterThanOrEqual(found * dayMs);
      },
    );
    fc.assert(property, {numRuns: runs(500)});
  });
});

describe('times without an offset', () => {
  test.each([
    // Twice: the first and the last.
    ['Europe/Berlin', '2024-10-27T02:30Z', '2024-10-27T00:30Z', '2024-10-27T01:30Z'],
    ['America/St_Johns', '2010-11-06T23:30Z', '2010-11-07T02:00Z', '2010-11-07T03:00Z'],
    ['Australia/Lord_Howe', '2024-04-07T01:45Z', '2024-04-06T14:45Z', '2024-04-06T15:15Z'],
    // Never: the end of the gap.
    ['Europe/Berlin', '2024-03-31T02:30Z', '2024-03-31T01:00Z', '2024-03-31T01:00Z'],
    ['Africa/Cairo', '2024-04-26T00:00Z', '2024-04-25T22:00Z', '2024-04-25T22:00Z'],
    ['Pacific/Apia', '2011-12-30T12:00Z', '2011-12-30T10:00Z', '2011-12-30T10:00Z'],
    // Once.
    ['Europe/Berlin', '2024-03-31T03:00Z', '2024-03-31T01:00Z', '2024-03-31T01:00Z'],
    ['Asia/Kolkata', '2024-03-31T00:00Z', '2024-03-30T18:30Z', '2024-03-30T18:30Z'],
  ])('%s, %s', (name, shown, first, last) => {
    const localMs = Date.parse(shown);
    expect([iso(zone(name).firstAt(localMs)), iso(zone(name).lastAt(localMs))]).toEqual([first, last]);
  });
});

describe('names', () => {
  test.each([
    'Europe/Berlin',
    'europe/berlin',
    'America/Argentina/San_Luis',
    'EST5EDT',
    'Etc/GMT+5',
    '+05:45',
    '-23:59',
  ])('%s is a zone, and is called what it was asked for', (name) => expect(zoneOf(name)?.name).toBe(name));

  test.each([
    '',
    'Berlin',
    'Europe/Berlin ',
    'Mars/Olympus',
    '+5:00',
    '+24:00',
    '+05:60',
    '05:00',
    'é',
    'A'.repeat(70),
  ])('%j is none', (name) => expect(zoneOf(name)).toBeUndefined());

  test.each(['UTC', 'Etc/UTC', 'GMT', '+00:00', '-00:00'])('%s is UTC', (name) =>
    expect(zoneOf(name)?.isUtc).toBe(true),
  );

  test('a fixed offset does not depend on rules', () => {
    expect([zone('+05:45').rules, utc.rules, zone('Asia/Kathmandu').rules]).toEqual([
      undefined,
      undefined,
      process.versions.tz,
    ]);
  });
});

test('offsets have seconds where clocks had them', () => {
  expect([0, 3_600_000, -12_600_000, -2_670_000].map(offsetText)).toEqual(['+00:00', '+01:00', '-03:30', '-00:44:30']);
});
