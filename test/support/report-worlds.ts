// Random stories of a small service, told to real partitions in memory and to the slow model: what reports are compared over.

import fc from 'fast-check';
import {expect} from 'vitest';
import type {Interval} from '../../actors/calendar.js';
import {must} from '../../actors/invariant.js';
import type {Json} from '../../actors/log/json.js';
import {operators, takesNoValue} from '../../actors/report/rows/condition.js';
import {gatheredRowBytes} from '../../actors/report/rows/gathered-rows.js';
import type {ExportQuery} from '../../src/asks/exports.js';
import type {ReportQuery} from '../../src/asks/report.js';
import {pack, unpack} from '../../src/nats/packed.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {ChosenNumbers} from '../../src/report/derived/chosen-numbers.js';
import {HeldBuckets} from '../../src/report/derived/held-buckets.js';
import {PostingsIndex} from '../../src/report/derived/postings-index.js';
import {Evaluation} from '../../src/report/evaluate.js';
import type {PartitionSnapshot} from '../../src/report/published/newest-snapshots.js';
import {inRounds} from '../../src/report/questions/all.js';
import type {ExportedPage} from '../../src/report/questions/exported.js';
import type {Others} from '../../src/report/rounds.js';
import {formatTime, hourMs} from '../../tools/model/calendar.js';
import {type JsonObject, Model, receivedAt} from '../../tools/model/model.js';
import {derivedIn} from './derived.js';
import {runs} from './runs.js';
import {MemoryParts, type TestEvent, TestPartition} from './snapshot.js';

export type Step =
  | {readonly do: 'track'; readonly event: TestEvent}
  | {readonly do: 'cutChunk'}
  | {readonly do: 'cutRun'; readonly daysMax: number}
  | {readonly do: 'identify'; readonly user: string; readonly traits: JsonObject}
  | {readonly do: 'erase'; readonly user: string};

export const partitionCount = 2;
export const users = ['ada', 'bob', 'cyd', 'dan', 'eve'];
export const events = ['A', 'B', 'C', 'D'];
// A Thursday; months, weeks and days begin within the following weeks.
const epochMs = Date.UTC(2024, 1, 22);

/** Times cluster on the edges of hours and days, where inclusive and exclusive differ. */
export const someTime = fc
  .tuple(
    fc.oneof(
      fc.integer({min: 0, max: 60 * 24}),
      fc.integer({min: 0, max: 60}).map((day) => day * 24),
      fc.constantFrom(24, 25),
    ),
    fc.constantFrom(-1, 0, 0, 1, 17 * 60_000),
  )
  .map(([hour, ms]) => epochMs + hour * hourMs + ms);

export const someValue: fc.Arbitrary<Json> = fc.constantFrom<Json[]>(
  1,
  2.5,
  'x',
  '1',
  true,
  'true',
  null,
  {b: 1},
  {b: {c: 'x'}},
  [1],
  'y'.repeat(200),
  {b: 'z'.repeat(200)},
);
const someProperties = fc.dictionary(fc.constantFrom('a', 'b', 'a.b', 'a.b.c'), someValue, {maxKeys: 3});

const someStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 30,
    arbitrary: fc
      .record({
        user: fc.constantFrom(...users),
        event: fc.constantFrom(...events),
        timeMs: someTime,
        properties: someProperties,
      })
      .map((event) => ({do: 'track' as const, event})),
  },
  {weight: 3, arbitrary: fc.constant({do: 'cutChunk' as const})},
  {weight: 3, arbitrary: fc.constantFrom(1, 3, 100).map((daysMax) => ({do: 'cutRun' as const, daysMax}))},
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...users), someProperties)
      .map(([user, traits]) => ({do: 'identify' as const, user, traits})),
  },
  {weight: 1, arbitrary: fc.constantFrom(...users).map((user) => ({do: 'erase' as const, user}))},
);
export const someStory = fc.array(someStep, {minLength: 1, maxLength: 120, size: 'max'});
export const someRange = fc.tuple(someTime, someTime).map(([a, b]) => ({fromMs: Math.min(a, b), toMs: Math.max(a, b)}));

export const partitionOfUser = (user: string): number => users.indexOf(user) % partitionCount;

export interface World {
  readonly model: Model;
  /** A page of an export. */
  exported(query: ExportQuery): Promise<ExportedPage | undefined>;
  /** Sometimes also asks several processes for shares: the answer has the same bytes. */
  ask(query: ReportQuery, gatheredBytesMax?: number): Promise<unknown>;
  /** Asks until the columns of its properties are cached, and answers out of these: their parts are not. */
  askOfColumns(query: ReportQuery): Promise<unknown>;
  /** Asks until everything that is derived from parts is at hand, and answers out of that. */
  askAgain(query: ReportQuery): Promise<unknown>;
}

