// Several report engines over the same published snapshots: each answer has the bytes of one engine alone.
import {describe, expect, test} from 'vitest';
import type {Manifest} from '../../actors/manifest.js';
import type {QueryOf, ReportQuery} from '../../src/asks/report.js';
import {createLogger} from '../../src/observe.js';
import {neverStops} from '../../src/pacing/stop.js';
import {ReportEngine} from '../../src/report/engine.js';
import type {ManifestSource} from '../../src/report/published/newest-snapshots.js';
import type {AskedShare} from '../../src/report/rounds.js';
import {type Peers, Shards} from '../../src/report/shards.js';
import {MemoryParts, TestPartition} from '../support/snapshot.js';

const hourMs = 3_600_000;
const partitionCount = 6;
const range = {fromMs: 0, toMs: 48 * hourMs - 1};
const byHour = {...range, interval: 'hour'} as const;
const byDay = {...range, interval: 'day'} as const;
const breakdown = [{by: 'property', name: 'plan', limit: 2}] as const;
/** A row for each combination of values. */
const several = [...breakdown, {by: 'trait', name: 'tier', limit: 2}, {by: 'property', name: 'n', limit: 3}] as const;
const users = {where: [{property: 'tier', op: 'eq', values: ['t1']}], did: []} as const;
const steps = [{event: 'A'}, {event: 'B'}];
const plans = ['free', 'free', 'pro', 'free', 7, 'pro', '\ud800', null, 'free', 'pro', 7];

const retention: QueryOf<'retention'> = {
  report: 'retention',
  start: {event: 'A'},
  return: {event: 'B'},
  periods: 2,
  cohort: 'first',
  criteria: 'on',
  frame: 'calendar',
  laterEnds: [72 * hourMs],
  ...byDay,
};

/** Every kind that has rounds, and each of their ways; then one that is made alone. */
const queries: readonly ReportQuery[] = [
  {report: 'counts', events: ['A'], ...byHour},
  {report: 'counts', events: ['A', 'B'], isList: true, where: [{property: 'n', op: 'gt', values: ['3']}], ...byHour},
  {report: 'counts', events: ['A'], breakdown, ...byHour},
  {report: 'counts', events: ['A'], breakdown: [{by: 'trait', name: 'tier', limit: 2}], users, ...byHour},
  {report: 'counts', events: ['A'], breakdown: several, ...byHour},
  {report: 'counts', events: ['A'], measure: 'users', breakdown: several, ...byDay},
  {report: 'counts', events: ['A'], measure: 'users', ...byDay},
  {report: 'counts', events: ['A'], measure: 'users', breakdown, ...byDay},
  ...(['sum', 'avg', 'min', 'max', 'p50', 'p99'] as const).map(
    (measure) => ({report: 'counts', events: ['A'], measure, property: 'n', breakdown, ...byDay}) as const,
  ),
  {report: 'active', metric: 'dau', ...byDay},
  {report: 'active', metric: 'wau', breakdown, ...byDay},
  {report: 'funnel', steps, ...range},
  {report: 'funnel', steps, where: [{property: 'n', op: 'lt', values: ['8']}], hasPercentiles: true, ...range},
  {report: 'funnel', steps, order: 'any', breakdown, interval: 'day', ...range},
  {report: 'funnel', steps, hold: 'plan', range: 'entry', windowMs: hourMs, ...range},
  retention,
  {...retention, breakdown},
  {report: 'lifecycle', beforeMs: -24 * hourMs, did: {event: 'A'}, ...byDay},
  {report: 'stickiness', isAtLeast: true, did: {event: 'A'}, ...byDay},
  {report: 'paths', event: 'A', direction: 'after', depth: 3, limit: 2, where: [], ...range},
  {report: 'names', limit: 10, ...range},
];

type Answer = Uint8Array | 'refused' | 'silent';

