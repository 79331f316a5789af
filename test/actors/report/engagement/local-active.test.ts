// Active users in buckets of any zone equal those of the events, one by one: every metric and interval, out of rows and out of
// what earlier answers left behind.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Interval} from '../../../../actors/calendar.js';
import {dayMs, hourMs} from '../../../../actors/limits.js';
import {type ActiveMetric, trailingDays} from '../../../../actors/report/engagement/active-plan.js';
import {gatheredRowBytes} from '../../../../actors/report/rows/gathered-rows.js';
import {activeBucketsOf} from '../../../../src/edge/query/asked-times.js';
import {PartsCache} from '../../../../src/parts/parts-cache.js';
import {HeldBuckets} from '../../../../src/report/derived/held-buckets.js';
import {Evaluation} from '../../../../src/report/evaluate.js';
import {zoneOf} from '../../../../src/zone.js';
import {derivedIn} from '../../../support/derived.js';
import {runs} from '../../../support/runs.js';
import {MemoryParts, type TestEvent, TestPartition} from '../../../support/snapshot.js';

/** Zones, each with an instant at which something odd happens. */
const places = [
  ['Africa/Cairo', '2024-10-31T21:00Z'],
  ['America/St_Johns', '2010-11-07T02:31Z'],
  ['Pacific/Apia', '2011-12-30T10:00Z'],
  ['Australia/Lord_Howe', '2024-04-06T15:00Z'],
  ['Asia/Kathmandu', '2024-03-09T18:15Z'],
  ['America/New_York', '2024-11-03T06:00Z'],
  // In winter its days are those of UTC, in summer not.
  ['Europe/London', '2024-10-27T01:00Z'],
  ['Africa/Abidjan', '2024-10-27T01:00Z'],
  ['UTC', '2024-03-01T00:00Z'],
] as const;
const metrics = ['dau', 'wau', 'mau'] as const;
const intervals = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
const users = ['ada', 'bob', 'cyd', 'dan'];

function queryOf(
  name: string,
  {fromMs, toMs}: {fromMs: number; toMs: number},
  metric: ActiveMetric,
  interval: Interval,
  weekStart: 'monday' | 'sunday',
) {
  const asked = {
    from: {timeMs: fromMs, is: 'an instant'},
    to: {timeMs: toMs, is: 'an instant'},
    interval,
    week_start: weekStart,
    timezone: zoneOf(name),
  } as const;
  const range = activeBucketsOf(asked, trailingDays(metric, interval), {reportZone: undefined});
  return {report: 'active', metric, ...range} as const;
}

const distinct = (events: readonly TestEvent[], fromMs: number, endMs: number): number =>
  new Set(events.filter(({timeMs}) => timeMs >= fromMs && timeMs < endMs).map(({user}) => user)).size;

/** Windows of days and weeks by going back from the day of the label, a date at a time. */
function expected(
  {metric, interval, fromMs, toMs, ...more}: ReturnType<typeof queryOf>,
  name: string,
  events: readonly TestEvent[],
  edges: readonly number[],
  labels: readonly string[],
) {
  const zone = zoneOf(name)!;
  const days = trailingDays(metric, interval);
  const startOf = (bucket: number): number => {
    if (days === undefined) return Math.max(edges[bucket]!, fromMs);
    if (interval === 'hour') return edges[bucket + 1]! - days * dayMs;
    const lastDay = Date.parse(labels[bucket]!) / dayMs + (interval === 'week' ? 6 : 0);
    return zone.dayStart(lastDay - days + 1);
  };
  const data = labels.map((date, bucket) => ({
    date,
    count: distinct(events, startOf(bucket), Math.min(edges[bucket + 1]!, toMs + 1)),
  }));
  return {metric, interval, timezone: more.zone?.name, data, total: distinct(events, fromMs, toMs + 1)};
}

const someTime = (aroundMs: number, hours: number): fc.Arbitrary<number> =>
  fc
    .tuple(fc.integer({min: -hours * 4, max: 40 * 4}), fc.constantFrom(-1, 0, 0, 1))
    .map(([quarters, ms]) => Math.floor(aroundMs / hourMs) * hourMs + (quarters * hourMs) / 4 + ms);

const someCase = fc.constantFrom(...places).chain(([name, around]) =>
  fc.record({
    name: fc.constant(name),
    events: fc.array(
      fc.record({
        user: fc.constantFrom(...users),
        event: fc.constant('A'),
        timeMs: fc.oneof(someTime(Date.parse(around), 40), someTime(Date.parse(around), 40 * 24)),
      }),
      {minLength: 1, maxLength: 60, size: 'max'},
    ),
    bounds: fc
      .tuple(someTime(Date.parse(around), 40), someTime(Date.parse(around), 40))
      .map(([a, b]) => ({fromMs: Math.min(a, b), toMs: Math.max(a, b)})),
    weekStart: fc.constantFrom('monday' as const, 'sunday' as const),
    cutEvery: fc.integer({min: 3, max: 60}),
    laterAt: fc.double({min: 0, max: 1, noNaN: true}),
  }),
);

test('distinct users of each local bucket, of trailing days, and of all', async () => {
  const property = fc.asyncProperty(someCase, async ({name, events, bounds, weekStart, cutEvery, laterAt}) => {
    const values = new MemoryParts();
    const partition = new TestPartition(values);
    const parts = new PartsCache(values, 1 << 24);
    const held = {daySets: true, sets: new HeldBuckets(derivedIn(parts), 1)};
    const append = (event: TestEvent, at: number): void => {
      partition.append(event);
      if (at % cutEvery === cutEvery - 1) partition.cutChunk();
      if (at % 40 === 39) partition.cutRun(3);
    };
    const before = Math.floor(laterAt * events.length);
    for (const known of [events.slice(0, before), events]) {
      events.slice(known === events ? before : 0, known.length).forEach(append);
      partition.cutChunk();
      const snapshot = partition.publish();
      const ask = async (query: ReturnType<typeof queryOf>, bytesMax = 1 << 20, paths = {}) =>
        JSON.parse(await new Evaluation(parts, bytesMax, paths).answer(query, [snapshot]));
      for (const metric of metrics) {
        for (const interval of intervals) {
          const query = queryOf(name, bounds, metric, interval, weekStart);
          const answer = await ask(query, 1 << 20, held);
          const labels = answer.data.map(({date}: {date: string}) => date);
          // Of UTC itself the question has no edges.
          const edges = query.buckets?.edges ?? utcEdges(labels, interval);
          expect(answer).toEqual(expected(query, name, known, edges, labels));
          expect(await ask(query)).toEqual(answer);
          expect(await ask(query, 4 * gatheredRowBytes)).toEqual(answer);
          expect(await ask(query, 4 * gatheredRowBytes, held)).toEqual(answer);
          expect(await ask(query, 1 << 20, held)).toEqual(answer);
          expect(await ask(queryOf('+00:00', bounds, metric, interval, weekStart))).toMatchObject({
            total: answer.total,
          });
        }
      }
    }
  });
  await fc.assert(property, {numRuns: runs(30)});
});

function utcEdges(labels: readonly string[], interval: Interval): number[] {
  const last = new Date(Date.parse(labels.at(-1)!));
  const months = {hour: 0, day: 0, week: 0, month: 1, quarter: 3, year: 12}[interval];
  const ms = {hour: hourMs, day: dayMs, week: 7 * dayMs, month: 0, quarter: 0, year: 0}[interval];
  const end = Date.UTC(last.getUTCFullYear(), last.getUTCMonth() + months, last.getUTCDate(), last.getUTCHours()) + ms;
  return [...labels.map((label) => Date.parse(label)), end];
}
