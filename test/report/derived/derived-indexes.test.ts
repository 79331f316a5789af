import {describe, expect, test} from 'vitest';
import {assert} from '../../../actors/invariant.js';
import {PartsMemory} from '../../../src/parts/parts-memory.js';
import {MissingPart} from '../../../src/parts/stored-parts.js';
import {type Build, type BuildNeed, DerivedIndexes, idleMs} from '../../../src/report/derived/derived-indexes.js';

const minuteMs = 60_000;

class World {
  readonly memory = new PartsMemory(1_600);
  readonly errors: unknown[] = [];
  nowMs = 0;
  readonly derived = new DerivedIndexes(
    this.memory,
    {debug: () => undefined, error: (said: unknown) => this.errors.push(said)} as never,
    {clockMs: () => this.nowMs},
  );
  readonly small = this.derived.kind();
  readonly large = this.derived.kind();
}

const fits = (build: Build, keptBytes: number, passingBytes: number, freedBytes = 0): boolean =>
  build.makeRoom({keptBytes, passingBytes, freedBytes});

describe('derived values', () => {
  test('have a budget of their own, and parts the rest', () => {
    const {memory, small, large, derived} = new World();
    memory.keep('part', new Uint8Array(900));
    expect([large.keep('a', {bytes: 600}), small.keep('b', {bytes: 400})]).toEqual([true, true]);
    expect([derived.bytes, memory.bytesMax, memory.bytesHeld]).toEqual([1_000, 600, 0]);
    expect(small.keep('c', {bytes: 1})).toBe(false);
    expect([small.get('c'), large.get('a'), small.get('a')]).toEqual([undefined, {bytes: 600}, undefined]);
    large.drop('a');
    expect([derived.bytes, memory.bytesMax]).toEqual([400, 1_200]);
    expect([small.keep('b', {bytes: 100}), derived.bytes]).toEqual([true, 100]);
  });

  test('are dropped when nobody asked for half an hour', () => {
    const world = new World();
    const {small, derived} = world;
    small.keep('a', {bytes: 10});
    small.keep('b', {bytes: 20});
    world.nowMs = 20 * minuteMs;
    small.get('b');
    world.nowMs = 31 * minuteMs;
    derived.dropUnasked();
    expect([small.get('a'), small.get('b'), derived.bytes]).toEqual([undefined, {bytes: 20}, 20]);
  });

  test('are built one at a time, in room that parts lend, which comes back however a build ends', async () => {
    const {memory, derived, large, errors} = new World();
    large.keep('a', {bytes: 500});
    let end = (): void => undefined;
    const order: string[] = [];
    const first = derived.build('first', async (build: Build) => {
      // 900 may be kept by builds, and 1,100 with what building takes.
      expect([fits(build, 400, 200), fits(build, 401, 0), fits(build, 400, 201)]).toEqual([true, false, false]);
      expect([fits(build, 600, 0), fits(build, 600, 0, 200)]).toEqual([false, true]);
      build.borrow(500);
      build.borrow(300); // In place of what it took before.
      order.push(`first ${memory.bytesMax}`);
      await new Promise<void>((resolve) => (end = resolve));
      return 1;
    });
    const second = derived.build('second', async () => {
      order.push(`second ${memory.bytesMax}`);
      throw new MissingPart({key: 'p0.1', revisions: [1], bytes: 1, valueBytes: 1, crcs: [0]});
    });
    await new Promise((resolve) => setImmediate(resolve)); // The first has begun.
    expect(derived.pendingBuilds).toBe(2);
    // What an answer waits for is not held up, and what it borrows is not there for it.
    await derived.buildNow(async (build) => expect([fits(build, 0, 300), fits(build, 0, 301)]).toEqual([true, false]));
    end();
    expect([await first, await second, memory.bytesMax, errors]).toEqual([1, undefined, 1_100, []]);
    expect(order).toEqual(['first 800', 'second 1100']);
    expect(derived.pendingBuilds).toBe(0);
    const broken = derived.build('broken', async () => {
      throw new Error('no world fault');
    });
    expect([await broken, errors.length]).toEqual([undefined, 1]);
    const bug = derived.build('bug', async () => assert(false, 'two and two are four'));
    await expect(bug).rejects.toThrow('two and two are four');
    expect([errors.length, memory.bytesMax]).toEqual([1, 1_100]);
  });

  test('of any kind yield to a build when they are idle, and say so', async () => {
    const world = new World();
    const {derived, small, memory} = world;
    const dropped: string[] = [];
    const told = derived.kind({noteDrop: (key) => dropped.push(key)});
    told.keep('a', {bytes: 500});
    small.keep('b', {bytes: 400});
    world.nowMs = idleMs;
    small.get('b');
    const need = {keptBytes: 100, passingBytes: 0};
    const makeRoom = (asked: BuildNeed): Promise<boolean> => derived.buildNow(async (build) => build.makeRoom(asked));
    expect([derived.mayFit(need), await makeRoom(need), derived.bytes]).toEqual([false, false, 900]);
    world.nowMs += 1;
    const modest = {...need, isModest: true};
    expect([derived.mayFit(modest), await makeRoom(modest)]).toEqual([false, false]);
    const beyond = {keptBytes: 501, passingBytes: 0}; // Of what may yield, nothing does if it is not enough.
    expect([derived.mayFit(need), await makeRoom(beyond), derived.bytes, dropped]).toEqual([true, false, 900, []]);
    expect([await makeRoom(need), dropped, derived.bytes, memory.bytesMax]).toEqual([true, ['a'], 400, 1_200]);
    expect([await makeRoom(need), await makeRoom(modest), small.get('b')]).toEqual([true, true, {bytes: 400}]);
    // What replaces values counts their room.
    expect(await makeRoom({keptBytes: 900, passingBytes: 0, freedBytes: 400})).toBe(true);
    expect(derived.bytes).toBe(400);
  });

  test('yield in the order of their last use, and no more than needed', async () => {
    const world = new World();
    const {derived, small} = world;
    for (const key of ['a', 'b', 'c']) {
      small.keep(key, {bytes: 300});
      world.nowMs += 1;
    }
    small.get('a');
    world.nowMs += idleMs + 1;
    const isKept = async (keptBytes: number) => derived.makeRoom({keptBytes, passingBytes: 0});
    expect([await isKept(300), small.get('b'), derived.bytes]).toEqual([true, undefined, 600]);
    expect([small.get('c'), await isKept(600)]).toEqual([{bytes: 300}, true]);
    expect([small.get('a'), small.get('c')]).toEqual([undefined, {bytes: 300}]);
  });
});
