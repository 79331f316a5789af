import {describe, expect, test} from 'vitest';
import {wtf8} from '../../../actors/bytes/bytes.js';
import {NumberLists} from '../../../actors/report/funnel/median.js';
import type {UserPostings} from '../../../actors/report/funnel/user-postings.js';
import type {Stretch} from '../../../actors/report/selection.js';
import type {ReportQuery} from '../../../src/asks/report.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import type {DerivedIndexes} from '../../../src/report/derived-indexes.js';
import {Evaluation} from '../../../src/report/evaluate.js';
import {FunnelIndex} from '../../../src/report/funnel/funnel-index.js';
import type {PartitionSnapshot} from '../../../src/report/published/newest-snapshots.js';
import {derivedIn} from '../../support/derived.js';
import {MemoryParts, TestPartition} from '../../support/snapshot.js';

const stepsOf = (names: string) => [...names].map((event) => ({event}));
type FunnelQuery = Extract<ReportQuery, {report: 'funnel'}>;
const query: FunnelQuery = {report: 'funnel', steps: stepsOf('ABA'), fromMs: 0, toMs: 1_000_000};
const always = {startMs: 0, lastMs: Number.MAX_SAFE_INTEGER};
const mib = 1 << 20;

function postingsOf(
  index: FunnelIndex,
  snapshot: PartitionSnapshot,
  stretch: Stretch,
): Promise<readonly UserPostings[] | undefined> {
  const names = new Set(['A', 'B'].map((name) => snapshot.names.find(wtf8(name), 0, 1)));
  return index.postingsOf(snapshot, {names, stretch});
}

class World {
  readonly values = new MemoryParts();
  readonly parts: PartsCache;
  readonly derived: DerivedIndexes;
  readonly index: FunnelIndex;
  readonly partition = new TestPartition(this.values);
  private readonly lists = new NumberLists(mib);
  /** Of the questions. */
  clockMs = 0;
  private timeMs = 0;
  private drawn = 1;

  private readonly events: string;

