// How far those who fold are behind, with a clock and threads that the test moves.
import {describe, expect, test} from 'vitest';
import {logMessageBytesMax} from '../../actors/limits.js';
import {type AppliedSequence, FoldLag, foldLagBytesMax, noProgressMs} from '../../src/ingest/fold-lag.js';
import {type AckedParcel, HandOver} from '../../src/ingest/hand-over.js';
import type {FoldingThread} from '../../src/worker-messages.js';
import {until} from '../support/until.js';

const mib = 1024 * 1024;
const message = new Uint8Array(mib).fill(7);
const messagesAtBound = foldLagBytesMax / mib;

class World {
  nowMs = 5_000;
  readonly threads: readonly FoldingThread[];
  lag: FoldLag;
  readonly parcels: AckedParcel[] = [];

  constructor(...partitionsOfThreads: number[][]) {
    const count = partitionsOfThreads.flat().length;
    this.threads = partitionsOfThreads.map((partitions) => ({
      partitions,
      appliedSequences: new Int32Array(count + 2),
      handOver: new HandOver((parcel) => this.parcels.push(parcel)),
      onLogLost: () => {},
    }));
    this.lag = new FoldLag(this.threads, count + 1, () => this.nowMs); // One partition lives elsewhere.
  }

  /** Messages of 1 MiB from `first` to `last`. */
  acked(partition: number, first: number, last: number): void {
    for (let sequence = first; sequence <= last; sequence++) this.lag.acked(partition, sequence, message);
  }

  folded(partition: number, sequence: number): void {
    const thread = this.threads.find(({partitions}) => partitions.includes(partition))!;
    Atomics.store(thread.appliedSequences, partition, sequence);
  }

  get mib(): number {
    return this.lag.bytes() / mib;
  }
}

test('counts what was acked and is not folded, of all partitions of the thread that is furthest behind', () => {
  const world = new World([0, 2], [1]);
  world.acked(0, 11, 13);
  world.acked(2, 1, 2);
  world.acked(1, 1, 4);
  world.acked(3, 1, 100); // Another process folds it.
  expect(world.mib).toBe(5);
  world.folded(0, 12);
  expect(world.mib).toBe(4);
  world.folded(2, 7); // Ticks and messages of other edges stand between.
  world.folded(0, 13);
  expect(world.mib).toBe(4);
  world.folded(1, 4);
  expect(world.mib).toBe(0);
});

test('the counts go round after 2^31 messages', () => {
  const world = new World([0]);
  const first = 2 ** 31 - 2;
  world.folded(0, (first - 1) | 0);
  world.acked(0, first, first + 3);
  expect(world.mib).toBe(4);
  world.folded(0, (first + 2) | 0);
  expect(world.mib).toBe(1);
});

describe('a lag holds up only while it is worked off', () => {
  test('a partition that folds nothing counts for a second, and again once it goes on', () => {
    const world = new World([0, 1]);
    world.acked(0, 1, 10);
    world.nowMs += noProgressMs - 1;
    world.acked(1, 1, 2);
    expect(world.mib).toBe(12);
    world.nowMs += 1;
    expect(world.mib).toBe(2);
    world.acked(0, 11, 12); // That more comes is no progress.
    expect(world.mib).toBe(2);
    world.folded(0, 1);
    expect(world.mib).toBe(13);
  });

  test('one that reads older messages of its log folds nothing of it: a start, or a log that lost its tail', () => {
    const world = new World([0]);
    world.acked(0, 1_001, 1_000 + 2 * messagesAtBound);
    for (let sequence = 0; sequence <= 1_000; sequence += 100) {
      world.folded(0, sequence);
      world.nowMs += noProgressMs / 2;
      if (sequence >= 200) expect(world.lag.take(mib)).toBe(true);
    }
  });

  test('what came after a long silence begins its second then', () => {
    const world = new World([0]);
    world.acked(0, 1, 1);
    world.folded(0, 1);
    world.nowMs += 100 * noProgressMs;
    world.acked(0, 2, 3);
    expect(world.mib).toBe(2);
  });
});

