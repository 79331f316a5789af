// Members of a cluster: who owns what after joins, leaves, crashes, pauses, elections and lost messages.
import {describe, expect, test} from 'vitest';
import {type Rates, World} from './cluster-world.js';

const calm: Rates = {latencyMsMax: 20, requestLost: 0, answerLost: 0};
const rough: Rates = {latencyMsMax: 200, requestLost: 0.05, answerLost: 0.05};
const partitions = 16;
const seeds = Array.from({length: 150}, (_, seed) => seed + 1);

/** A world of `count` nodes that own all partitions between them. */
function settled(seed: number, count: number, rates = calm): World {
  const world = new World(seed, partitions, rates);
  for (let i = 0; i < count; i++) {
    world.start();
    world.play(world.chance.next() * 1_000);
  }
  world.until(() => world.isBalanced, 90_000);
  return world;
}

const lostOf = (world: World): number => world.nodes.reduce((sum, {lost}) => sum + lost, 0);

describe('without faults', () => {
  test('members share the partitions, and nobody loses its membership', () => {
    for (const seed of seeds.slice(0, 40)) {
      const world = settled(seed, 1 + (seed % 5));
      world.play(60_000);
      expect([seed, world.isBalanced, lostOf(world), world.faults]).toEqual([seed, true, 0, []]);
    }
  });

  test('a join moves its share, one partition at a time, and then nothing moves', () => {
    for (const seed of seeds.slice(0, 40)) {
      const before = 1 + (seed % 5);
      const world = settled(seed, before);
      const {moves} = world;
      world.start();
      world.until(() => world.isBalanced, 60_000);
      world.play(30_000);
      const share = Math.floor(partitions / (before + 1));
      expect([seed, Math.abs(world.moves - moves - share) <= 1, world.isBalanced]).toEqual([seed, true, true]);
      expect(world.faults).toEqual([]);
    }
  });

  test('a member that leaves gives all that it has, and nobody else loses any', () => {
    for (const seed of seeds.slice(0, 40)) {
      const world = settled(seed, 3);
      const [leaver] = world.nodes;
      const {moves} = world;
      const had = world.ownedBy.filter((node) => node === leaver).length;
      leaver!.leave();
      const ms = world.until(() => !leaver!.isAlive, 25_000);
      world.until(() => world.isBalanced, 5_000);
      expect([seed, ms < 8_000, world.moves - moves, lostOf(world), world.faults]).toEqual([seed, true, had, 0, []]);
    }
  });

  test('all that leave at once end at once, and the next one owns everything at once', () => {
    const world = settled(7, 3);
    for (const node of world.nodes) node.leave();
    expect(world.until(() => world.living.length === 0, 25_000)).toBeLessThan(2_000);
    world.start();
    expect(world.until(() => world.isWhole, 25_000)).toBeLessThan(1_500);
    expect(world.faults).toEqual([]);
  });
});

describe('a crash', () => {
  test('is noticed no sooner than in 4 s, and everything is owned within 15 s', () => {
    for (const seed of seeds) {
      const world = settled(seed, 2 + (seed % 3));
      world.chance.pick(world.nodes).crash();
      const ms = world.until(() => world.isWhole, 30_000);
      expect([seed, ms > 4_000 && ms < 15_000, lostOf(world), world.faults]).toEqual([seed, true, 0, []]);
    }
  });

  test('of a process that starts again on its folder is over at once', () => {
    for (const count of [1, 3]) {
      const world = settled(count, count);
      const [first] = world.nodes;
      first!.crash();
      world.start(first);
      expect(world.until(() => world.isBalanced, 30_000)).toBeLessThan(2_000);
      expect(world.faults).toEqual([]);
    }
  });

  test('of the one that a partition was left to delays it by seconds, not for ever', () => {
    for (const seed of seeds.slice(0, 60)) {
      const world = settled(seed, 3);
      const [leaver, next] = world.nodes;
      leaver!.leave();
      world.play(world.chance.next() * 500);
      next!.crash();
      expect([seed, world.until(() => world.isWhole, 30_000) < 15_000, world.faults]).toEqual([seed, true, []]);
    }
  });
});

test('nobody loses anything to an election', () => {
  for (const seed of seeds.slice(0, 60)) {
    const world = settled(seed, 3);
    const {moves} = world;
    for (let round = 0; round < 4; round++) {
      world.elect(1_000 + world.chance.next() * 60_000);
      world.play(70_000);
    }
    expect([seed, lostOf(world), world.moves - moves, world.faults]).toEqual([seed, 0, 0, []]);
  }
});

test('a short pause costs nothing; one that was taken for a crash returns as another member', () => {
  for (const seed of seeds.slice(0, 60)) {
    const world = settled(seed, 3);
    const [paused] = world.nodes;
    paused!.pause(3_500);
    world.play(20_000);
    expect([seed, lostOf(world)]).toEqual([seed, 0]);
    paused!.pause(30_000);
    world.play(20_000);
    expect([seed, world.ownedBy.includes(paused)]).toEqual([seed, false]);
    expect([seed, world.isWhole]).toEqual([seed, true]);
    world.play(10_500);
    world.until(() => world.isBalanced, 60_000);
    expect([seed, paused!.lost, world.faults]).toEqual([seed, 1, []]);
  }
});

test('whatever happens, everything is owned once in the end, by members that share it', () => {
  for (const seed of seeds.slice(0, 60)) {
    const world = settled(seed, 2 + (seed % 3), rough);
    const {chance} = world;
    for (let round = 0; round < 25; round++) {
      const node = chance.pick(world.nodes);
      const isAlone = world.living.length < 2;
      const drawn = chance.between(0, 7);
      if (drawn === 0 && world.living.length < 6) world.start();
      if (drawn === 1 && !isAlone) node.crash();
      if (drawn === 2 && !node.isAlive && world.living.length < 6) world.start(node);
      if (drawn === 3 && !isAlone) node.leave();
      if (drawn === 4) node.pause(chance.next() * 30_000);
      if (drawn === 5) world.elect(chance.next() * 10_000);
      if (drawn === 6) node.watch.begin();
      world.play(chance.next() * 8_000);
    }
    if (world.living.length === 0) world.start();
    world.rates = calm;
    world.play(60_000);
    world.until(() => world.isBalanced, 90_000);
    world.play(20_000);
    expect([seed, world.isBalanced, world.faults]).toEqual([seed, true, []]);
    for (const node of world.living)
      expect([seed, [...node.runners.keys()].sort()]).toEqual([
        seed,
        [...world.ownedBy.keys()].filter((partition) => world.ownedBy[partition] === node).sort(),
      ]);
  }
});
