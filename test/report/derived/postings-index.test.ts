import {describe, expect, test} from 'vitest';
import {NumberLists} from '../../../actors/report/funnel/median.js';
import type {Condition} from '../../../actors/report/rows/condition.js';
import type {ReportQuery} from '../../../src/asks/report.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import type {DerivedIndexes} from '../../../src/report/derived/derived-indexes.js';
import {type PostedEvents, PostingsIndex} from '../../../src/report/derived/postings-index.js';
import {Evaluation} from '../../../src/report/evaluate.js';
import type {PartitionSnapshot} from '../../../src/report/published/newest-snapshots.js';
import {derivedIn} from '../../support/derived.js';
import {MemoryParts, TestPartition} from '../../support/snapshot.js';

const stepsOf = (names: string) => [...names].map((event) => ({event}));
type FunnelQuery = Extract<ReportQuery, {report: 'funnel'}>;
const query: FunnelQuery = {report: 'funnel', steps: stepsOf('ABA'), fromMs: 0, toMs: 1_000_000};
const mib = 1 << 20;

class World {
  readonly values = new MemoryParts();
  readonly parts: PartsCache;
  readonly derived: DerivedIndexes;
  readonly index: PostingsIndex;
  readonly partition = new TestPartition(this.values);
  private readonly lists = new NumberLists(mib);
  /** Of the questions. */
  clockMs = 0;
  private timeMs = 0;
  private drawn = 1;

  private readonly events: string;

  /** `events`: their names, a letter each. */
  constructor(bytesMax = 64 * mib, events = 'ABX', whenIdle = async (): Promise<void> => undefined) {
    this.events = events;
    this.parts = new PartsCache(this.values, bytesMax);
    this.derived = derivedIn(this.parts, {clockMs: () => this.clockMs, whenIdle});
    this.index = new PostingsIndex(this.parts, this.derived, 1);
  }

  /** Events of 500 users, in chunks of 10,000. */
  grow(events: number): this {
    for (let i = 1; i <= events; i++) {
      this.drawn = Math.imul(this.drawn, 48_271) >>> 1;
      const event = this.events[(this.drawn >>> 4) % this.events.length]!;
      this.partition.append({user: `u${(this.drawn >>> 8) % 500}`, event, timeMs: (this.timeMs += this.drawn % 3)});
      if (i % 10_000 === 0) this.partition.cutChunk();
    }
    return this;
  }

  /** The time of the newest event. */
  get nowMs(): number {
    return this.timeMs;
  }

  scanned(snapshot: PartitionSnapshot, asked: FunnelQuery = query): Promise<string> {
    return new Evaluation(new PartsCache(this.values, 64 * mib), 16 * mib).answer(asked, [snapshot]);
  }

  /** The answer, and the number of segments that gave it; undefined: rows did. */
  async asked(
    snapshot: PartitionSnapshot,
    question: FunnelQuery = query,
  ): Promise<{body: string; segments: number | undefined}> {
    let posted: PostedEvents | undefined;
    const spy = {
      eventsOf: async (...asked: Parameters<PostingsIndex['eventsOf']>) => {
        posted = await this.index.eventsOf(...asked);
        return posted;
      },
    };
    const postings = spy as unknown as PostingsIndex;
    const evaluation = new Evaluation(this.parts, 16 * mib, {postings, lists: this.lists});
    return {body: await evaluation.answer(question, [snapshot]), segments: posted?.segments.length};
  }

  /** Holds the answer against the scan's. @returns whether postings gave it */
  async ask(snapshot: PartitionSnapshot, question: FunnelQuery = query): Promise<boolean> {
    const {body, segments} = await this.asked(snapshot, question);
    expect(body).toBe(await this.scanned(snapshot, question));
    return segments !== undefined;
  }

