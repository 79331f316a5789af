// Live load: how rows become points, how answers and the stream are put together, and the words of alarms.
import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {alarmWords} from '../../dashboard/src/pages/live/alarms.js';
import {fillRate, pointsOf, summed} from '../../dashboard/src/pages/live/points.js';
import {joined} from '../../dashboard/src/service/load-rows.js';
import type {LoadRows} from '../../src/edge/dashboard/answers/load.js';

const startMs = Date.UTC(2026, 10, 20, 12);

function rowsOf(columns: LoadRows['columns'], skipped: readonly number[] = []): LoadRows {
  const [first] = Object.values(columns);
  const places = first.map((_, at) => at).filter((at) => !skipped.includes(at));
  return {
    at: places.map((at) => startMs + at * 1_000),
    columns: Object.fromEntries(
      Object.entries(columns).map(([name, values]) => [name, places.map((at) => values[at])]),
    ),
  };
}

test('of rates a point has the mean, of latencies the worst', () => {
  const values = Array.from({length: 300}, (_, at) => at % 2);
  const points = pointsOf(rowsOf({batch: values, ack_p99_ms: values}), 5);
  expect(points.times).toHaveLength(150);
  expect(new Set(points.of('batch'))).toEqual(new Set([0.5]));
  expect(new Set(points.of('ack_p99_ms'))).toEqual(new Set([1]));
});

test('what is not known is a gap, and so is a second that nobody looked at', () => {
  const {times, of} = pointsOf(rowsOf({batch: [1, null, 3, 4, 5]}, [3]), 1);
  expect(times).toHaveLength(5);
  expect(of('batch')).toEqual([1, null, 3, null, 5]);
  expect(of('nothing')).toEqual([null, null, null, null, null]);
  expect(summed(of('batch'), of('batch'))).toEqual([2, null, 6, null, 10]);
});

test('no row is no point', () => {
  expect(pointsOf({at: [], columns: {}}, 15).times).toEqual([]);
});

test('what is known is kept once, what is newer is joined, and what is older than 15 minutes goes', () => {
  const all = rowsOf({batch: Array.from({length: 900}, (_, at) => at)});
  const more = {at: [startMs + 899_000, startMs + 900_000], columns: {batch: [0, 900], 'refused.rate_limited': [0, 7]}};
  const rows = joined(all, more);
  expect(rows.at).toHaveLength(900);
  expect(rows.at[0]).toBe(startMs + 1_000);
  expect(rows.columns.batch.slice(-2)).toEqual([899, 900]);
  expect(rows.columns['refused.rate_limited'].slice(-2)).toEqual([0, 7]);
  expect(Object.values(rows.columns).map((column) => column.length)).toEqual([900, 900]);
  expect(joined(rows, more)).toBe(rows);
});

test('how fast the disk fills up is said after ten minutes', () => {
  const free = (seconds: number) =>
    rowsOf({disk_free_bytes: Array.from({length: seconds}, (_, at) => 1e9 - at * 1_000)});
  expect(fillRate(free(500))).toBeNull();
  expect(fillRate(free(700))).toBe(1_000);
});

test('alarms have the words of docs/operating.md', () => {
  const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  for (const [kind, {means, cure}] of Object.entries(alarmWords)) {
    expect(page).toContain(`| \`${kind}\` | ${means} | ${cure} |`);
  }
});
