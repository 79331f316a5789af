import {setTimeout as pause} from 'node:timers/promises';
import fc from 'fast-check';
import {afterEach, describe, expect, test} from 'vitest';
import {NumberLists} from '../../actors/report/median.js';
import {PostedFunnel, walkBlocks} from '../../actors/report/posted-funnel.js';
import type {Stretch} from '../../actors/report/selection.js';
import type {UserPostings} from '../../actors/report/user-postings.js';
import {createLogger} from '../../src/observe.js';
import {FunnelHelper, type Help, type PostedSteps} from '../../src/report/funnel-helper.js';
import {funnelKernel, kernelMemory} from '../../src/report/funnel-kernel.js';
import {chunkOf, finish, type Row, resultOf, segmentsOf} from '../support/postings.js';
import {until} from '../support/until.js';

const kernel = funnelKernel()!;
const lists = new NumberLists(1 << 20);
const whole: Stretch = {startMs: 0, lastMs: 1e9};
const always = Number.POSITIVE_INFINITY;
const compiled = new URL('../../dist/src/report/funnel-helper-worker.js', import.meta.url);

const helpers: FunnelHelper[] = [];

function newHelper(program = compiled, lookupsMin = 1): FunnelHelper {
  const helper = new FunnelHelper({kernel, listBytesMax: 1 << 20}, createLogger('silent', 'test'), {
    program,
    lookupsMin,
  });
  helpers.push(helper);
  return helper;
}

