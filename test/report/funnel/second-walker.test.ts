import {setTimeout as pause} from 'node:timers/promises';
import fc from 'fast-check';
import {afterEach, describe, expect, test} from 'vitest';
import {type FunnelResult, mergeFunnels} from '../../../actors/report/funnel/funnel.js';
import {NumberLists} from '../../../actors/report/funnel/median.js';
import {PostedFunnel, walkBlocks} from '../../../actors/report/funnel/posted-funnel.js';
import type {UserPostings} from '../../../actors/report/funnel/user-postings.js';
import type {Stretch} from '../../../actors/report/selection.js';
import {createLogger} from '../../../src/observe.js';
import {funnelKernel, kernelMemory} from '../../../src/report/funnel/funnel-kernel.js';
import {type JointWalk, type PostedSteps, SecondWalker} from '../../../src/report/funnel/second-walker.js';
import {chunkOf, finish, type Row, resultOf, segmentsOf} from '../../support/postings.js';
import {until} from '../../support/until.js';

const kernel = funnelKernel()!;
const lists = new NumberLists(1 << 20);
const whole: Stretch = {startMs: 0, lastMs: 1e9};
const always = Number.POSITIVE_INFINITY;
const compiled = new URL('../../../dist/service/report/funnel/second-walker-worker.js', import.meta.url);

const walkers: SecondWalker[] = [];

function newWalker(program = compiled, lookupsMin = 1, listsOfAsker = lists): SecondWalker {
  const walker = new SecondWalker({kernel, lists: listsOfAsker}, createLogger('silent', 'test'), {
    program,
    lookupsMin,
  });
  walkers.push(walker);
  return walker;
}

