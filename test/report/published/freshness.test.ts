// From which bucket on an answer may still grow.
import {expect, test} from 'vitest';
import {isoText} from '../../../actors/calendar.js';
import type {Manifest} from '../../../actors/manifest.js';
import type {ReportQuery} from '../../../src/asks/report.js';
import {headersOf} from '../../../src/report/published/freshness.js';

const dayMs = 24 * 3_600_000;
const day = (number: number): number => Date.UTC(2026, 6, number);

test.each([
  ['all', undefined, day(11), undefined],
  ['all', undefined, day(5), '2026-07-01'],
  ['all', 2, day(5), '2026-07-03'],
  ['all', 2, day(11), undefined],
  ['entry', 2, day(11), '2026-07-09'],
  ['entry', 2, day(12), '2026-07-10'],
  ['entry', 2, day(13), undefined],
] as const)('a funnel of %s with a window of %s days', (range, windowDays, asOfMs, label) => {
  const query = {
    report: 'funnel',
    range,
    fromMs: day(1),
    toMs: day(11) - 1,
    interval: 'day',
    ...(windowDays === undefined ? {} : {windowMs: windowDays * dayMs}),
  } as ReportQuery;
  const manifest = {partition: 0, position: {generation: 1, sequence: 1}, asOfMs} as Manifest;
  const headers = headersOf(query, [manifest], '', {nextByMs: 0, retainedFromMs: day(1)});
  expect(headers['Report-Incomplete-From']).toBe(label);
  expect(headers).not.toHaveProperty('Report-Retained-From');
  const later = headersOf(query, [manifest], '', {nextByMs: 0, retainedFromMs: day(2)});
  expect(later['Report-Retained-From']).toBe(isoText(day(2)));
});