describe('taking on', () => {
  test('as much as comes while the lag is within its bound, nothing at the bound', () => {
    const world = new World([0]);
    world.acked(0, 1, messagesAtBound - 1);
    for (let i = 0; i < 1_000; i++) expect(world.lag.take(mib)).toBe(true);
    world.acked(0, messagesAtBound, messagesAtBound);
    expect(world.lag.take(1)).toBe(false);
    world.folded(0, 1);
    expect(world.lag.take(mib)).toBe(true);
  });

  test('past the bound less than is folded: the lag shrinks, and writes go on', () => {
    const world = new World([0]);
    let last = 10 * messagesAtBound;
    world.acked(0, 1, last);
    let [folded, taken] = [0, 0];
    while (world.mib > messagesAtBound && folded < 1_000) {
      world.folded(0, ++folded);
      world.nowMs += 10;
      if (!world.lag.take(mib)) continue;
      taken += 1;
      world.acked(0, ++last, last);
    }
    expect(folded).toBeLessThan(1_000);
    expect(taken / folded).toBeGreaterThan(0.4);
    expect(taken / folded).toBeLessThan(0.6);
  });

  test('a body larger than what may be taken on is taken, and paid for by the next ones', () => {
    const world = new World([0]);
    world.acked(0, 1, 4 * messagesAtBound);
    world.folded(0, 1);
    expect(world.lag.take(10 * mib)).toBe(true);
    world.folded(0, 10);
    expect(world.lag.take(mib)).toBe(false);
    world.folded(0, 30);
    expect(world.lag.take(mib)).toBe(true);
  });
});

test('another connection may speak of another log: what was acked over the one before counts no more', () => {
  const world = new World([0]);
  world.acked(0, 1, 2 * messagesAtBound);
  world.folded(0, 5);
  expect(world.lag.take(10 * mib)).toBe(true);
  world.lag.startConnection();
  expect(world.mib).toBe(0);
  world.acked(0, 1, 1); // Shorter than the one that was folded: nothing is known until it is read again.
  expect(world.mib).toBe(0);
});

test('what nobody folds costs no memory, and is told apart again when it is folded', () => {
  const world = new World([0]);
  for (let sequence = 1; sequence <= 100_000; sequence++) world.lag.acked(0, sequence, message.subarray(0, 10));
  world.nowMs += noProgressMs;
  expect(world.mib).toBe(0);
  world.folded(0, 1_000);
  expect(world.lag.bytes()).toBe(990_000);
  world.folded(0, 99_999);
  const rest = world.lag.bytes();
  expect(rest).toBeGreaterThanOrEqual(10); // Those that were joined are folded when the last one is.
  world.folded(0, 100_000);
  expect(world.lag.bytes()).toBe(0);
});

describe('messages that are handed over', () => {
  const handed = (world: World): string[] => {
    for (const {handOver} of world.threads) handOver.now();
    return world.parcels
      .splice(0)
      .map(({connection, messages}) =>
        `${connection}: ${messages.map(({partition, sequence}) => `${partition}/${sequence}`).join(' ')}`.trim(),
      );
  };

  test('each thread gets those of its partitions, with bytes of its own', () => {
    const world = new World([0, 2], [1]);
    const bytes = new Uint8Array(10).fill(7);
    for (const partition of [0, 1, 2, 3]) world.lag.acked(partition, 8, bytes);
    world.lag.acked(0, 9, bytes);
    bytes.fill(0); // The publisher uses its buffer again.
    world.threads[0]!.handOver.now();
    expect(world.parcels[0]!.messages.map(({bytes}) => bytes[0])).toEqual([7, 7, 7]);
    expect(handed(world)).toEqual(['1: 0/8 2/8 0/9', '1: 1/8']);
  });

  test('many leave at once, a few after a moment', async () => {
    const world = new World([0]);
    world.acked(0, 1, 1);
    expect(world.parcels).toHaveLength(1);
    world.lag.acked(0, 2, message.subarray(0, 10));
    expect(world.parcels).toHaveLength(1);
    await until('the message leaves', () => world.parcels.length === 2);
  });

  test('a new connection is told to every thread, after all that was acked over the one before', () => {
    const world = new World([0], [1]);
    world.lag.acked(0, 1, message.subarray(0, 10));
    world.lag.startConnection();
    world.lag.acked(0, 1, message.subarray(0, 10));
    expect(handed(world)).toEqual(['1: 0/1', '2:', '2:', '2: 0/1']);
  });

  test('a partition that does not fold gets no more than its share of the bound, and more when it folds again', () => {
    const world = new World([0, 1]);
    world.acked(0, 1, 100);
    expect(world.parcels.splice(0)).toHaveLength(messagesAtBound / 2);
    world.acked(1, 1, 1);
    expect(world.parcels.splice(0)).toHaveLength(1);
    world.folded(0, 100);
    world.acked(0, 101, 103);
    expect(handed(world)).toEqual(['1: 0/101', '1: 0/102', '1: 0/103']);
  });

  test('one message of any size has room, however many partitions a thread has', () => {
    const world = new World(Array.from({length: 256}, (_, partition) => partition));
    world.lag.acked(255, 1, new Uint8Array(logMessageBytesMax));
    expect(handed(world)).toEqual(['1: 255/1']);
  });
});