  /** Asks twice, and waits for what that builds. */
  async askTwice(snapshot: PartitionSnapshot, question: FunnelQuery = query): Promise<void> {
    for (let asks = 0; asks < 2; asks++) await this.ask(snapshot, question);
    await this.index.settled();
  }

  /** Whether postings answer what was asked twice. */
  async built(snapshot: PartitionSnapshot, question: FunnelQuery = query): Promise<boolean> {
    await this.askTwice(snapshot, question);
    return this.ask(snapshot, question);
  }
}

describe('postings for funnels', () => {
  test('are built behind the second answer, and answer later ones without reading', async () => {
    const world = new World().grow(80_000);
    const snapshot = world.partition.publish();
    expect(await world.ask(snapshot)).toBe(false);
    await world.index.settled();
    expect(world.index.bytesHeld).toBe(0);
    expect(await world.ask(snapshot)).toBe(false);
    await world.index.settled();
    expect(world.index.bytesHeld).toBeGreaterThan(50_000 * 8);
    for (const more of [{}, {windowMs: 40}, {toMs: Math.floor(world.nowMs / 2)}, {steps: stepsOf('BA')}]) {
      const question = {...query, ...more};
      world.values.reads = 0;
      expect(await world.asked(snapshot, {...question, fromMs: 1})).toMatchObject({segments: 1});
      expect(world.values.reads).toBe(0);
      expect(await world.ask(snapshot, question)).toBe(true);
    }
  });

  test('name the users of a saved funnel, as the scan does', async () => {
    const world = new World();
    for (const funnel of [{steps: ['A', 'B', 'A']}, {steps: ['B', 'X'], windowMs: 40}, {steps: ['A', 'never']}]) {
      const snapshot = world.grow(50_000).partition.publish();
      const path = {...funnel, steps: funnel.steps.map((event) => ({event}))};
      const scanned = await new Evaluation(world.parts, 16 * mib).converted(path, snapshot, 1);
      const posted = new Evaluation(world.parts, 16 * mib, {postings: world.index});
      for (let asks = 0; asks < 3; asks++) {
        world.values.reads = 0;
        expect(await posted.converted(path, snapshot, 1)).toEqual(scanned);
        await world.index.settled();
      }
      expect(world.values.reads).toBe(0);
      expect(scanned.count > 0).toBe(!funnel.steps.includes('never'));
    }
  });

  test('follow every snapshot: few new rows are built on the way of the answer, and segments stay few', async () => {
    const world = new World().grow(80_000);
    await world.askTwice(world.partition.publish());
    for (let round = 0; round < 20; round++) {
      expect(await world.ask(world.grow(5_000).partition.publish())).toBe(true);
      await world.index.settled();
      expect((await world.asked(world.partition.publish())).segments).toBeLessThan(6);
    }
  });

  test('answer about stretches that they hold all of, however much came behind them', async () => {
    const world = new World().grow(70_000);
    await world.askTwice(world.partition.publish());
    const earlier = {...query, toMs: world.nowMs};
    const newer = world.grow(100_000).partition.publish();
    world.values.reads = 0;
    expect((await world.asked(newer, earlier)).segments).toBe(1);
    await world.index.settled();
    expect(world.values.reads).toBe(0); // Nobody asked about what came behind them.
    expect(await world.ask(newer, earlier)).toBe(true);
    expect(await world.ask(newer, {...query, toMs: world.nowMs})).toBe(false);
    await world.index.settled();
    expect(await world.ask(newer, {...query, toMs: world.nowMs})).toBe(true);
  });

  test('are built while no report is at work, and slowly while one always is', async () => {
    let slices = 0;
    let goOn = (): void => {};
    const whenIdle = (): Promise<void> => {
      slices += 1;
      return new Promise((resolve) => {
        goOn = resolve;
      });
    };
    const world = new World(64 * mib, 'ABX', whenIdle).grow(150_000);
    const snapshot = world.partition.publish();
    for (let asks = 0; asks < 2; asks++) await world.asked(snapshot);
    await expect.poll(() => slices, {timeout: 60_000}).toBe(1);
    expect(await world.ask(snapshot)).toBe(false);
    const built = world.index.settled().then(() => true);
    while (!(await Promise.race([built, new Promise((resolve) => setImmediate(resolve, false))]))) goOn();
    expect((await world.asked(snapshot)).segments).toBe(1);
  });

  test('never answer for rows of another snapshot: not for an older one, not after an erasure', async () => {
    const world = new World().grow(70_000);
    const older = world.partition.publish();
    await world.askTwice(older);
    const newer = world.grow(70_000).partition.publish();
    expect(await world.ask(newer)).toBe(false);
    await world.index.settled();
    expect(await world.ask(newer)).toBe(true);
    await world.ask(older);
    await world.index.settled();
    const erased = world.partition.erase('u7').publish();
    await world.ask(erased);
    await world.index.settled();
    expect(await world.ask(erased)).toBe(true);
    expect(await world.scanned(erased)).not.toBe(await world.scanned(newer));
  });

  test('that grow where only one copy fits are built after the old ones are gone', async () => {
    const world = new World(6 * mib).grow(80_000);
    await world.askTwice(world.partition.publish());
    const larger = world.grow(80_000).partition.publish();
    expect(await world.ask(larger)).toBe(false);
    await world.index.settled();
    expect(await world.ask(larger)).toBe(true);
    expect(world.index.bytesHeld).toBeLessThanOrEqual(world.derived.builtBytesMax);
  });

  test('of parts that are missing are not half built', async () => {
    const world = new World().grow(80_000);
    const snapshot = world.partition.publish();
    const {rows} = snapshot.index.chunks[3]!;
    await world.asked(snapshot);
    world.parts.forget(rows);
    world.values.sweep(rows);
    await expect(world.asked(snapshot)).rejects.toThrow();
    await world.index.settled();
    expect(world.index.bytesHeld).toBe(0);
    await expect(world.asked(snapshot)).rejects.toThrow();
  });

  test('do not exist where one user has too many events in one ms, which is not tried again soon', async () => {
    const world = new World().grow(10_000);
    for (let i = 0; i < 3_000; i++) world.partition.append({user: 'u1', event: 'A', timeMs: 5});
    const snapshot = world.partition.publish();
    expect(await world.built(snapshot)).toBe(false);
    world.values.reads = 0;
    world.parts.memory.lend(world.parts.memory.bytesMax);
    await world.asked(snapshot);
    const ofScan = world.values.reads;
    await world.index.settled();
    expect(world.values.reads).toBe(ofScan);
  });
});

