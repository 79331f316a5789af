// Counts in buckets of any zone equal those of the rows, one by one: whole hours come from cells, and cut ones from rows.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Interval} from '../../../../actors/calendar.js';
import {hourMs} from '../../../../actors/limits.js';
import type {ReportQuery} from '../../../../src/asks/report.js';
import {localBuckets} from '../../../../src/edge/query/local-buckets.js';
import {PartsCache} from '../../../../src/parts/parts-cache.js';
import {ValueIndex} from '../../../../src/report/derived/value-index.js';
import {Evaluation} from '../../../../src/report/evaluate.js';
import {headersOf} from '../../../../src/report/published/freshness.js';
import {zoneOf} from '../../../../src/zone.js';
import {derivedIn} from '../../../support/derived.js';
import {runs} from '../../../support/runs.js';
import {MemoryParts, type TestEvent, TestPartition} from '../../../support/snapshot.js';

/** Zones, each with an instant at which something odd happens. */
const places = [
  ['Africa/Cairo', '2024-10-31T21:00Z'],
  ['Asia/Beirut', '2024-03-30T22:00Z'],
  ['America/Santiago', '2024-09-08T04:00Z'],
  ['America/St_Johns', '2010-11-07T02:31Z'],
  ['Pacific/Apia', '2011-12-30T10:00Z'],
  ['Australia/Lord_Howe', '2024-04-06T15:00Z'],
  ['Australia/Lord_Howe', '2024-10-05T15:30Z'],
  ['Asia/Kolkata', '2024-03-09T18:30Z'],
  ['Asia/Kathmandu', '2024-03-09T18:15Z'],
  ['America/New_York', '2024-11-03T06:00Z'],
  ['Europe/Berlin', '2024-10-27T01:00Z'],
  ['Africa/Monrovia', '1972-01-07T00:44:30Z'],
  ['-03:17', '2024-05-01T00:17Z'],
] as const;
const intervals: readonly Interval[] = ['hour', 'day', 'week', 'month'];
const plans = ['free', 'team'];

/** Times around an instant, many of them next to half and whole hours. */
const someTime = (aroundMs: number): fc.Arbitrary<number> =>
  fc
    .tuple(fc.integer({min: -40 * 4, max: 40 * 4}), fc.constantFrom(-1, 0, 0, 1, 7 * 60_000))
    .map(([quarters, ms]) => Math.floor(aroundMs / hourMs) * hourMs + (quarters * hourMs) / 4 + ms);

const someCase = fc.constantFrom(...places).chain(([name, around]) => {
  const time = someTime(Date.parse(around));
  return fc.record({
    name: fc.constant(name),
    events: fc.array(
      fc.record({
        user: fc.constantFrom('ada', 'bob'),
        event: fc.constantFrom('A', 'A', 'B'),
        timeMs: time,
        properties: fc.record({plan: fc.constantFrom(...plans)}),
      }),
      {minLength: 1, maxLength: 150, size: 'max'},
    ),
    bounds: fc.tuple(time, time).map(([a, b]) => ({fromMs: Math.min(a, b), toMs: Math.max(a, b)})),
    interval: fc.constantFrom(...intervals),
    cutEvery: fc.integer({min: 3, max: 60}),
  });
});

/** As the edge makes it. */
function queryOf(name: string, bounds: {fromMs: number; toMs: number}, interval: Interval) {
  const zone = zoneOf(name)!;
  const {edges, labels} = localBuckets({...bounds, interval}, zone, 'monday', 10_000)!;
  return {report: 'counts', events: ['A'], ...bounds, interval, zone: {name}, buckets: {edges, labels}} as const;
}

function expected({buckets, interval, zone, fromMs, toMs}: ReturnType<typeof queryOf>, events: readonly TestEvent[]) {
  const inRange = events.filter(({event, timeMs}) => event === 'A' && timeMs >= fromMs && timeMs <= toMs);
  const data = buckets.labels.map((date, bucket) => {
    const [start, end] = [buckets.edges[bucket]!, buckets.edges[bucket + 1]!];
    return {date, count: inRange.filter(({timeMs}) => timeMs >= start && timeMs < end).length};
  });
  return {event: 'A', interval, timezone: zone.name, data, total: inRange.length};
}

test('events of each local bucket, all of them and those with a property', async () => {
  const property = fc.asyncProperty(someCase, async ({name, events, bounds, interval, cutEvery}) => {
    const values = new MemoryParts();
    const partition = new TestPartition(values);
    events.forEach((event, at) => {
      partition.append(event);
      if (at % cutEvery === cutEvery - 1) partition.cutChunk();
      if (at % 40 === 39) partition.cutRun(3);
    });
    const snapshot = partition.publish();
    const parts = new PartsCache(values, 1 << 24);
    const derived = derivedIn(parts);
    const index = new ValueIndex(parts, derived, 1);
    const paths = {values: index};
    const ask = async (query: ReportQuery): Promise<{data: unknown; total: number}> =>
      JSON.parse(await new Evaluation(parts, 1 << 20, paths).answer(query, [snapshot]));
    const query = queryOf(name, bounds, interval);
    const all = await ask(query);
    expect(all).toEqual(expected(query, events));
    const {buckets, zone, ...inUtc} = query;
    expect((await ask(inUtc)).total).toBe(all.total);
    for (const value of [...plans, ...plans]) {
      const with_ = events.filter(({properties}) => properties.plan === value);
      // A second condition makes it a question for rows.
      const where = [
        {property: 'plan', op: 'eq', values: [value]},
        {property: 'never', op: 'unset', values: []},
      ] as const;
      expect(await ask({...query, where: where.slice(0, 1)})).toEqual(expected(query, with_));
      expect(await ask({...query, where})).toEqual(expected(query, with_));
      await index.settled();
    }
  });
  await fc.assert(property, {numRuns: runs(45)});
});

test('where a report is incomplete it says so in the zone', () => {
  const bounds = {fromMs: Date.parse('2026-10-24T22:00Z'), toMs: Date.parse('2026-10-25T22:59:59.999Z')};
  const headers = (asOf: string) =>
    headersOf(
      queryOf('Europe/Berlin', bounds, 'hour'),
      [{partition: 0, position: {generation: 1, sequence: 1}, asOfMs: Date.parse(asOf)} as never],
      '',
      {nextByMs: 1_000, retainedFromMs: 0},
    );
  expect(headers('2026-10-25T01:30Z')['Report-Incomplete-From']).toBe('2026-10-25T02:00:00+01:00');
  expect(headers('2026-10-25T23:00Z')).not.toHaveProperty('Report-Incomplete-From');
});

test('another version of the rules is another tag', () => {
  const query = queryOf('Europe/Berlin', {fromMs: 0, toMs: 1}, 'day');
  const manifest = {partition: 0, position: {generation: 1, sequence: 1}, asOfMs: 5} as never;
  const tag = (rules: string) =>
    headersOf({...query, zone: {name: 'Europe/Berlin', rules}}, [manifest], '', {nextByMs: 1_000, retainedFromMs: 0})
      .ETag;
  expect(tag('2025c')).not.toBe(tag('2026a'));
  expect(tag('2025c')).toBe(tag('2025c'));
});