/** Engines that ask each other as processes do. */
class Deployment {
  readonly parts = new MemoryParts();
  readonly partitions = Array.from({length: partitionCount}, () => new TestPartition(this.parts));
  readonly manifests: Manifest[] = [];
  readonly asked: {readonly id: string; readonly partitions: readonly number[]}[] = [];
  /** What happens to a share on its way. */
  meanwhile: (id: string, answer: () => Promise<Answer>) => Promise<Answer> = (_, answer) => answer();
  private readonly engines = new Map<string, ReportEngine>();
  private revision = 0;

  constructor() {
    for (let i = 0; i < 900; i++) this.track(i);
    for (const [p, partition] of this.partitions.entries()) {
      partition.identify(`u${p}`, {tier: `t${p % 3}`});
      this.publish(p);
    }
  }

  track(i: number): void {
    const user = (i * 7) % 60;
    this.partitions[user % partitionCount]!.append({
      user: `u${user}`,
      event: ['A', 'B', 'C'][Math.floor(i / partitionCount) % 3]!, // Every partition has all of them.
      timeMs: ((i * 131) % 2_880) * 60_000,
      // Each value has a count of its own, and partitions meet them in orders of their own.
      properties: {plan: plans[i % plans.length] ?? null, n: i % 4 === 0 ? i / 8 : i % 11},
    });
  }

  publish(p: number): void {
    this.manifests[p] = this.partitions[p]!.publish(47 * hourMs, p).manifest;
    this.revision += 1;
  }

  engine(): ReportEngine {
    const source: ManifestSource = {
      lastRevision: async () => this.revision,
      newest: async (partition) => this.manifests[partition],
    };
    const options = {partitionCount, cacheBytesMax: 8 << 20, refresh: {ms: 5_000}};
    return new ReportEngine(source, this.parts, options, createLogger('silent', 'test'));
  }

  /** Engines under these ids, which all know each other. */
  start(ids: readonly string[]): readonly ReportEngine[] {
    for (const id of ids) this.engines.set(id, this.engine());
    for (const [me, engine] of this.engines) engine.join({me, all: ids, ask: (id, asked) => this.ask(id, asked)});
    return [...this.engines.values()];
  }

  private ask(id: string, asked: AskedShare): Promise<Answer> {
    this.asked.push({id, partitions: asked.partitions});
    const asker = {caller: 'k', gone: neverStops};
    return this.meanwhile(id, async () => (await this.engines.get(id)!.partial(asked, asker)) ?? 'refused');
  }
}

const reportOf = async (engine: ReportEngine, query: ReportQuery) => {
  const answer = await engine.answer({ask: 'report', query});
  if (answer.kind !== 'report') throw new Error(`no report: ${JSON.stringify(answer)}`);
  return {body: answer.body, tag: answer.headers.ETag, at: answer.headers['Report-Log-Position']};
};