/** A thread that runs this instead, whenever it is told something. */
const told = (code: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(
      `import {parentPort} from 'node:worker_threads';
       parentPort.on('message', ({kind, turns}) => {${code}});
       parentPort.postMessage({kind: 'ready'});`,
    )}`,
  );

afterEach(() => {
  for (const helper of helpers.splice(0)) helper.keepOnly(new Set());
});

interface World {
  readonly partitions: readonly PostedSteps[];
  readonly kept: Set<UserPostings>;
}

/** Two partitions, each of a large segment, which is kept, and of a small one that an answer built for itself. */
function worldOf(seed: number, steps: readonly number[]): World {
  let drawn = seed;
  const draw = (end: number): number => {
    drawn = (Math.imul(drawn, 48_271) + 11) >>> 1;
    return (drawn >>> 6) % end;
  };
  const kept = new Set<UserPostings>();
  const partitions = [20_000, 9_000].map((userCount) => {
    const rows = (count: number): Row[] =>
      Array.from({length: count}, () => ({user: draw(userCount), name: draw(5), timeMs: draw(100_000)}));
    const shape = {userCount, nameCount: 5};
    const chunks = [chunkOf(rows(userCount * 4)), chunkOf(rows(500))];
    const sizes = [0, Number.POSITIVE_INFINITY];
    let built = 0;
    const segments = segmentsOf(chunks, [1], shape, (bytes) => kernelMemory(kernel, sizes[built++])(bytes));
    kept.add(segments[0]!);
    return {segments, stepNames: steps};
  });
  return {partitions, kept};
}

const funnelsOf = ({partitions}: World, stretch: Stretch, windowMs: number): PostedFunnel[] =>
  partitions.map(({segments, stepNames}) => new PostedFunnel(segments, stepNames, stretch, windowMs, lists));

function alone(world: World, stretch = whole, windowMs = always) {
  const funnels = funnelsOf(world, stretch, windowMs);
  for (const funnel of funnels) finish(funnel.walk());
  return totalOf(funnels);
}

/** Of all partitions, whoever counted them. */
function totalOf(funnels: Parameters<typeof resultOf>[0][]) {
  const results = funnels.map(resultOf);
  return {
    reached: results.reduce<number[]>((sums, {reached}) => reached.map((count, i) => count + (sums[i] ?? 0)), []),
    durations: results
      .reduce<number[][]>((all, {durations}) => durations.map((each, i) => [...each, ...(all[i] ?? [])]), [])
      .map((each) => each.sort((a, b) => a - b)),
  };
}

/** The first one that it helps with, as it has to start. */
async function helped(helper: FunnelHelper, world: World, stretch = whole, windowMs = always) {
  return await until('the thread helps', () => {
    const funnels = funnelsOf(world, stretch, windowMs);
    const help = helper.help(world.partitions, funnels, {stretch, windowMs}, world.kept);
    return help && {funnels, help};
  });
}

/** Slowly, so that the helper has its share; what it counted, once it counted something. */
async function walkBeside({funnels, help}: {funnels: PostedFunnel[]; help: Help}) {
  for (const _ of walkBlocks(funnels, help.takeBlock)) await pause(5);
  return await help.finish();
}

describe('a funnel that a second thread helps with', () => {
  test('is that of one thread: large and small segments, windows, stretches', async () => {
    const helper = newHelper();
    let usersHelped = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1e6),
        fc.array(fc.integer({min: -1, max: 4}), {minLength: 1, maxLength: 5}),
        fc.oneof(fc.constant(whole), fc.record({startMs: fc.nat(60_000), lastMs: fc.nat(120_000)})),
        fc.oneof(fc.constant(always), fc.nat(30_000)),
        async (seed, steps, stretch, windowMs) => {
          const world = worldOf(seed, steps);
          fc.pre(funnelsOf(world, stretch, windowMs).some(({blockCount}) => blockCount > 0));
          const {funnels, help} = await helped(helper, world, stretch, windowMs);
          const others = await walkBeside({funnels, help});
          expect(totalOf([...funnels, ...others!])).toEqual(alone(world, stretch, windowMs));
          for (const {reached} of others!) usersHelped += reached[0]!;
          help.release();
        },
      ),
      {numRuns: 20, endOnFailure: true},
    );
    expect(usersHelped).toBeGreaterThan(0);
  });

  test('needs nobody who comes too late', async () => {
    const helper = newHelper(told(''));
    const world = worldOf(3, [0, 1, 2]);
    const {funnels, help} = await helped(helper, world);
    for (const _ of walkBlocks(funnels, help.takeBlock));
    expect(await help.finish()).toEqual([]);
    expect(totalOf(funnels)).toEqual(alone(world));
  });

  test('is counted anew when the thread ends in the middle, and the next one is helped again', async () => {
    const helper = newHelper(told(`if (kind === 'walk') { Atomics.store(turns, 1, 1); process.exit(); }`));
    const world = worldOf(4, [0, 1]);
    const {funnels, help} = await helped(helper, world);
    await until('the thread ended', () => !helper.isAwake);
    for (const _ of walkBlocks(funnels, help.takeBlock));
    expect(await help.finish()).toBeUndefined();
    help.release();
    (await helped(helper, world)).help.release();
  });

  test('is walked alone once the thread failed', async () => {
    const helper = newHelper(
      told(`if (kind === 'walk') { Atomics.store(turns, 1, 1); throw new Error('of a test'); }`),
    );
    const world = worldOf(5, [0, 1]);
    const {help} = await helped(helper, world);
    await until('the thread failed', () => !helper.isAwake);
    expect(await help.finish()).toBeUndefined();
    help.release();
    expect(
      helper.help(world.partitions, funnelsOf(world, whole, always), {stretch: whole, windowMs: always}, world.kept),
    ).toBe(undefined);
  });
});

describe('the thread', () => {
  const ask = (helper: FunnelHelper, world: World) =>
    helper.help(world.partitions, funnelsOf(world, whole, always), {stretch: whole, windowMs: always}, world.kept);

  test('helps with one funnel at a time', async () => {
    const helper = newHelper();
    const world = worldOf(6, [0, 1, 2]);
    const first = await helped(helper, world);
    expect(ask(helper, world)).toBeUndefined();
    await walkBeside(first);
    expect(ask(helper, world)).toBeUndefined(); // What it counted is still read.
    first.help.release();
    expect(ask(helper, world)).toBeDefined();
  });

  test('helps with what is long and lies in shared memory', async () => {
    const helper = newHelper(compiled, 600_000);
    const world = worldOf(7, [0, 1, 2]);
    expect(ask(helper, world)).toBeUndefined(); // 8 blocks of 4,096 users, three steps.
    expect(
      ask(helper, {...world, partitions: world.partitions.map((each) => ({...each, stepNames: Array(19).fill(0)}))}),
    ).toBeUndefined(); // It starts.
    await until('the thread is there', () => helper.isAwake);
    expect(ask(helper, world)).toBeUndefined();
    const plain = worldOf(7, Array(19).fill(0)).partitions.map((each) => ({
      ...each,
      segments: segmentsOf([chunkOf([{user: 0, name: 0, timeMs: 1}])], [], {userCount: 20_000, nameCount: 1}),
    }));
    expect(ask(helper, {...world, partitions: [...world.partitions, ...plain]})).toBeUndefined();
    (await helped(helper, worldOf(7, Array(19).fill(0)))).help.release();
  });

  test('ends with the postings that it has', async () => {
    const helper = newHelper();
    const world = worldOf(8, [0, 1]);
    const {help} = await helped(helper, world);
    helper.keepOnly(world.kept);
    expect(helper.isAwake).toBe(true);
    await help.finish();
    help.release();
    const [first] = world.kept;
    helper.keepOnly(new Set([first!]));
    expect(helper.isAwake).toBe(false);
    const again = await helped(helper, world);
    expect(totalOf([...again.funnels, ...(await walkBeside(again))!])).toEqual(alone(world));
  });
});
