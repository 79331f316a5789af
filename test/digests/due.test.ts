// When a digest is due: over days and weeks, changes of the clock, outages and edits.
import {describe, expect, test} from 'vitest';
import type {Schedule} from '../../src/digests/definition.js';
import {dueAt} from '../../src/digests/due.js';

const at = (text: string): number => Date.parse(text);
const daily: Schedule = {hour: 9, timezone: 'Europe/Berlin'};

/** Times at which something is told, looked at every ten minutes; `edits` are the schedules from a time on. */
function told(schedule: Schedule, from: string, to: string, edits: Readonly<Record<string, Schedule>> = {}): string[] {
  const times: string[] = [];
  let [now, toldMs] = [schedule, 0];
  for (let ms = at(from); ms <= at(to); ms += 600_000) {
    const time = new Date(ms).toISOString().slice(0, 16);
    now = edits[time] ?? now;
    const due = dueAt(now, at(from), toldMs, ms);
    if (due === undefined) continue;
    toldMs = due.untilMs;
    times.push(`${time}${due.missed === 0 ? '' : ` +${due.missed}`}`);
  }
  return times;
}

describe('a digest is due', () => {
  test('each day at its hour, and never for an hour before it was made', () => {
    expect(told(daily, '2026-06-01T07:10Z', '2026-06-04T00:00Z')).toEqual(['2026-06-02T07:00', '2026-06-03T07:00']);
  });

  test('once a week on its day', () => {
    const weekly: Schedule = {...daily, weekday: 'monday'};
    expect(told(weekly, '2026-06-02T00:00Z', '2026-06-16T00:00Z')).toEqual(['2026-06-08T07:00', '2026-06-15T07:00']);
  });

  test.each([
    // The clock goes from 2 to 3 on the 29th of March, and from 3 to 2 on the 25th of October.
    ['an hour that is skipped', 2, '2026-03-27T12:00Z', ['2026-03-28T01:00', '2026-03-29T01:00', '2026-03-30T00:00']],
    ['an hour that comes twice', 2, '2026-10-23T12:00Z', ['2026-10-24T00:00', '2026-10-25T00:00', '2026-10-26T01:00']],
    ['another hour', 9, '2026-10-23T12:00Z', ['2026-10-24T07:00', '2026-10-25T08:00', '2026-10-26T08:00']],
  ])('once on a day with %s', (_, hour, from, times) => {
    const to = new Date(at(from) + 3 * 86_400_000).toISOString();
    expect(told({...daily, hour}, from, to)).toEqual(times);
  });

  test('once where the zone skips a whole day', () => {
    const apia: Schedule = {hour: 9, timezone: 'Pacific/Apia'};
    // Friday the 30th is not there: the 29th ends as the 31st begins, at 10:00 UTC.
    expect(told(apia, '2011-12-28T20:00Z', '2012-01-01T00:00Z')).toEqual([
      '2011-12-29T19:00',
      '2011-12-30T10:00',
      '2011-12-31T19:00',
    ]);
  });

  test('once, late, after several were missed', () => {
    const days = at('2026-06-05T12:00Z');
    expect(dueAt(daily, at('2026-05-01T00:00Z'), at('2026-06-01T22:00Z'), days)).toEqual({
      dueMs: at('2026-06-05T07:00Z'),
      untilMs: at('2026-06-04T22:00Z'),
      missed: 2,
    });
    expect(dueAt(daily, at('2020-01-01T00:00Z'), 0, days)!.missed).toBe(366);
  });

  test('for each finished day once, whatever is edited meanwhile', () => {
    const [from, to] = ['2026-06-01T08:00Z', '2026-06-05T00:00Z'];
    // To a later hour, after that of the day was told: no second one on that day.
    expect(told(daily, from, to, {'2026-06-02T10:00': {...daily, hour: 18}})).toEqual([
      '2026-06-02T07:00',
      '2026-06-03T16:00',
      '2026-06-04T16:00',
    ]);
    // To an earlier one that is over: at once, as no other comes for the day.
    expect(told({...daily, hour: 18}, from, to, {'2026-06-03T10:00': daily})).toEqual([
      '2026-06-01T16:00',
      '2026-06-02T16:00',
      '2026-06-03T10:00',
      '2026-06-04T07:00',
    ]);
    // To another zone, and back.
    const auckland: Schedule = {hour: 9, timezone: 'Pacific/Auckland'};
    expect(told(daily, from, to, {'2026-06-02T10:00': auckland, '2026-06-03T00:00': daily})).toEqual([
      '2026-06-02T07:00',
      '2026-06-02T21:00',
      '2026-06-03T07:00',
      '2026-06-04T07:00',
    ]);
  });
});
