// Users who move between partitions while their snapshots are published at times of their own: every report over every set of
// snapshots counts each event once, and equals what the model says of the events of the set (actors/identity/moves.ts, J5).

import {describe, expect, test} from 'vitest';
import {wtf8} from '../../actors/bytes/bytes.js';
import {partitionOf} from '../../actors/bytes/hash.js';
import type {Interval} from '../../actors/calendar.js';
import {outdatedIn} from '../../actors/identity/snapshot-set.js';
import {type AcceptedEvent, writeEvent, writeLink} from '../../actors/log/entries.js';
import {type Manifest, wholeIndex} from '../../actors/manifest.js';
import {trailingDays} from '../../actors/report/engagement/active-plan.js';
import {gatheredRowBytes} from '../../actors/report/rows/gathered-rows.js';
import type {ActiveMetric} from '../../src/asks/active-users.js';
import type {ReportQuery} from '../../src/asks/report.js';
import {activeBucketsOf} from '../../src/edge/query/asked-times.js';
import {loadRowKernel} from '../../src/partition/row-kernel.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {readIndex} from '../../src/parts/stored-state.js';
import {ChosenNumbers} from '../../src/report/derived/chosen-numbers.js';
import {HeldBuckets} from '../../src/report/derived/held-buckets.js';
import {PostingsIndex} from '../../src/report/derived/postings-index.js';
import {Evaluation} from '../../src/report/evaluate.js';
import {originOf} from '../../src/report/published/freshness.js';
import {Disagreement, NewestSnapshots, type PartitionSnapshot} from '../../src/report/published/newest-snapshots.js';
import type {FastPaths} from '../../src/report/reading.js';
import {zoneOf} from '../../src/zone.js';
import {activeUsersOf} from '../../tools/model/active-users.js';
import {activityOf} from '../../tools/model/activity.js';
import {dayMs, formatTime, hourMs} from '../../tools/model/calendar.js';
import {eventCountsOf} from '../../tools/model/event-counts.js';
import {funnelOf} from '../../tools/model/funnel.js';
import {lifecycleOf, stickinessOf} from '../../tools/model/lifecycle.js';
import {measuredOf} from '../../tools/model/measured.js';
import {type JsonObject, Model, userKeyOf} from '../../tools/model/model.js';
import {namesOf} from '../../tools/model/names.js';
import {pathsOf} from '../../tools/model/paths.js';
import {retentionOf} from '../../tools/model/retention.js';
import {unitsOf, type WalkedFunnelQuery, walkedFunnelOf} from '../../tools/model/walked-funnel.js';
import {derivedIn} from '../support/derived.js';
import {linesOf} from '../support/lines.js';
import {KeptParts, MemoryShell} from '../support/memory-shell.js';

/** Devices live in `home`, and their users in all three. */
const [home, near, far] = [0, 1, 2] as const;
const partitions = [home, near, far];

/** The first id of these with a number behind it that lives in the partition. */
function idIn(partition: number, kind: 'a' | 'u', prefix: string): string {
  for (let i = 0; ; i++) {
    const key = wtf8(`${kind}${prefix}${i}`);
    if (partitionOf(key, 0, key.length, partitions.length) === partition) return `${prefix}${i}`;
  }
}

const ada = idIn(near, 'u', 'ada');
const bob = idIn(far, 'u', 'bob');
const cyd = idIn(home, 'u', 'cyd');
const devices = ['one', 'two', 'three', 'four', 'free'].map((prefix) => idIn(home, 'a', prefix));
const [one, two, three, four, free] = devices as [string, string, string, string, string];
const owners = new Map([
  [one, ada],
  [two, ada],
  [three, bob],
  [four, cyd],
]);

// A Monday in the middle of a week of months.
const startMs = Date.UTC(2024, 1, 28);
const dayCount = 5;
/** So long before that no report sees them: they close a chunk. */
const fillerMs = Date.UTC(2020, 0, 1);
const fillers = 8_200;

interface Told {
  readonly partition: number;
  /** How many were told before. */
  readonly place: number;
  readonly event: AcceptedEvent;
  /** An anonymous user who left and came again is two, as long as both are there. */
  readonly stay: number;
}