describe('postings of several questions', () => {
  const letters = 'ABCDEFGHIJKLMNOPQRST';
  const funnel = (steps: string, more: Partial<FunnelQuery> = {}): FunnelQuery => ({
    ...query,
    steps: stepsOf(steps),
    ...more,
  });
  /** Postings of all events would take 2 MiB of 0.9; those of three of twenty names take 0.4. */
  const grown = () => new World(1.6 * mib, letters).grow(250_000);

  test('answer any question about events that they have', async () => {
    const world = grown();
    const snapshot = world.partition.publish();
    expect(await world.built(snapshot, funnel('ABC'))).toBe(true);
    expect(world.index.bytesHeld).toBeLessThanOrEqual(world.derived.builtBytesMax);
    for (const question of [
      funnel('CBA'),
      funnel('AA', {windowMs: 50}),
      funnel('BC', {fromMs: 1_000, toMs: Math.floor(world.nowMs / 2)}),
    ]) {
      world.values.reads = 0;
      expect(await world.asked(snapshot, question)).toMatchObject({segments: 1});
      expect(world.values.reads).toBe(0);
      expect(await world.ask(snapshot, question)).toBe(true);
    }
    expect(await world.ask(snapshot, funnel('AD'))).toBe(false);
  });

  test('have an event once, though several questions ask about it', async () => {
    const world = new World(64 * mib, letters).grow(50_000);
    const snapshot = world.partition.publish();
    await world.askTwice(snapshot, funnel('AB'));
    const ofTwo = world.index.bytesHeld;
    await world.askTwice(snapshot, funnel('BC'));
    const ofThree = world.index.bytesHeld;
    expect(ofThree).toBeLessThan(ofTwo * 1.6);
    // A question that shares no event with others has postings of its own.
    await world.askTwice(snapshot, funnel('DE'));
    expect(world.index.bytesHeld).toBeLessThan(ofThree + ofTwo * 1.1);
    expect(await world.ask(snapshot, funnel('ABC'))).toBe(true);
    expect(await world.ask(snapshot, funnel('CD'))).toBe(false);
    // Events that nobody asked for lately are left behind.
    world.clockMs = 20 * 60_000;
    await world.ask(snapshot, funnel('AC'));
    world.clockMs = 40 * 60_000;
    await world.askTwice(snapshot, funnel('CD'));
    expect(await world.ask(snapshot, funnel('ACD'))).toBe(true);
    expect(await world.ask(snapshot, funnel('B'))).toBe(false);
  });

  test('stay where those of others do not fit beside them, unless they are idle', async () => {
    const world = grown();
    const snapshot = world.partition.publish();
    expect(await world.built(snapshot, funnel('AB'))).toBe(true);
    expect(await world.built(snapshot, funnel('CD'))).toBe(true);
    const long = funnel('EFGHIJKLMN');
    expect(await world.built(snapshot, long)).toBe(false);
    expect(await world.ask(snapshot, funnel('AB'))).toBe(true);
    world.clockMs = 60_000;
    await world.askTwice(snapshot, funnel('EFG'));
    expect(await world.ask(snapshot, funnel('AB'))).toBe(true);
    world.clockMs = 120_000;
    // Asked twice since anybody asked for the others.
    expect(await world.built(snapshot, funnel('EFGH'))).toBe(true);
    expect(await world.ask(snapshot, funnel('CD'))).toBe(false);
    expect(world.index.bytesHeld).toBeLessThanOrEqual(world.derived.builtBytesMax);
  });

  test('of conditions lie beside those of names, each event with the selectors that choose it', async () => {
    const world = new World();
    for (let i = 0; i < 20_000; i++) {
      const properties = {plan: ['free', 'team', 'pro'][(i * 7) % 3]!, n: i % 5};
      const timeMs = Math.floor(i / 3);
      world.partition.append({user: `u${(i * 31) % 97}`, event: 'AABC'[(i * 13) % 4]!, timeMs, properties});
      if (i % 4_000 === 3_999) world.partition.cutChunk();
    }
    const snapshot = world.partition.publish();
    const ofTeams: Condition[] = [{property: 'plan', op: 'in', values: ['team']}];
    const isThree: Condition[] = [{property: 'n', op: 'eq', values: ['3']}];
    const questions: FunnelQuery[] = [
      funnel('AB'),
      {...query, steps: [{event: 'A'}, {event: 'A', where: ofTeams}, {event: 'B'}]},
      {...query, steps: [{event: 'A', where: ofTeams}, {event: 'A', where: isThree}, {event: 'A'}], windowMs: 900},
    ];
    for (const question of questions) expect(await world.built(snapshot, question)).toBe(true);
    for (const question of questions) {
      world.values.reads = 0;
      expect((await world.asked(snapshot, {...question, fromMs: 1})).segments).toBe(1);
      expect(world.values.reads).toBe(0);
    }
  });

  test('of events that never happened there are empty', async () => {
    const world = grown();
    expect(await world.built(world.partition.publish(), funnel('xy'))).toBe(true);
    expect(world.index.bytesHeld).toBeLessThan(1_024);
  });
});
