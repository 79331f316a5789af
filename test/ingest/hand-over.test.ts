// What the edge hands to those who fold, and what they make of it: order, bounds, and which log it speaks of.
import {beforeEach, describe, expect, test} from 'vitest';
import {logMessageBytesMax} from '../../actors/limits.js';
import {FoldLag} from '../../src/ingest/fold-lag.js';
import {HandOver, handedBytesMax} from '../../src/ingest/hand-over.js';
import {AckedIntake} from '../../src/partition/log/acked-intake.js';
import {OfferedMessages} from '../../src/partition/log/offered-messages.js';
import type {AckedParcel, FoldingThread} from '../../src/worker-messages.js';
import {until} from '../support/until.js';

class FakeThread implements FoldingThread {
  readonly releasedBytes: Int32Array;
  readonly appliedSequences: Int32Array;
  readonly parcels: AckedParcel[] = [];
  ask = (): void => {};

  constructor(
    readonly partitions: readonly number[],
    partitionCount: number,
  ) {
    this.releasedBytes = new Int32Array(partitionCount);
    this.appliedSequences = new Int32Array(partitionCount);
  }

  take(parcel: AckedParcel): void {
    this.parcels.push(parcel);
  }

  onAsk(ask: () => void): void {
    this.ask = ask;
  }

  onHurry(): void {}

  get said(): string[] {
    return this.parcels.map(
      ({connection, messages}) =>
        `${connection}: ${messages.map(({partition, sequence}) => `${partition}/${sequence}`).join(' ')}`,
    );
  }
}

function openHandOver(threads: readonly FakeThread[], partitionCount: number): HandOver {
  return new HandOver(threads, partitionCount, new FoldLag(threads, partitionCount, () => 0));
}

const bytesOf = (length: number): Uint8Array => new Uint8Array(length).fill(7);

describe('the edge', () => {
  test('gathers for each thread what its partitions acked, and leaves out what others fold', async () => {
    const [even, odd] = [new FakeThread([0, 2], 5), new FakeThread([1, 3], 5)];
    const handOver = openHandOver([even, odd], 5);
    const bytes = bytesOf(10);
    for (let partition = 0; partition < 5; partition++) handOver.stored(partition, 8, bytes);
    handOver.stored(0, 9, bytes);
    expect(even.parcels).toEqual([]);
    bytes.fill(0); // Its buffer is used again.
    await until('both have theirs', () => even.parcels.length === 1 && odd.parcels.length === 1);
    expect([even.said, odd.said]).toEqual([['1: 0/8 2/8 0/9'], ['1: 1/8 3/8']]);
    expect(even.parcels[0]!.messages[0]!.bytes).toEqual(bytesOf(10));
  });

  test('who waits has at once what was acked, and nothing twice', () => {
    const [even, odd] = [new FakeThread([0], 2), new FakeThread([1], 2)];
    const handOver = openHandOver([even, odd], 2);
    handOver.stored(0, 1, bytesOf(1));
    handOver.stored(1, 1, bytesOf(1));
    handOver.now();
    handOver.now();
    handOver.stored(0, 2, bytesOf(1));
    handOver.now();
    expect([even.said, odd.said]).toEqual([['1: 0/1', '1: 0/2'], ['1: 1/1']]);
  });

  test('much leaves at once; a new connection is told behind all that was acked before', () => {
    const thread = new FakeThread([0], 1);
    const handOver = openHandOver([thread], 1);
    handOver.stored(0, 1, bytesOf(512 * 1024));
    expect(thread.said).toEqual(['1: 0/1']);
    handOver.stored(0, 2, bytesOf(1));
    handOver.startConnection();
    handOver.stored(0, 2, bytesOf(512 * 1024));
    expect(thread.said).toEqual(['1: 0/1', '1: 0/2', '2: ', '2: 0/2']);
  });

  test('who releases nothing is handed no more than the bound, and more once it did', () => {
    const thread = new FakeThread([0, 1], 2);
    const handOver = openHandOver([thread], 2);
    const piece = bytesOf(1024 * 1024);
    const handed = (): number => thread.parcels.reduce((sum, {messages}) => sum + messages.length, 0);
    for (let sequence = 1; sequence <= 100; sequence++) handOver.stored(0, sequence, piece);
    expect(handed()).toBe(handedBytesMax / 2 / piece.length);
    handOver.stored(1, 1, piece); // Another partition has a bound of its own.
    expect(handed()).toBe(handedBytesMax / 2 / piece.length + 1);
    Atomics.add(thread.releasedBytes, 0, 3 * piece.length);
    for (let sequence = 101; sequence <= 110; sequence++) handOver.stored(0, sequence, piece);
    expect(handed()).toBe(handedBytesMax / 2 / piece.length + 1 + 3);
  });

  test('of many partitions each has room for the largest message', () => {
    const partitionCount = 256;
    const thread = new FakeThread([...Array(partitionCount).keys()], partitionCount);
    const handOver = openHandOver([thread], partitionCount);
    for (let partition = 0; partition < partitionCount; partition++) {
      handOver.stored(partition, 1, bytesOf(logMessageBytesMax));
      handOver.stored(partition, 2, bytesOf(1)); // Not before the first one is released.
    }
    expect(thread.said).toEqual(Array.from({length: partitionCount}, (_, partition) => `1: ${partition}/1`));
  });

  test('the counts go round after 2 GiB', () => {
    const thread = new FakeThread([0], 1);
    const handOver = openHandOver([thread], 1);
    const piece = bytesOf(1024 * 1024);
    for (let sequence = 1; sequence <= 5_000; sequence++) {
      handOver.stored(0, sequence, piece);
      expect(thread.parcels.splice(0)).toHaveLength(1);
      Atomics.add(thread.releasedBytes, 0, piece.length);
    }
  });
});