  /** `events`: their names, a letter each. */
  constructor(bytesMax = 64 * mib, events = 'ABX') {
    this.events = events;
    this.parts = new PartsCache(this.values, bytesMax);
    this.derived = derivedIn(this.parts, {clockMs: () => this.clockMs});
    this.index = new FunnelIndex(this.parts, this.derived);
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

  /** Of the names A and B. */
  postingsOf(snapshot: PartitionSnapshot, stretch: Stretch): Promise<readonly UserPostings[] | undefined> {
    return postingsOf(this.index, snapshot, stretch);
  }

  evaluation(): Evaluation {
    return new Evaluation(this.parts, 16 * mib, {funnels: this.index, lists: this.lists});
  }

  scanned(snapshot: PartitionSnapshot, asked: FunnelQuery = query): Promise<string> {
    return new Evaluation(new PartsCache(this.values, 64 * mib), 16 * mib).answer(asked, [snapshot]);
  }

  /** The answer, and whether postings gave it. */
  async asked(
    snapshot: PartitionSnapshot,
    question: FunnelQuery = query,
  ): Promise<{body: string; byPostings: boolean}> {
    let byPostings = false;
    const spy = {
      postingsOf: async (asked: PartitionSnapshot, named: Parameters<FunnelIndex['postingsOf']>[1]) => {
        const postings = await this.index.postingsOf(asked, named);
        byPostings = postings !== undefined;
        return postings;
      },
    };
    const funnels = spy as unknown as FunnelIndex;
    const evaluation = new Evaluation(this.parts, 16 * mib, {funnels, lists: this.lists});
    return {body: await evaluation.answer(question, [snapshot]), byPostings};
  }

  /** Holds the answer against the scan's. */
  async ask(snapshot: PartitionSnapshot, question: FunnelQuery = query): Promise<boolean> {
    const {body, byPostings} = await this.asked(snapshot, question);
    expect(body).toBe(await this.scanned(snapshot, question));
    return byPostings;
  }
}

describe('postings for funnels', () => {
  test('of a large partition are built behind the first answer, and answer the next one', async () => {
    const world = new World().grow(80_000);
    const snapshot = world.partition.publish();
    expect(await world.ask(snapshot)).toBe(false);
    await world.index.settled();
    expect(world.index.bytesHeld).toBeGreaterThan(50_000 * 8);
    world.values.reads = 0;
    expect(await world.asked(snapshot)).toMatchObject({byPostings: true});
    expect(world.values.reads).toBe(0);
    expect(await world.ask(snapshot)).toBe(true);
  });

  test('stay of the first answer of a partition, which gathers them out of the rows that it reads', async () => {
    const world = new World().grow(80_000);
    const snapshot = world.partition.publish();
    const answer = (asked: FunnelQuery, of = snapshot): Promise<string> => world.evaluation().answer(asked, [of]);
    const early = {...query, toMs: Math.floor(world.nowMs / 2)};
    for (const asked of [early, query, {...query, windowMs: 40}, {...query, steps: stepsOf('XA')}]) {
      expect(await answer(asked)).toBe(await world.scanned(snapshot, asked));
      await world.index.settled();
      world.values.reads = 0;
      expect(await world.asked(snapshot, {...asked, fromMs: 1})).toMatchObject({byPostings: true});
      expect(world.values.reads).toBe(0);
    }
    const erased = world.grow(30_000).partition.erase('u7').publish();
    expect(await answer(query, erased)).toBe(await world.scanned(erased));
    // An answer that may hold fewer rows scans, and the postings are built after it.
    const small = new World().grow(80_000);
    const first = small.partition.publish();
    const evaluation = new Evaluation(small.parts, 100 * 1_024, {funnels: small.index});
    for (let i = 0; i < 2; i++) expect(await evaluation.answer(query, [first])).toBe(await small.scanned(first));
    await small.index.settled();
    expect(await small.ask(first)).toBe(true);
  });

  test('name the users of a saved funnel, as the scan does, once they are built', async () => {
    const world = new World();
    for (const funnel of [{steps: ['A', 'B', 'A']}, {steps: ['B', 'X'], windowMs: 40}, {steps: ['A', 'never']}]) {
      const snapshot = await world.grow(50_000).partition.publish();
      const evaluation = world.evaluation();
      await evaluation.postedConverted(funnel, snapshot);
      await world.index.settled();
      const posted = await evaluation.postedConverted(funnel, snapshot);
      const path = {...funnel, steps: funnel.steps.map((event) => ({event}))};
      const scanned = await evaluation.converted(path, snapshot, 1);
      expect(posted).toEqual(scanned);
      expect(scanned.count > 0).toBe(!funnel.steps.includes('never'));
    }
  });

  test('follow every snapshot: few new rows are built on the way of the answer, and segments stay few', async () => {
    const world = new World().grow(80_000);
    await world.ask(world.partition.publish());
    await world.index.settled();
    for (let round = 0; round < 20; round++) {
      expect(await world.ask(world.grow(5_000).partition.publish())).toBe(true);
      await world.index.settled();
      expect((await world.postingsOf(world.partition.publish(), always))!.length).toBeLessThan(6);
    }
  });

  test('answer about stretches that they hold all of, however much came behind them', async () => {
    const world = new World().grow(70_000);
    await world.ask(world.partition.publish());
    await world.index.settled();
    const earlier = {...query, toMs: world.nowMs};
    const newer = world.grow(100_000).partition.publish();
    world.values.reads = 0;
    expect((await world.asked(newer, earlier)).byPostings).toBe(true);
    await world.index.settled();
    expect(world.values.reads).toBe(0); // Nobody asked about what came behind them.
    expect(await world.ask(newer, earlier)).toBe(true);
    expect(await world.ask(newer, {...query, toMs: world.nowMs})).toBe(false);
    await world.index.settled();
    expect(await world.ask(newer, {...query, toMs: world.nowMs})).toBe(true);
  });

  test('are built while no report is at work, and slowly while one always is', async () => {
    const world = new World();
    let slices = 0;
    let goOn = (): void => {};
    const whenIdle = (): Promise<void> => {
      slices += 1;
      return new Promise((resolve) => {
        goOn = resolve;
      });
    };
    const index = new FunnelIndex(world.parts, derivedIn(world.parts, {whenIdle}));
    const snapshot = world.grow(150_000).partition.publish();
    await postingsOf(index, snapshot, always);
    await expect.poll(() => slices, {timeout: 60_000}).toBe(1);
    expect(await postingsOf(index, snapshot, always)).toBeUndefined();
    const built = index.settled().then(() => true);
    while (!(await Promise.race([built, new Promise((resolve) => setImmediate(resolve, false))]))) goOn();
    expect(await postingsOf(index, snapshot, always)).toHaveLength(1);
  });

  test('never answer for rows of another snapshot: not for an older one, not after an erasure', async () => {
    const world = new World().grow(70_000);
    const older = world.partition.publish();
    await world.ask(older);
    await world.index.settled();
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
    const world = new World(7 * mib).grow(80_000);
    await world.ask(world.partition.publish());
    await world.index.settled();
    const larger = world.grow(80_000).partition.publish();
    expect(await world.ask(larger)).toBe(false);
    await world.index.settled();
    expect(await world.ask(larger)).toBe(true);
    expect(world.index.bytesHeld).toBeLessThanOrEqual(world.derived.builtBytesMax);
  });

  test('a part that is missing leaves the answer to the scan, and nothing is half built', async () => {
    const world = new World().grow(80_000);
    const {index, ...rest} = world.partition.publish();
    world.values.sweep(index.chunks[3]!.rows);
    expect(await world.postingsOf({index, ...rest}, always)).toBeUndefined();
    await world.index.settled();
    expect(world.index.bytesHeld).toBe(0);
    expect(await world.postingsOf({index, ...rest}, always)).toBeUndefined();
  });
});

describe('postings of the names that are asked for', () => {
  const letters = 'ABCDEFGHIJKLMNOPQRST';
  const funnel = (steps: string, more: Partial<FunnelQuery> = {}): FunnelQuery => ({
    ...query,
    steps: stepsOf(steps),
    ...more,
  });
  /** Postings of all events would take 2 MiB of 0.9; those of three of twenty names take 0.4. */
  const grown = () => new World(1.6 * mib, letters).grow(250_000);

  async function built(world: World, snapshot: PartitionSnapshot, question: FunnelQuery): Promise<boolean> {
    await world.ask(snapshot, question);
    await world.index.settled();
    return world.ask(snapshot, question);
  }

  test('are built behind the first answer, and answer every further question about these names', async () => {
    const world = grown();
    const snapshot = world.partition.publish();
    expect(await world.ask(snapshot, funnel('ABC'))).toBe(false);
    await world.index.settled();
    expect(world.index.bytesHeld).toBeLessThanOrEqual(world.derived.builtBytesMax);
    for (const question of [
      funnel('ABC'),
      funnel('CBA'),
      funnel('AA', {windowMs: 50}),
      funnel('BC', {fromMs: 1_000, toMs: Math.floor(world.nowMs / 2)}),
    ]) {
      world.values.reads = 0;
      expect(await world.asked(snapshot, question)).toMatchObject({byPostings: true});
      expect(world.values.reads).toBe(0);
      expect(await world.ask(snapshot, question)).toBe(true);
    }
    expect(await world.ask(snapshot, funnel('AD'))).toBe(false);
  });

  test('are of all funnels that are asked for, as far as they fit, and those that came first stay', async () => {
    const world = grown();
    const snapshot = world.partition.publish();
    expect(await built(world, snapshot, funnel('AB'))).toBe(true);
    expect(await built(world, snapshot, funnel('CD'))).toBe(true);
    expect(await world.ask(snapshot, funnel('AB'))).toBe(true);
    expect(await world.ask(snapshot, funnel('AD'))).toBe(true);
    const long = funnel('EFGHIJKLMNOP');
    expect(await built(world, snapshot, long)).toBe(false);
    world.values.reads = 0;
    for (const question of [funnel('AB'), funnel('CD')]) {
      expect((await world.asked(snapshot, {...question, fromMs: 1})).byPostings).toBe(true);
    }
    expect(world.values.reads).toBe(0);
  });

  test('follow snapshots, growth and erasures', async () => {
    const world = new World(1.6 * mib, letters).grow(50_000);
    expect(await built(world, world.partition.publish(), funnel('AT'))).toBe(true);
    expect(await world.ask(world.partition.publish(), funnel('LM'))).toBe(true);
    const grownSince = world.grow(200_000).partition.publish();
    expect(await built(world, grownSince, funnel('AT'))).toBe(true);
    expect(await world.ask(grownSince, funnel('LM'))).toBe(true); // Asked before, too.
    expect(await world.ask(grownSince, funnel('NO'))).toBe(false);
    for (let round = 0; round < 5; round++) {
      const snapshot = world.grow(3_000).partition.publish();
      expect(await world.ask(snapshot, funnel('TA'))).toBe(true);
      await world.index.settled();
    }
    const erased = world.partition.erase('u7').publish();
    expect(await built(world, erased, funnel('AT'))).toBe(true);
    expect(world.index.bytesHeld).toBeLessThanOrEqual(world.derived.builtBytesMax);
  });

  test('of names that never happened there is nothing to build', async () => {
    const world = grown();
    expect(await world.ask(world.partition.publish(), funnel('xy'))).toBe(true);
    expect(world.index.bytesHeld).toBe(0);
  });
});
