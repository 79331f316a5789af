// Asks the service's reports and compares them with the right answers.

import {dayMs, eventMix, type WorkloadOptions} from './workload/events.js';
import {type Expected, funnelSteps} from './workload/expected.js';

export interface ReportQuestion {
  readonly name: string;
  /** Path and query. */
  readonly path: string;
  /** What is wrong with the answer; null: it counts every event exactly. */
  difference(body: unknown): string | null;
}

interface Bucket {
  readonly date: string;
  readonly count: number;
}

/** Every report over the whole workload: all names by day, users by month, the funnel. */
export function wholeReports(workload: WorkloadOptions, expected: Expected): ReportQuestion[] {
  const range = rangeOf(workload);
  return [
    ...eventMix.map(([event]) => eventsByDay(event, range, expected)),
    {
      name: 'users, mau by month',
      path: usersPath(range, 'mau', 'month'),
      difference: (body) => usersDifference(body as {data: Bucket[]; total: number}, expected),
    },
    {
      name: 'funnel',
      path: funnelPath(range),
      difference: (body) => {
        const counts = (body as {steps: {count: number}[]}).steps.map((step) => step.count);
        return differenceOf(counts, expected.funnelCounts);
      },
    },
  ];
}

/** One path of every kind, over a range. */
const kinds: readonly (readonly [name: string, path: (range: Range) => string])[] = [
  ['events by day', (range) => eventsPath('page_viewed', range, 'day')],
  ['events by hour, to the ms', (range) => eventsPath('page_viewed', toTheMs(range), 'hour')],
  ['events by day, filter plan=team', (range) => `${eventsPath('page_viewed', range, 'day')}&filter=plan%3Dteam`],
  ['users, dau by day', (range) => usersPath(range, 'dau', 'day')],
  ['users, mau by day (trailing)', (range) => usersPath(range, 'mau', 'day')],
  ['funnel of 3', funnelPath],
  ['funnel of 3, window 7d', (range) => `${funnelPath(range)}&window=7d`],
];

/** Reports for timing: every range is different, so that no answer is cached. */
export function variedReports(workload: WorkloadOptions, count: number): ReadonlyMap<string, readonly string[]> {
  const ranges = Array.from({length: count}, (_, shift) => rangeOf(workload, shift + 1));
  return new Map(kinds.map(([name, path]) => [name, ranges.map(path)]));
}

/** All kinds in turn, each time over another range: thousands of questions without a cached answer. */
export function* freshReports(workload: WorkloadOptions): Generator<string> {
  const half = workload.dayCount >> 1;
  for (let endShift = 0; endShift < half; endShift++) {
    for (let startShift = 0; startShift < half; startShift++) {
      for (const [, path] of kinds) yield path(rangeOf(workload, startShift, endShift));
    }
  }
}

interface Range {
  readonly from: string;
  readonly to: string;
}

function rangeOf({startMs, dayCount}: WorkloadOptions, startShiftDays = 0, endShiftDays = 0): Range {
  const label = (day: number): string => new Date(startMs + day * dayMs).toISOString().slice(0, 10);
  return {from: label(startShiftDays), to: label(dayCount - 1 - endShiftDays)};
}

/** Bounds inside an hour: the two boundary hours are read from rows. */
function toTheMs({from, to}: Range): Range {
  return {from: `${from}T00:20:00.123Z`, to: `${to}T22:40:00.456Z`};
}

function eventsPath(event: string, {from, to}: Range, interval: string): string {
  return `/v1/reports/events?event=${event}&from=${from}&to=${to}&interval=${interval}`;
}

function usersPath({from, to}: Range, metric: string, interval: string): string {
  return `/v1/reports/users?metric=${metric}&interval=${interval}&from=${from}&to=${to}`;
}

function funnelPath({from, to}: Range): string {
  return `/v1/reports/funnel?${funnelSteps.map((step) => `steps[]=${step}`).join('&')}&from=${from}&to=${to}`;
}

function eventsByDay(event: string, range: Range, expected: Expected): ReportQuestion {
  const days = expected.eventsByDay.get(event) ?? new Map<string, number>();
  return {
    name: `events by day, ${event}`,
    path: eventsPath(event, range, 'day'),
    difference: (body) => {
      const {data} = body as {data: Bucket[]};
      return differenceOf(
        data.map(({date, count}) => `${date} ${count}`),
        data.map(({date}) => `${date} ${days.get(date) ?? 0}`),
      );
    },
  };
}

function usersDifference({data, total}: {data: Bucket[]; total: number}, expected: Expected): string | null {
  const months = data.map(({date, count}) => `${date.slice(0, 7)} ${count}`);
  const right = [...expected.usersByMonth].sort().map(([month, users]) => `${month} ${users}`);
  return differenceOf([...months, total], [...right, expected.usersTotal]);
}

function differenceOf(got: readonly unknown[], right: readonly unknown[]): string | null {
  const at = right.findIndex((value, index) => value !== got[index]);
  if (at === -1 && got.length === right.length) return null;
  return `got ${String(got[at] ?? `${got.length} values`)} where ${String(right[at] ?? right.length)} is right`;
}