describe('partitions that another process folds', () => {
  /** Partition 0 is folded here; 1 and 2 are those of others. */
  class DistantWorld extends World {
    /** By partition. */
    readonly owners = new Map([
      [1, 'a'],
      [2, 'a'],
    ]);

    constructor() {
      super([0], []);
      this.lag = new FoldLag(this.threads, 3, () => this.nowMs);
    }

    told(process: string, ...threads: AppliedSequence[][]): void {
      this.lag.told(process, threads, (partition) => this.owners.get(partition) === process);
    }
  }

  test('hold up like those of this process, once their owner has said how far it is', () => {
    const world = new DistantWorld();
    world.acked(1, 1, 100); // Nobody has said anything.
    expect(world.mib).toBe(0);
    world.told('a', [[1, 100]], [[2, 7]]);
    world.acked(1, 101, 104);
    world.acked(2, 8, 10);
    expect(world.mib).toBe(4); // Of one thread; the other has three.
    world.told('a', [[1, 103]], [[2, 7]]);
    expect(world.mib).toBe(3);
    world.acked(1, 105, 105 + messagesAtBound);
    expect(world.lag.take(foldLagBytesMax)).toBe(true); // F2: what was folded is half of that.
    expect(world.lag.take(1)).toBe(false);
    world.told('a', [[1, 105 + messagesAtBound]], [[2, 10]]);
    expect(world.mib).toBe(0);
    expect(world.lag.take(1)).toBe(true);
  });

  test('whose owner stands still, or went away, hold up for a second', () => {
    const world = new DistantWorld();
    world.told('a', [[1, 1]]);
    world.acked(1, 2, 1 + 2 * messagesAtBound);
    expect(world.lag.take(mib)).toBe(false);
    world.nowMs += noProgressMs / 2;
    world.told('a', [[1, 1]]); // It tells that it stands still.
    expect(world.lag.take(mib)).toBe(false);
    world.nowMs += noProgressMs / 2;
    expect(world.lag.take(mib)).toBe(true);
    world.acked(1, 2 + 2 * messagesAtBound, 4 * messagesAtBound);
    expect(world.lag.take(mib)).toBe(true);
    // It goes on far behind.
    world.told('a', [[1, 2]]);
    expect(world.mib).toBe(4 * messagesAtBound - 2);
  });

  test('that get another owner have no lag there, and the one before is not believed any more', () => {
    const world = new DistantWorld();
    world.told('a', [
      [1, 1],
      [2, 1],
    ]);
    world.acked(1, 2, 10);
    world.acked(2, 2, 4);
    expect(world.mib).toBe(12);
    world.owners.set(1, 'b');
    world.told('b', [[1, 5]]);
    expect(world.mib).toBe(3);
    world.acked(1, 11, 15);
    world.told('a', [
      [1, 99], // Paused, and wakes.
      [2, 1],
    ]);
    expect(world.mib).toBe(5);
    world.told('b', [[1, 15]]);
    expect(world.mib).toBe(3);
    world.told('a', []);
    world.told('b', []);
    expect(world.mib).toBe(0);
  });

  test('of a log that its owner reads again have no lag until it is acked again', () => {
    const world = new DistantWorld();
    world.told('a', [[1, 100]]);
    world.acked(1, 101, 104);
    world.told('a', [[1, 3]]);
    expect(world.mib).toBe(0);
    world.acked(1, 4, 5);
    expect(world.mib).toBe(2);
  });

  test('that come to a thread of this process are its own, though the owner before died without a word', () => {
    const world = new DistantWorld();
    world.told('a', [
      [1, 1],
      [2, 1],
    ]);
    world.acked(1, 2, 10);
    world.acked(2, 2, 2);
    expect(world.mib).toBe(10);
    (world.threads[1]!.partitions as number[]).push(1);
    expect(world.mib).toBe(1); // Of partition 2, which nobody has taken yet.
    world.acked(1, 11, 13);
    expect(world.mib).toBe(3);
    world.threads[1]!.handOver.now();
    expect(world.parcels.flatMap(({messages}) => messages.map(({partition}) => partition))).toEqual([1, 1, 1]);
    world.folded(1, 13);
    expect(world.mib).toBe(1);
  });

  test('do not hold up, and are handed to nobody, while a thread of this process folds them', () => {
    const world = new DistantWorld();
    world.owners.set(0, 'a');
    world.told('a', [[0, 50]]);
    world.acked(0, 1, 3);
    expect(world.mib).toBe(3);
    world.folded(0, 3);
    expect(world.mib).toBe(0);
    world.told('a', [[1, 0]]);
    world.acked(1, 1, 3);
    expect(world.mib).toBe(3);
    world.threads[0]!.handOver.now();
    expect(world.parcels.flatMap(({messages}) => messages.map(({partition}) => partition))).toEqual([0, 0, 0]);
  });
});