describe('reports over several processes', () => {
  test.each(queries.map((query) => [JSON.stringify(query), query] as const))('%s', async (_, query) => {
    const world = new Deployment();
    const alone = await reportOf(world.engine(), query);
    for (const engine of world.start(['one', 'two', 'three'])) expect(await reportOf(engine, query)).toEqual(alone);
    expect(world.asked.length > 0).toBe(query.report !== 'names');
  });

  const query = queries[2]!;

  test.each([
    ['two', 'three'],
    ['three', 'two'],
  ])(
    'the shares of a process that falls silent are asked of the second choices, and count once: %s',
    async (lostId, otherId) => {
      const world = new Deployment();
      const alone = await reportOf(world.engine(), query);
      const [engine] = world.start(['one', 'two', 'three']);
      world.meanwhile = async (id, answer) => {
        if (id !== lostId) return answer();
        await answer();
        return 'silent';
      };
      expect(await reportOf(engine!, query)).toEqual(alone);
      const lost = world.asked.find(({id}) => id === lostId)!.partitions;
      const shards = new Shards({me: 'one', all: ['one', otherId], ask: async () => 'refused'});
      const own = shards.ownOf(world.manifests.map((manifest) => ({manifest})) as never);
      const again = lost.filter((partition) => !own.some(({manifest}) => manifest.partition === partition));
      expect(world.asked.slice(2)).toEqual(again.length > 0 ? [{id: otherId, partitions: again}] : []);
      const asked = world.asked.length;
      await reportOf(engine!, queries[0]!);
      expect(world.asked.slice(asked).map(({id}) => id)).toEqual([otherId]);
    },
  );

  test('without any other process that answers, one folds all partitions', async () => {
    const world = new Deployment();
    const alone = await reportOf(world.engine(), query);
    const [engine] = world.start(['one', 'two', 'three']);
    world.meanwhile = async (id) => (id === 'two' ? 'silent' : 'refused');
    expect(await reportOf(engine!, query)).toEqual(alone);
  });

  test('a publication on the way changes nothing: a process that has newer snapshots alone refuses', async () => {
    const world = new Deployment();
    const alone = await reportOf(world.engine(), query);
    const [engine] = world.start(['one', 'two', 'three']);
    const answers: Answer[] = [];
    world.meanwhile = async (_, answer) => {
      if (answers.length === 0) {
        for (let i = 900; i < 960; i++) world.track(i);
        for (let p = 0; p < partitionCount; p++) world.publish(p);
      }
      answers.push(await answer());
      return answers.at(-1)!;
    };
    expect(await reportOf(engine!, query)).toEqual(alone);
    expect(answers).toContain('refused');
    expect((await reportOf(engine!, query)).body).not.toBe(alone.body);
  });

  test('what is no share of these snapshots is refused', async () => {
    const world = new Deployment();
    const [engine] = world.start(['one', 'two']);
    const {at} = await reportOf(engine!, query);
    const asker = {caller: 'k', gone: neverStops};
    const indexes = world.manifests.map(({index}) => index.key);
    const share = {query, step: '{"series":0}', at, indexes, partitions: [0]};
    expect(await engine!.partial(share, asker)).toBeInstanceOf(Uint8Array);
    const others: AskedShare[] = [
      {...share, at: '0:0.1'},
      {...share, indexes: indexes.toReversed()},
      {...share, partitions: [partitionCount]},
      {...share, step: 'none'},
      {...share, query: {report: 'names', limit: 1, ...range}},
    ];
    for (const other of others) expect(await engine!.partial(other, asker)).toBeUndefined();
  });

  test('a part that was swept before its share was folded is no damage', async () => {
    const world = new Deployment();
    const [engine] = world.start(['one', 'two']);
    const {at} = await reportOf(engine!, {report: 'names', limit: 1, ...range});
    const indexes = world.manifests.map(({index}) => index.key);
    world.parts.sweepAll();
    const share = {query, step: '{"series":0}', at, indexes, partitions: [0, 1, 2, 3, 4, 5]};
    expect(await engine!.partial(share, {caller: 'k', gone: neverStops})).toBeUndefined();
    expect(await engine!.answer({ask: 'status'})).toHaveProperty('damagedParts', {});
  });

  test('one process asks nobody', async () => {
    const world = new Deployment();
    const [engine] = world.start(['one']);
    for (const each of queries) await reportOf(engine!, each);
    expect(world.asked).toEqual([]);
  });

  test('a partition is folded by one of the processes, and stays with it when others come', () => {
    const snapshots = Array.from({length: 64}, (_, partition) => ({manifest: {partition}})) as never;
    const ownOf = (me: string, all: readonly string[]) => {
      const peers: Peers = {me, all, ask: async () => 'refused'};
      return new Shards(peers).ownOf(snapshots).map(({manifest}) => manifest.partition);
    };
    const two = ['a', 'b'].map((id) => ownOf(id, ['a', 'b']));
    expect(two.flat().sort((a, b) => a - b)).toEqual(Array.from({length: 64}, (_, partition) => partition));
    const three = ['a', 'b', 'c'].map((id) => ownOf(id, ['a', 'b', 'c']));
    for (const i of [0, 1]) expect(two[i]).toEqual(expect.arrayContaining(three[i]!));
    expect(Math.min(...three.map(({length}) => length))).toBeGreaterThan(10);
  });
});