/** A thread that runs this instead, whenever it is told something. */
const told = (code: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(
      `import {parentPort, workerData} from 'node:worker_threads';
       const {results} = workerData;
       parentPort.on('message', ({kind, number, turns, medians}) => {${code}});
       parentPort.postMessage({kind: 'ready'});`,
    )}`,
  );

afterEach(() => {
  for (const walker of walkers.splice(0)) walker.keepOnly(new Set());
});

interface World {
  readonly partitions: readonly PostedSteps[];
}

const keptOf = ({partitions}: World): UserPostings[] => partitions.flatMap(({segments}) => segments);

/** Two partitions, each of a large segment that a kernel walks over, and of a small one. */
function worldOf(seed: number, steps: readonly number[]): World {
  let drawn = seed + 1;
  const draw = (end: number): number => {
    drawn ^= drawn << 13;
    drawn ^= drawn >>> 17;
    drawn ^= drawn << 5;
    return (drawn >>> 0) % end;
  };
  const partitions = [20_000, 9_000].map((userCount) => {
    const rows = (count: number): Row[] =>
      Array.from({length: count}, () => ({user: draw(userCount), name: draw(5), timeMs: draw(100_000)}));
    const chunks = [chunkOf(rows(userCount * 4)), chunkOf(rows(500))];
    const allocate = kernelMemory(kernel, 100_000);
    return {segments: segmentsOf(chunks, [1], {userCount, nameCount: 5}, allocate), stepNames: steps};
  });
  return {partitions};
}

const funnelsOf = ({partitions}: World, stretch: Stretch, windowMs: number): PostedFunnel[] =>
  partitions.map(({segments, stepNames}) => new PostedFunnel(segments, stepNames, stretch, windowMs, lists));

function alone(world: World, stretch = whole, windowMs = always) {
  const funnels = funnelsOf(world, stretch, windowMs);
  finish(walkBlocks(funnels));
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

/** The first one that is walked jointly, as the thread has to start. */
async function joined(walker: SecondWalker, world: World, stretch = whole, windowMs = always) {
  return await until('the second thread is there', () => {
    const funnels = funnelsOf(world, stretch, windowMs);
    const joint = walker.join(world.partitions, funnels, {stretch, windowMs});
    return joint && {funnels, joint};
  });
}

/** Slowly, so that the second thread has its share; `read` gets what it counted, which is its own again after that. */
async function walkBeside<T>(
  {funnels, joint}: {funnels: PostedFunnel[]; joint: JointWalk},
  read: (others: readonly FunnelResult[] | undefined) => T,
): Promise<T> {
  for (const _ of walkBlocks(funnels, joint.takeBlock)) await pause(5);
  const others = read(await joint.finish());
  joint.release();
  return others;
}

/** Of both threads. */
const totalBeside = (walk: {funnels: PostedFunnel[]; joint: JointWalk}) =>
  walkBeside(walk, (others) => totalOf([...walk.funnels, ...others!]));

const ask = (walker: SecondWalker, world: World, windowMs = always) =>
  walker.join(world.partitions, funnelsOf(world, whole, windowMs), {stretch: whole, windowMs});

describe('a funnel that two threads walk', () => {
  test('is that of one thread: large and small segments, windows, stretches', async () => {
    const walker = newWalker();
    let usersBeside = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1e6),
        fc.array(fc.integer({min: -1, max: 4}), {minLength: 1, maxLength: 5}),
        fc.oneof(fc.constant(whole), fc.record({startMs: fc.nat(60_000), lastMs: fc.nat(120_000)})),
        fc.oneof(fc.constant(always), fc.nat(30_000)),
        async (seed, steps, stretch, windowMs) => {
          const world = worldOf(seed, steps);
          fc.pre(funnelsOf(world, stretch, windowMs).some(({entryUsersMax}) => entryUsersMax > 0));
          const {funnels, joint} = await joined(walker, world, stretch, windowMs);
          const total = await walkBeside({funnels, joint}, (others) => {
            for (const {reached} of others!) usersBeside += reached[0]!;
            return totalOf([...funnels, ...others!]);
          });
          expect(total).toEqual(alone(world, stretch, windowMs));
        },
      ),
      {numRuns: 20, endOnFailure: true},
    );
    expect(usersBeside).toBeGreaterThan(0);
  });

  test('has its results in memory that is used again, and beyond what may be kept in memory of its own', async () => {
    const world = worldOf(11, [0, 1, 2]);
    const memoryOf = (others: readonly FunnelResult[]) =>
      others.flatMap(({durations}) => durations).flatMap((list) => list.columns())[0]?.buffer.constructor;
    for (const [listsOfAsker, memory] of [
      [lists, SharedArrayBuffer],
      [new NumberLists(64), ArrayBuffer],
    ] as const) {
      const walker = newWalker(compiled, 1, listsOfAsker);
      const found = await until('it counted users who come to a second step', async () => {
        const walk = await joined(walker, world);
        const [total, made] = await walkBeside(walk, (others) => [
          totalOf([...walk.funnels, ...others!]),
          memoryOf(others!),
        ]);
        expect(total).toEqual(alone(world));
        return made;
      });
      expect(found).toBe(memory);
    }
  });

  test('needs nobody who comes too late', async () => {
    const walker = newWalker(told(''));
    const world = worldOf(3, [0, 1, 2]);
    const {funnels, joint} = await joined(walker, world);
    for (const _ of walkBlocks(funnels, joint.takeBlock));
    expect(await joint.finish()).toEqual([]);
    joint.release();
    expect(totalOf(funnels)).toEqual(alone(world));
  });

  test('is to be counted anew when the thread ends in the middle, and the next one has another thread', async () => {
    const walker = newWalker(told(`if (kind === 'walk') { Atomics.store(turns, 1, 1); process.exit(); }`));
    const world = worldOf(4, [0, 1]);
    const {funnels, joint} = await joined(walker, world);
    await until('the thread ended', () => !walker.isReady);
    for (const _ of walkBlocks(funnels, joint.takeBlock));
    expect(await joint.finish()).toBeUndefined();
    joint.release();
    (await joined(walker, world)).joint.release();
  });

  test('that nobody goes on with leaves nothing to the second thread', async () => {
    const walker = newWalker();
    const world = worldOf(9, [0, 1]);
    const {funnels, joint} = await joined(walker, world);
    joint.release();
    for (const _ of walkBlocks(funnels, joint.takeBlock));
    expect(totalOf(funnels).reached).toEqual([0, 0]);
    const next = await joined(walker, world);
    expect(await totalBeside(next)).toEqual(alone(world));
  });

  test.each([
    ['fails', told(`if (kind === 'walk') { Atomics.store(turns, 1, 1); throw new Error('of a test'); }`)],
    ['has no program', new URL('../nowhere.js', import.meta.url)],
  ])('is walked alone once the thread %s', async (_, program) => {
    const walker = newWalker(program);
    const world = worldOf(5, [0, 1]);
    await until('it failed', () => {
      const joint = ask(walker, world);
      joint?.release();
      return walker.isBroken;
    });
    expect(ask(walker, world)).toBeUndefined();
  });

  test('is walked alone where no thread can be started', () => {
    const walker = newWalker(new URL('https://example.com/no-file'));
    expect(ask(walker, worldOf(5, [0, 1]))).toBeUndefined();
    expect(walker.isBroken).toBe(true);
  });
});

describe('medians', () => {
  const steps = [0, 1, 2, 3, 4, 0, 1];

  const mediansAlone = (world: World): readonly (number | null)[] => {
    const funnels = funnelsOf(world, whole, always);
    finish(walkBlocks(funnels));
    return mergeFunnels(steps.length, funnels).medianMs;
  };

  /** In which the asker takes a while for each median. */
  function slowLists(): {slow: NumberLists; found(): number} {
    const slow = new NumberLists(1 << 20);
    const {room} = slow;
    let count = 0;
    const get = () => {
      count += 1;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      return room;
    };
    Object.defineProperty(slow, 'room', {get});
    return {slow, found: () => count};
  }

  /** Of a funnel that both walked: undefined, as the asker has to find them. */
  async function mediansBeside(walker: SecondWalker, world: World, own: NumberLists) {
    const funnels = world.partitions.map(
      ({segments, stepNames}) => new PostedFunnel(segments, stepNames, whole, always, own),
    );
    const joint = await until('the second thread is there', () =>
      walker.join(world.partitions, funnels, {stretch: whole, windowMs: always}),
    );
    for (const _ of walkBlocks(funnels, joint.takeBlock)) await pause(2);
    const others = (await joint.finish())!;
    const medians = await joint.medians(funnels, others);
    const alone = mergeFunnels(steps.length, [...funnels, ...others]).medianMs;
    joint.release();
    for (const {durations} of funnels) for (const list of durations) own.giveBack(list);
    expect(alone).toEqual(mediansAlone(world));
    return medians;
  }

  test('are found by both threads, of all that both counted', async () => {
    const {slow, found} = slowLists();
    const walker = newWalker(compiled, 1, slow);
    let seed = 20;
    await until('the second thread found some, and the asker as well', async () => {
      const world = worldOf(seed++, steps);
      const before = found();
      const medians = await mediansBeside(walker, world, slow);
      if (medians === undefined) return false;
      expect(medians).toEqual(mediansAlone(world));
      const foundHere = found() - before;
      return foundHere > 0 && foundHere < steps.length;
    });
  });

  test('are null where nobody came', async () => {
    const world = worldOf(30, [0, 1, -1, 2, 3, 4, 0]);
    const walker = newWalker();
    const medians = await until('both were asked', () => mediansBeside(walker, world, lists));
    expect(medians.slice(0, 2)).toEqual([null, expect.any(Number)]);
    expect(medians.slice(2)).toEqual(Array(5).fill(null));
  });

  test("are found alone where the asker's durations did not fit the memory of lists", async () => {
    const none = new NumberLists(0);
    const walker = newWalker(compiled, 1, none);
    await until('both counted some', async () => {
      return (await mediansBeside(walker, worldOf(31, steps), none)) === undefined;
    });
  });

  test("are found by both where the second thread's durations did not fit the memory of lists", async () => {
    const small = new NumberLists(64 * 1_024);
    const walker = newWalker(compiled, 1, small);
    const world = worldOf(34, steps);
    const medians = await until('both were asked', () => mediansBeside(walker, world, small));
    expect(medians).toEqual(mediansAlone(world));
  });

  /** It has counted nothing. */
  const counts = `if (kind === 'walk') {
      Atomics.store(turns, 1, 1);
      results.postMessage({kind: 'walked', number, results: [0, 1].map(() => ({
        reached: new Float64Array(medians.length),
        durations: Array.from(medians, () => ({starts: [], count: 0})),
      }))});
      globalThis.walk = {turns, medians};
      Atomics.store(turns, 1, 3);
      Atomics.notify(turns, 1);
    }`;
  const takesOne = `const {turns: shared, medians: found} = globalThis.walk; const step = Atomics.add(shared, 2, 1);`;

  test('that the second thread is late with are waited for', async () => {
    const {slow} = slowLists();
    const code = `${counts} else if (kind === 'medians') {
      ${takesOne}
      setTimeout(() => {
        if (step < found.length) found[step] = 123_456;
        Atomics.add(shared, 3, 1);
        results.postMessage({kind: 'found', number});
      }, 200);
    }`;
    const world = worldOf(32, steps);
    const medians = await until('the second thread took a step', async () => {
      const found = await mediansBeside(newWalker(told(code), 1, slow), world, slow);
      return found?.includes(123_456) ? found : undefined;
    });
    const expected = mediansAlone(world);
    expect(medians.filter((ms, step) => ms !== expected[step])).toEqual([123_456]);
  });

  test('are found alone once the second thread ends before it has found one', async () => {
    const {slow, found} = slowLists();
    const code = `${counts} else if (kind === 'medians') {${takesOne} if (step < found.length) process.exit();}`;
    await until('the second thread took a step', async () => {
      const before = found();
      const medians = await mediansBeside(newWalker(told(code), 1, slow), worldOf(33, steps), slow);
      if (found() - before === steps.length) return false; // It came too late for any.
      expect(medians).toBeUndefined();
      return true;
    });
  });
});

describe('the second thread', () => {
  test('walks one funnel at a time', async () => {
    const walker = newWalker();
    const world = worldOf(6, [0, 1, 2]);
    const first = await joined(walker, world);
    expect(ask(walker, world)).toBeUndefined();
    await walkBeside(first, () => undefined);
    const second = ask(walker, world);
    expect(second).toBeDefined();
    second?.release();
  });

  test('walks long ones alone, by the users that may have an entry', async () => {
    const walker = newWalker(compiled, 500_000);
    const steps = (count: number): number[] => Array(count).fill(0);
    expect(ask(walker, worldOf(7, steps(17)))).toBeUndefined(); // 29,000 users.
    expect(walker.isReady).toBe(false);
    const {joint} = await joined(walker, worldOf(7, steps(18)));
    joint.release();
    expect(ask(walker, worldOf(7, steps(17)))).toBeUndefined();
    // With a window users walk from several entries.
    expect(ask(walker, worldOf(7, steps(5)), 100)).toBeUndefined();
    const within = ask(walker, worldOf(7, steps(6)), 100);
    expect(within).toBeDefined();
    within?.release();
  });

  test('ends with the postings that it shares, but not in the middle of a walk', async () => {
    const walker = newWalker();
    const world = worldOf(8, [0, 1]);
    const first = await joined(walker, world);
    walker.keepOnly(new Set(keptOf(world)));
    walker.keepOnly(new Set([keptOf(world)[0]!]));
    expect(walker.isReady).toBe(true);
    expect(await totalBeside(first)).toEqual(alone(world));
    expect(walker.isReady).toBe(false);
    expect(ask(walker, world)).toBeUndefined(); // The next one starts when this one has ended.
    const again = await joined(walker, world);
    expect(await totalBeside(again)).toEqual(alone(world));
  });

  test('goes on without small postings that are gone', async () => {
    const walker = newWalker();
    const world = worldOf(10, [0, 1]);
    (await joined(walker, world)).joint.release();
    walker.keepOnly(new Set(keptOf(world).filter(({steps}) => steps !== undefined)));
    expect(walker.isReady).toBe(true);
    const next = await joined(walker, world);
    expect(await totalBeside(next)).toEqual(alone(world));
  });
});