/** `asOfMs`: up to when the published snapshots include everything. */
export function tell(story: readonly Step[], asOfMs = 0): World {
  const parts = new MemoryParts();
  const partitions = Array.from({length: partitionCount}, () => new TestPartition(parts));
  const model = new Model();
  story.forEach((step, arrival) => void tellOne(step, arrival, partitions, model));
  const snapshots = partitions.map((partition, p) => partition.publish(asOfMs, p));
  // So small that parts are loaded again and again.
  const cache = new PartsCache(parts, 4_096);
  const roomy = new PartsCache(parts, 1 << 24);
  const derived = derivedIn(roomy);
  const held = {
    postings: new PostingsIndex(roomy, derived, partitionCount),
    numbers: new ChosenNumbers(derived, partitionCount),
    daySets: true,
    sets: new HeldBuckets(derived, partitionCount),
  };
  const ask = async (evaluation: Evaluation, query: ReportQuery): Promise<unknown> =>
    JSON.parse(await evaluation.answer(query, snapshots));
  const askOfShares = async (query: ReportQuery, gatheredBytesMax: number): Promise<string> => {
    const others = inShares(query, snapshots, () => new Evaluation(cache, gatheredBytesMax));
    return new Evaluation(cache, gatheredBytesMax).answer(query, snapshots, others);
  };
  return {
    model,
    exported: (query) => new Evaluation(cache, 1 << 20).exported(query, snapshots),
    ask: async (query, gatheredBytesMax = 1 << 20) => {
      const text = await new Evaluation(cache, gatheredBytesMax).answer(query, snapshots);
      // A third of the questions, as this takes as long again.
      const isAsked = query.report in inRounds && text.length % 3 === 0;
      if (isAsked) expect(await askOfShares(query, gatheredBytesMax)).toBe(text);
      return JSON.parse(text);
    },
    askOfColumns: async (query) => {
      const own = new PartsCache(parts, 1 << 24);
      await ask(new Evaluation(own, 1 << 20), query);
      return ask(new Evaluation(own, 1 << 20), query);
    },
    askAgain: async (query) => {
      for (let asks = 0; asks < 2; asks++) await ask(new Evaluation(roomy, 1 << 20, held), query);
      await held.postings.settled();
      return ask(new Evaluation(roomy, 1 << 20, held), query);
    },
  };
}

/** Each partition is the share of another process, and the last one's comes first. */
const inShares = (
  query: ReportQuery,
  snapshots: readonly PartitionSnapshot[],
  evaluation: () => Evaluation,
): Others => ({
  ownOf: () => [],
  ask: (_, step) =>
    snapshots.toReversed().map(async ({manifest: {partition}}) => {
      const asked = {query: unpack<ReportQuery>(pack(query)), step, partitions: [partition]};
      return {partials: [must(await evaluation().partial(asked, snapshots, 1 << 24), 'it is short')], own: []};
    }),
});

function tellOne(step: Step, arrival: number, partitions: readonly TestPartition[], model: Model): void {
  switch (step.do) {
    case 'track': {
      const {user, event, timeMs, properties} = step.event;
      partitions[partitionOfUser(user)]!.append(step.event);
      model.events.push({
        arrival,
        user: {kind: 'user', id: user},
        isJoined: false,
        name: event,
        userId: user,
        anonymousId: null,
        properties: properties as JsonObject,
        messageId: undefined,
        isSecret: false,
        timeMs,
        received: {earliestMs: timeMs, latestMs: timeMs},
      });
      return;
    }
    case 'cutChunk':
      for (const partition of partitions) partition.cutChunk();
      return;
    case 'cutRun':
      for (const partition of partitions) partition.cutRun(step.daysMax);
      return;
    case 'identify':
      partitions[partitionOfUser(step.user)]!.identify(step.user, step.traits);
      model.identify({userId: step.user, traits: step.traits}, receivedAt(epochMs));
      return;
    case 'erase':
      partitions[partitionOfUser(step.user)]!.erase(step.user);
      model.delete({kind: 'user', id: step.user});
  }
}

export const texts = ({fromMs, toMs}: {fromMs: number; toMs: number}) => ({
  from: formatTime(fromMs),
  to: formatTime(toMs),
});
export const someInterval = fc.constantFrom<Interval[]>('hour', 'day', 'week', 'month', 'quarter', 'year');
export const someProperty = fc.constantFrom('a', 'b', 'a.b', 'a.b.c', 'never');
const someText = fc.constantFrom('1', '2.5', 'x', 'true', '', 'y'.repeat(200), 'z'.repeat(200));
export const someCondition = fc
  .tuple(someProperty, fc.constantFrom(...operators), someText)
  .map(([property, op, text]) => {
    if (takesNoValue(op)) return {property, op, values: []};
    if (op === 'in' || op === 'nin') return {property, op, values: [text, '2.5']};
    return {property, op, values: [/^[gl]te?$/.test(op) ? '1' : text]};
  });
export const atMostOne = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> =>
  fc.array(arbitrary, {maxLength: 1});
export const someDeed = fc
  .tuple(someRange, fc.constantFrom(...events, undefined), atMostOne(someCondition), fc.boolean())
  .map(([range, event, where, isAbsent]) => ({...range, ...(event === undefined ? {} : {event}), where, isAbsent}));
const someRules = fc.record({where: atMostOne(someCondition), did: fc.array(someDeed, {maxLength: 2})});
const someFilter = fc
  .tuple(someRules, fc.option(someRules, {nil: undefined, freq: 2}))
  .map(([rules, except]) => ({...rules, ...(except && {except})}));
/** Mostly those of all users. */
export const someUsers = fc.oneof(
  {weight: 2, arbitrary: fc.constant({})},
  {weight: 1, arbitrary: fc.record({users: someFilter})},
);
const oneBreakdown = fc.record({
  by: fc.constantFrom('property' as const, 'trait' as const),
  name: someProperty,
  limit: fc.integer({min: 1, max: 4}),
});
export const someBreakdown = oneBreakdown.map((one) => [one]);
/** Up to three of different values. */
export const someBreakdowns = fc.uniqueArray(oneBreakdown, {
  minLength: 1,
  maxLength: 3,
  selector: ({by, name}) => `${by} ${name}`,
});
export const manyRuns = {numRuns: runs(150)};
/** Four rows at once: every story of more takes several passes. */
export const tinyBound = 4 * gatheredRowBytes;