interface Published {
  readonly manifest: Manifest;
  /** How many events were told before. */
  readonly told: number;
}

class World {
  readonly parts = new KeptParts();
  private readonly shells = partitions.map(
    (partition) => new MemoryShell(loadRowKernel(), {partition, partitions: partitions.length}, this.parts),
  );
  readonly told: Told[] = [];
  /** By partition, in order. */
  readonly published: Published[][] = partitions.map(() => []);
  /** How often the device left, and with which move each time. */
  private readonly stays = new Map<string, {to: number; n: number}[]>();
  private drawn = 7;

  private draw(below: number): number {
    this.drawn = (Math.imul(this.drawn, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (this.drawn >>> 8) % below;
  }

  /** So many events of each of these, at times all over the days. */
  async tell(count: number, names: readonly string[], ...users: {userId?: string; anonymousId?: string}[]) {
    for (let i = 0; i < count; i++) {
      for (const user of users) {
        // No two at the same ms.
        const timeMs = startMs + this.draw(dayCount * 24 * 60) * 60_000 + this.told.length;
        const properties = {plan: this.draw(2) === 0 ? 'team' : 'free', n: this.draw(3)};
        await this.add({...user, event: names[this.draw(names.length)]!, timeMs, receivedMs: timeMs, properties});
      }
    }
  }

  private async add(event: AcceptedEvent): Promise<void> {
    const {userId, anonymousId} = event;
    const key = wtf8(userId === undefined ? `a${anonymousId}` : `u${userId}`);
    const partition = partitionOf(key, 0, key.length, partitions.length);
    const stay = userId === undefined ? (this.stays.get(anonymousId!)?.length ?? 0) : 0;
    this.told.push({partition, place: this.told.length, event, stay});
    await this.shells[partition]!.append((writer) => writeEvent(writer, event));
  }

  async fill(): Promise<void> {
    const event = {userId: cyd, event: 'filler', timeMs: fillerMs, receivedMs: fillerMs};
    for (let i = 0; i < fillers; i += 100) {
      const write = (writer: Parameters<typeof writeEvent>[0]): void => {
        for (let j = 0; j < 100; j++) writeEvent(writer, event);
      };
      await this.shells[home]!.append(write, undefined, 100);
    }
  }

  async link(device: string): Promise<void> {
    await this.shells[home]!.append((writer) => writeLink(writer, device, owners.get(device)!, startMs));
  }

  async publish(...of: readonly number[]): Promise<void> {
    for (const partition of of) {
      const manifest = await this.shells[partition]!.publish(startMs + this.told.length);
      this.published[partition]!.push({manifest, told: this.told.length});
    }
  }

  /** These devices leave. */
  async leave(...left: readonly string[]): Promise<void> {
    const shell = this.shells[home]!;
    expect(shell.partition.moves.candidates.size).toBe(left.length);
    await shell.leave();
    for (const device of left) {
      const key = wtf8(`u${owners.get(device)!}`);
      const to = partitionOf(key, 0, key.length, partitions.length);
      const {n} = shell.partition.moves.pending.findLast((move) => move.to === to)!;
      this.stays.set(device, [...(this.stays.get(device) ?? []), {to, n}]);
    }
  }

  /** The events of all pending moves to this partition reach its log. */
  async send(to: number): Promise<void> {
    for (const move of this.shells[home]!.partition.moves.pending)
      if (move.to === to) await this.shells[home]!.sendTo(this.shells[to]!, move);
  }

  /** The newest snapshot of this partition settles what it has. */
  settle(to: number): void {
    this.shells[home]!.settle(this.published[to]!.at(-1)!.manifest);
  }

  /** What the snapshots of a set say, each event once. */
  modelOf(set: readonly Published[]): Model {
    const model = new Model();
    for (const {partition, place, event, stay} of this.told) {
      if (place >= set[partition]!.told) continue;
      const {userId, anonymousId, timeMs} = event;
      const move = anonymousId === undefined ? undefined : this.stays.get(anonymousId)?.[stay];
      const hasArrived = move !== undefined && set[move.to]!.manifest.moves.received[home]! >= move.n;
      const owner = userId ?? (hasArrived ? owners.get(anonymousId!) : undefined);
      model.events.push({
        arrival: place,
        user: owner === undefined ? {kind: 'anonymous', id: `${anonymousId} ${stay}`} : {kind: 'user', id: owner},
        isJoined: hasArrived,
        name: event.event,
        userId: userId ?? null,
        anonymousId: anonymousId ?? null,
        properties: event.properties as JsonObject,
        messageId: undefined,
        isSecret: false,
        timeMs,
        received: {earliestMs: timeMs, latestMs: timeMs},
      });
    }
    return model;
  }
}

/**
 * Snapshots of `home`: 0 before the links, 1 linked, 2 their users left, 3 some came again, 4 the move to `near` is settled,
 * 5 who came again left, too, 6 the move to `far` is settled, 7 all are settled. Of `near`: 0 and 1 before the move arrived, 2 with it, 3 with
 * the second one. Of `far`: 0 before, 1 with its move.
 */
async function told(): Promise<World> {
  const world = new World();
  const names = ['view', 'open', 'buy'];
  const all = devices.map((anonymousId) => ({anonymousId}));
  await world.tell(4, names, ...all, {userId: ada}, {userId: bob}, {userId: cyd});
  await world.tell(3, ['rare'], {anonymousId: two});
  await world.fill();
  await world.tell(3, names, ...all);
  await world.publish(home, near, far);
  for (const device of owners.keys()) await world.link(device);
  await world.tell(1, names, {userId: ada, anonymousId: one}, {userId: bob, anonymousId: three});
  await world.publish(home, near);
  await world.tell(1, names, {anonymousId: one}, {anonymousId: free});
  await world.leave(...owners.keys());
  await world.publish(home);
  await world.send(near);
  await world.publish(near);
  await world.tell(2, names, {anonymousId: one}, {userId: ada});
  await world.send(home);
  await world.publish(home);
  world.settle(near);
  world.settle(home);
  await world.publish(home);
  await world.leave(one);
  await world.publish(home);
  await world.send(far);
  await world.publish(far);
  world.settle(far);
  await world.publish(home);
  await world.send(near);
  await world.tell(1, names, {userId: ada}, {anonymousId: free});
  await world.publish(near);
  world.settle(near);
  await world.publish(home);
  return world;
}

/** Which snapshots of `near` and of `far` go with each of `home`. */
const agreeing: readonly [near: readonly number[], far: readonly number[]][] = [
  [[0, 1], [0]],
  [[0, 1], [0]],
  [
    [0, 1, 2],
    [0, 1],
  ],
  [
    [0, 1, 2],
    [0, 1],
  ],
  [[2], [0, 1]],
  [
    [2, 3],
    [0, 1],
  ],
  [[2, 3], [1]],
  [[3], [1]],
];

type Numbers = readonly [home: number, near: number, far: number];

const everySet: readonly Numbers[] = agreeing.flatMap((_, h) =>
  [0, 1, 2, 3].flatMap((n) => [0, 1].map((f): Numbers => [h, n, f])),
);
const doAgree = ([h, n, f]: Numbers): boolean => agreeing[h]![0].includes(n) && agreeing[h]![1].includes(f);
const agreeingSets = everySet.filter(doAgree);

const world = await told();
const setOf = (numbers: Numbers): Published[] =>
  numbers.map((number, partition) => world.published[partition]![number]!);

/** `counts`: what each partition has published, where that is counted: only then a snapshot that stays is not read again. */
function newestOf(manifests: () => readonly Manifest[], cache: PartsCache, counts?: () => Numbers): NewestSnapshots {
  let revision = 0;
  const source = {
    publications: counts && {count: (partition: number) => counts()[partition]!, takeHanded: () => undefined},
    lastRevision: async () => (revision += 1),
    newest: async (partition: number) => manifests()[partition],
  };
  return new NewestSnapshots(source, cache, partitions.length);
}

const endMs = startMs + dayCount * dayMs - 1;
const wholeDays = {fromMs: startMs, toMs: endMs};
const cutHours = {fromMs: startMs + 7 * hourMs + 17 * 60_000, toMs: endMs - 5 * hourMs - 7 * 60_000};
const intervals = ['hour', 'day', 'week', 'month'] as const;

/** As the edge asks in a zone whose days and hours lie across those of UTC. */
function inKathmandu({fromMs, toMs}: typeof wholeDays, interval: Interval, metric?: ActiveMetric) {
  const asked = {
    from: {timeMs: fromMs, is: 'an instant'},
    to: {timeMs: toMs, is: 'an instant'},
    interval,
    week_start: 'monday',
    timezone: zoneOf('Asia/Kathmandu'),
  } as const;
  return activeBucketsOf(asked, metric && trailingDays(metric, interval), {reportZone: undefined});
}

const step = (event: string) => ({event, where: []});
const funnelRules = {
  steps: ['view', 'open', 'buy'].map(step),
  range: 'all',
  where: [],
  breakdownAt: 1,
  breakdown: [{by: 'property', name: 'plan', limit: 2}],
  interval: 'day',
} as const;
const strictly = {...funnelRules, order: 'strict', exclusions: []} as const;
const withoutRare = {
  ...funnelRules,
  order: 'sequential',
  exclusions: [{...step('rare'), afterStep: 0, beforeStep: 2}],
} as const;

const ofTeams = [{property: 'plan', op: 'eq', values: ['team']}] as const;
/** Postings of chosen events answer these. */
const ofChosen = {
  steps: [step('view'), {event: 'open', where: ofTeams}, step('view')],
  order: 'sequential',
  exclusions: [],
  range: 'all',
  where: [],
  breakdownAt: 1,
} as const;

const did = {did: {event: 'view', where: []}};

const returning = {
  start: {event: 'open', where: []},
  return: {where: []},
  criteria: 'on',
  frame: 'calendar',
  periods: 3,
} as const;

const questions: ReportQuery[] = [wholeDays, cutHours].flatMap((range): ReportQuery[] => [
  ...['view', 'rare'].flatMap((event) =>
    intervals.map((interval) => ({report: 'counts', events: [event], interval, ...range}) as const),
  ),
  ...(['plan', 'n'] as const).map(
    (property) =>
      ({
        report: 'counts',
        events: ['view'],
        interval: 'day',
        where: [{property, op: 'eq', values: [property === 'n' ? '1' : 'team']}],
        ...range,
      }) as const,
  ),
  ...(['dau', 'wau', 'mau'] as const).flatMap((metric) =>
    intervals.map((interval) => ({report: 'active', metric, interval, ...range}) as const),
  ),
  ...(['hour', 'day'] as const).flatMap((interval): ReportQuery[] => [
    {report: 'counts', events: ['view'], ...inKathmandu(range, interval)},
    {report: 'active', metric: 'wau', ...inKathmandu(range, interval, 'wau')},
  ]),
  {report: 'funnel', steps: [{event: 'view'}, {event: 'open'}, {event: 'buy'}], ...range},
  {report: 'funnel', steps: [{event: 'view'}, {event: 'buy'}], windowMs: 12 * hourMs, ...range},
  ...[strictly, {...funnelRules, order: 'any', exclusions: []} as const, withoutRare, ofChosen].map(
    (rules) => ({report: 'funnel', ...rules, histogram: 'decimal', ...range}) as const,
  ),
  ...([undefined, 'users', 'sum'] as const).map(
    (measure) =>
      ({
        report: 'counts',
        events: ['view'],
        interval: 'day',
        where: ofTeams,
        ...(measure === undefined ? {} : {measure}),
        ...(measure === 'sum' ? {property: 'n'} : {}),
        ...range,
      }) as const,
  ),
  {report: 'names', limit: 100, ...range},
  {report: 'active', metric: 'wau', interval: 'day', ...did, ...range},
  {report: 'lifecycle', interval: 'day', ...did, ...range, fromMs: startMs + dayMs, beforeMs: startMs},
  {report: 'stickiness', interval: 'day', isAtLeast: false, ...did, ...range},
  {report: 'stickiness', interval: 'day', isAtLeast: false, did: {}, ...range},
  ...(['first', 'recurring'] as const).map(
    (cohort) =>
      ({
        report: 'retention',
        interval: 'day',
        ...returning,
        cohort,
        ...range,
        laterEnds: [1, 2].map((day) => endMs + 1 + day * dayMs),
      }) as const,
  ),
  ...(['after', 'before'] as const).map(
    (direction) => ({report: 'paths', event: 'open', direction, depth: 4, limit: 3, where: [], ...range}) as const,
  ),
]);

function expectedOf(model: Model, query: ReportQuery): unknown {
  if (!('fromMs' in query)) return undefined;
  const texts = {from: formatTime(query.fromMs), to: formatTime(query.toMs)};
  const timezone = 'zone' in query && query.zone !== undefined ? {timezone: query.zone.name} : {};
  switch (query.report) {
    case 'counts': {
      const {interval, measure, where: [condition] = []} = query;
      const event = query.events![0]!;
      if (measure !== undefined) return measuredOf(model, {...query, where: ofTeams, ...texts, event});
      const text = condition === undefined ? {} : {filter: `${condition.property}=${condition.values[0]}`};
      return eventCountsOf(model, {event, interval, ...texts, ...text, ...timezone});
    }
    case 'active':
      return query.did === undefined
        ? activeUsersOf(model, {interval: query.interval, metric: query.metric, ...texts, ...timezone})
        : activityOf(model, {...query, ...did, ...texts});
    case 'funnel': {
      if (query.order !== undefined) return walkedFunnelOf(model, modelFunnel(query as unknown as WalkedFunnel));
      const window = query.windowMs === undefined ? {} : {window: `${query.windowMs / hourMs}h`};
      return funnelOf(model, {steps: query.steps.map(({event}) => event), ...texts, ...window});
    }
    case 'names':
      return namesOf(model, query);
    case 'lifecycle':
      return lifecycleOf(model, {...query, ...did, ...texts});
    case 'stickiness':
      return stickinessOf(model, {...query, did: {where: [], ...query.did}, ...texts}, query.isAtLeast);
    case 'retention':
      // No bucket has ended when the snapshots are published.
      return retentionOf(model, {...query, ...returning, ...texts}, startMs);
    case 'paths':
      return pathsOf(model, {...query, ...texts});
  }
}

/** A funnel with all of its rules. */
type WalkedFunnel = Omit<WalkedFunnelQuery, 'from' | 'to' | 'asOfMs' | 'histogram' | 'exclusions'> & {
  readonly fromMs: number;
  readonly toMs: number;
  readonly exclusions: readonly (WalkedFunnelQuery['steps'][number] & {
    readonly afterStep: number;
    readonly beforeStep: number;
  })[];
};

/** Who is asked for in the words of the model. */
function modelFunnel({exclusions, fromMs, toMs, ...rules}: WalkedFunnel) {
  return {
    ...rules,
    from: formatTime(fromMs),
    to: formatTime(toMs),
    exclusions: exclusions.map(({event, where, afterStep, beforeStep}) => ({
      event,
      where,
      i: afterStep + 1,
      j: beforeStep + 1,
    })),
    histogram: 'decimal' as const,
    asOfMs: 0,
  };
}

/** What the model says, by set. */
const expected = new Map<string, readonly unknown[]>();

function expectedIn(numbers: Numbers): readonly unknown[] {
  const known = expected.get(`${numbers}`);
  if (known !== undefined) return known;
  const model = world.modelOf(setOf(numbers));
  const answers = questions.map((query) => expectedOf(model, query));
  expected.set(`${numbers}`, answers);
  return answers;
}

async function expectAnswers(
  snapshots: readonly PartitionSnapshot[],
  numbers: Numbers,
  evaluations: readonly Evaluation[],
): Promise<void> {
  const answers = expectedIn(numbers);
  for (const [i, query] of questions.entries()) {
    // Four rows at once are fewer numbers than a sum holds.
    const able = query.report === 'counts' && query.measure === 'sum' ? evaluations.slice(0, 1) : evaluations;
    for (const evaluation of able)
      expect(JSON.parse(await evaluation.answer(query, snapshots)), JSON.stringify(query)).toEqual(answers[i]);
  }
}

async function snapshotsOf(newest: NewestSnapshots): Promise<readonly PartitionSnapshot[]> {
  return (await newest.read()).map((snapshot) => snapshot!);
}

describe('every set of snapshots that agree', () => {
  test.each(agreeingSets)(
    'home %i, near %i, far %i: all reports count each event once',
    async (...numbers) => {
      const set = setOf(numbers);
      const cache = new PartsCache(world.parts, 1 << 24);
      const snapshots = await snapshotsOf(newestOf(() => set.map(({manifest}) => manifest), cache));
      const small = new PartsCache(world.parts, 4_096);
      // Four rows at once: several passes.
      const evaluations = [new Evaluation(small, 1 << 20), new Evaluation(small, 4 * gatheredRowBytes)];
      await expectAnswers(snapshots, numbers, evaluations);
      const {breakdown: _, breakdownAt: __, interval: ___, ...rules} = withoutRare;
      const point = {step: 1, outcome: 'reached'} as const;
      const who = {report: 'funnel-users', point, limit: 1_000, list: ''} as const;
      const answer = JSON.parse(await evaluations[0]!.answer({...who, ...rules, ...wholeDays}, snapshots));
      const units = unitsOf(world.modelOf(set), modelFunnel({...withoutRare, ...wholeDays}));
      const listed = answer.data.map(({kind, id}: {kind: 'user' | 'anonymous'; id: string}) => userKeyOf({kind, id}));
      // The model's devices are named with their partition.
      const entered = units.map(({path: [entry]}) => userKeyOf(entry!.user).replace(/^(anonymous:.*) \d$/, '$1'));
      expect(listed.sort()).toEqual(entered.sort());
      const active = {report: 'active', metric: 'dau', interval: 'day', ...wholeDays} as const;
      const behind = {query: active, point: {}};
      const people = {report: 'user_list', limit: 1_000, behind} as const;
      const {data, total} = JSON.parse(await evaluations[0]!.answer(people, snapshots));
      const {total: counted} = JSON.parse(await evaluations[0]!.answer(active, snapshots));
      expect([data.length, total]).toEqual([counted, counted]);
    },
    240_000,
  );

  test.each([1, 2])(
    'one after the other, with all that reports derive from parts (%i)',
    async (seed) => {
      const cache = new PartsCache(world.parts, 1 << 26);
      const derived = derivedIn(cache);
      const postings = new PostingsIndex(cache, derived, partitions.length);
      const paths: FastPaths = {
        postings,
        numbers: new ChosenNumbers(derived, partitions.length),
        daySets: true,
        sets: new HeldBuckets(derived, partitions.length),
      };
      let numbers: Numbers | undefined = [0, 0, 0];
      const manifests = (): Manifest[] => setOf(numbers!).map(({manifest}) => manifest);
      const newest = newestOf(manifests, cache, () => numbers!);
      const evaluation = new Evaluation(cache, 1 << 20, paths);
      for (; numbers !== undefined; numbers = following(numbers, seed)) {
        const snapshots = await snapshotsOf(newest);
        for (let asks = 0; asks < 3; asks++) {
          await expectAnswers(snapshots, numbers, [evaluation]);
          await postings.settled();
        }
      }
    },
    60_000,
  );

  test.each([1, 2])(
    'an export with each page of a later set has what its first set has, each event once (%i)',
    async (seed) => {
      const cache = new PartsCache(world.parts, 1 << 26);
      let numbers: Numbers = [0, 0, 0];
      const newest = newestOf(
        () => setOf(numbers).map(({manifest}) => manifest),
        cache,
        () => numbers,
      );
      const evaluation = new Evaluation(cache, 1 << 20);
      const asked = {fromMs: startMs, toMs: startMs + dayCount * dayMs, where: []};
      const idsOf = (lines: Uint8Array): string[] =>
        linesOf(lines).map((text) => (JSON.parse(text) as {id: string}).id);
      const whole = await evaluation.exported({...asked, bytesMax: 1 << 24}, await snapshotsOf(newest));
      expect(whole!.next).toBeUndefined();
      const expected = idsOf(whole!.lines);
      expect(expected.length).toBeGreaterThan(30);
      const paged: string[] = [];
      let page = await evaluation.exported({...asked, bytesMax: 512}, await snapshotsOf(newest));
      for (;;) {
        paged.push(...idsOf(page!.lines));
        if (page!.next === undefined) break;
        numbers = following(numbers, seed) ?? numbers;
        const start = page!.next;
        page = await evaluation.exported({...asked, start, bytesMax: 512}, await snapshotsOf(newest));
      }
      expect(paged).toEqual(expected);
      // A line of before resumes, also where its event has moved since.
      const moved = idsOf(whole!.lines).find((id) => id.startsWith(`${home}-`))!;
      const [partition, ordinal] = moved.split('-').map(Number) as [number, number];
      const afterId = {partition, ordinal};
      const resumed = await evaluation.exported({...asked, afterId, bytesMax: 1 << 24}, await snapshotsOf(newest));
      const since = idsOf(resumed!.lines).filter((id) => expected.includes(id));
      expect(since).toEqual(expected.slice(expected.indexOf(moved) + 1));
    },
    60_000,
  );

  test('equal questions have tags of their own for sets that leave other users out', () => {
    const origins = agreeingSets.map((numbers) =>
      originOf(
        questions[0]!,
        setOf(numbers).map(({manifest}) => manifest),
      ),
    );
    expect(new Set(origins).size).toBe(agreeingSets.length);
  });
});

/** A set in which no partition is older, and one or some are newer. */
function following(from: Numbers, seed: number): Numbers | undefined {
  const newer = agreeingSets.filter(
    (numbers) =>
      numbers !== from &&
      numbers.every((number, partition) => number >= from[partition]!) &&
      `${numbers}` !== `${from}`,
  );
  const steps = (numbers: Numbers): number => numbers.reduce<number>((sum, number) => sum + number, 0);
  newer.sort((a, b) => steps(a) - steps(b));
  const nearest = newer.filter((numbers) => steps(numbers) === steps(newer[0]!));
  return nearest.length === 0 ? undefined : nearest[(seed * 7 + steps(from)) % nearest.length];
}

describe('every other set', () => {
  async function outdated(numbers: Numbers): Promise<number[]> {
    const cache = new PartsCache(world.parts, 1 << 24);
    const snapshots = setOf(numbers).map(async ({manifest}) => {
      const stored = readIndex(await cache.load(manifest.index), manifest.index);
      return {manifest, index: wholeIndex(stored, [])};
    });
    return outdatedIn(await Promise.all(snapshots));
  }

  test('is known, and which of its snapshots are too old', async () => {
    for (const numbers of everySet) expect((await outdated(numbers)).length === 0, `${numbers}`).toBe(doAgree(numbers));
    expect(await outdated([1, 2, 0]), 'the move arrived, and did not leave').toEqual([home]);
    expect(await outdated([4, 1, 0]), 'the move is settled, and did not arrive').toEqual([near]);
    expect(await outdated([6, 1, 0])).toEqual([near, far]);
  });

  test('is read again until its snapshots agree', async () => {
    let reads = 0;
    const [old, whole] = [setOf([1, 2, 1]), setOf([2, 2, 1])].map((set) => set.map(({manifest}) => manifest));
    const newest = newestOf(() => ((reads += 1) > 6 ? whole! : old!), new PartsCache(world.parts, 1 << 24));
    const snapshots = await snapshotsOf(newest);
    expect(snapshots.map(({manifest}) => manifest)).toEqual(whole);
    expect(reads).toBeLessThan(10);
  });

  test('is refused where they go on to disagree', async () => {
    const manifests = setOf([1, 2, 0]).map(({manifest}) => manifest);
    await expect(newestOf(() => manifests, new PartsCache(world.parts, 1 << 24)).read()).rejects.toThrow(Disagreement);
  });
});
