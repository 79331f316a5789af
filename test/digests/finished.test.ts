// The finished days that the numbers of a digest are of.
import {expect, test} from 'vitest';
import type {ReportQuestion} from '../../src/asks/address.js';
import {finished} from '../../src/digests/finished.js';

const question = {
  ...{report: 'counts', events: [{event: 'signup'}], series: false},
  ...{range: '-30d', interval: 'day', week_start: 'monday', timezone: 'Europe/Berlin'},
} as const satisfies ReportQuestion;
/** Wednesday, at 9 in Berlin. */
const dueMs = Date.parse('2026-06-03T07:00Z');
const rangeOf = (more: object): unknown => finished({...question, ...more} as ReportQuestion, dueMs).range;
const days = (from: string, to: string) => ({from, to});

test.each<[string, {timezone?: string; interval?: string; week_start?: string}, object]>([
  ['-7d', {}, days('2026-05-27', '2026-06-02')],
  ['today', {}, days('2026-06-02', '2026-06-02')],
  ['yesterday', {}, days('2026-06-02', '2026-06-02')],
  ['-1mo', {}, days('2026-06-01', '2026-06-02')],
  ['this month', {}, days('2026-06-01', '2026-06-02')],
  ['last month', {}, days('2026-05-01', '2026-05-31')],
  ['-28d', {interval: 'week'}, days('2026-05-04', '2026-05-31')],
  ['-28d', {interval: 'week', week_start: 'sunday'}, days('2026-05-03', '2026-05-30')],
  ['this week', {interval: 'week'}, days('2026-05-25', '2026-05-31')],
  ['last week', {interval: 'week'}, days('2026-05-25', '2026-05-31')],
  ['-12mo', {interval: 'month'}, days('2025-06-01', '2026-05-31')],
  ['-7d', {interval: 'hour'}, days('2026-05-27', '2026-06-02')],
  ['-2d', {timezone: 'America/Los_Angeles'}, days('2026-06-01', '2026-06-02')],
  ['-2d', {timezone: 'Pacific/Honolulu'}, days('2026-05-31', '2026-06-01')],
])('of %s with %j are %j', (range, more, expected) => {
  const at = more.timezone === 'Pacific/Honolulu' ? Date.parse('2026-06-03T08:00Z') : dueMs;
  expect(finished({...question, range, ...more} as ReportQuestion, at).range).toEqual(expected);
});

test('of dates are those dates; of dates that are not over yet, those up to the last finished day', () => {
  expect(rangeOf({range: days('2026-05-01', '2026-05-31')})).toEqual(days('2026-05-01', '2026-05-31'));
  expect(rangeOf({range: days('2026-06-01', '2026-06-30')})).toEqual(days('2026-06-01', '2026-06-02'));
  expect(rangeOf({range: days('2026-06-03', '2026-06-30')})).toEqual(days('2026-06-03', '2026-06-30'));
  const moments = days('2026-06-01T00:00Z', '2026-06-30T00:00Z');
  expect(rangeOf({range: moments})).toEqual(moments);
});

test('are compared with the range before, unless the question says with which', () => {
  expect(finished(question, dueMs).compare).toBe('before');
  expect(finished({...question, compare: 'year'}, dueMs).compare).toBe('year');
});

test('are those of what its users did, too', () => {
  const did = [
    {event: 'login', range: '-7d', not: false},
    {event: 'paid', not: false},
    {range: {to: '2026-01-01'}, not: true},
  ];
  const asked = finished(
    {...question, users: {where: ['plan eq pro'], did}} as ReportQuestion,
    dueMs,
  ) as typeof question & {
    users: unknown;
  };
  expect(asked.users).toEqual({
    where: ['plan eq pro'],
    did: [{...did[0], range: days('2026-05-27', '2026-06-02')}, did[1], did[2]],
  });
});