describe('the thread that folds', () => {
  let offered: OfferedMessages;
  let compared: number;
  let asked: number;
  let released: Int32Array;
  let intake: AckedIntake;

  beforeEach(() => {
    offered = new OfferedMessages();
    [compared, asked] = [0, 0];
    released = new Int32Array(1);
    const partition = {
      offer: offered.add.bind(offered),
      forgetOffered: offered.clear.bind(offered),
      compareLog: () => {
        compared += 1;
      },
    };
    intake = new AckedIntake(new Map([[0, partition]]), released, () => {
      asked += 1;
    });
  });

  const parcel = (connection: number, ...sequences: number[]): AckedParcel => ({
    kind: 'acked',
    connection,
    messages: sequences.map((sequence) => ({partition: 0, sequence, bytes: new Uint8Array(10)})),
  });
  const taken = (due: number): number[] => offered.take(due, 1_000).map(({sequence}) => sequence);

  test('takes what follows, releases what is passed, and waits at a gap', () => {
    intake.take(parcel(1, 3, 4, 5, 5, 7));
    expect([compared, released[0]]).toEqual([1, 10]);
    expect(taken(1)).toEqual([]);
    expect(taken(4)).toEqual([4, 5]);
    expect(released[0]).toBe(40);
    expect(taken(6)).toEqual([]);
    intake.take(parcel(1, 8));
    expect([taken(7), compared, released[0]]).toEqual([[7, 8], 1, 60]);
  });

  test('a new connection: what came over the one before is of no use, and the log is compared first', () => {
    intake.take(parcel(1, 1, 2));
    intake.take(parcel(2));
    expect([taken(1), compared, released[0]]).toEqual([[], 2, 20]);
    intake.take(parcel(2, 1));
    intake.take(parcel(1, 2)); // Cannot come, and is not used.
    expect([taken(1), compared, released[0]]).toEqual([[1], 2, 40]);
  });

  test('a lost connection of its own: nothing is used until the edge gives a new number', () => {
    intake.take(parcel(4, 1));
    intake.logDisconnected();
    expect([asked, taken(1), released[0]]).toEqual([1, [], 10]);
    intake.take(parcel(4, 1, 2));
    expect([taken(1), compared, released[0]]).toEqual([[], 1, 30]);
    intake.take(parcel(5, 1));
    expect([taken(1), compared, released[0]]).toEqual([[1], 2, 40]);
  });
});
