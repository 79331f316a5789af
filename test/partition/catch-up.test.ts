// A start over a long log, shared out to a second thread: whatever happens on the way, every event is there once.
import {availableParallelism} from 'node:os';
import {afterEach, describe, expect, test} from 'vitest';
import {writeEvent, writeIdentify} from '../../actors/codec/entries.js';
import type {PartitionAnswer} from '../../src/asks.js';
import {partitionsToShare} from '../../src/partition/catch-up.js';
import type {PartitionWorkerData} from '../../src/worker-messages.js';
import {PartitionRole} from '../support/partition-role.js';
import {until} from '../support/until.js';

const day = Date.UTC(2026, 4, 1);
const partitionCount = 3;
const messageEvents = 400;
/** By partition: the first one alone outweighs the others, so the thread that catches up gets those. */
const messageCounts = [60, 30, 20];
const shared = [1, 2];

let role: PartitionRole;
let last: number[];
let options: Partial<PartitionWorkerData>;

async function appendMessage(partition: number, message: number): Promise<void> {
  last[partition] = await role.append((writer) => {
    for (let at = 0; at < messageEvents; at++) {
      const timeMs = day + message * messageEvents + at;
      const properties = {place: `of ${at % 50}`, n: at};
      writeEvent(writer, {event: `e${at % 3}`, userId: `u${at % 100}`, timeMs, receivedMs: day, properties});
    }
    writeIdentify(writer, 'u7', `{"seen":${message}}`, day + message);
    return messageEvents + 1;
  }, partition);
}

/** Logs that nobody folded. */
async function fill(beforeMessages: () => void = () => {}): Promise<void> {
  role = await PartitionRole.create(partitionCount);
  last = [];
  options = {
    catchUpBytesMin: 64 * 1024,
    appliedSequences: new Int32Array(new SharedArrayBuffer(4 * partitionCount)),
  };
  beforeMessages();
  for (const [partition, count] of messageCounts.entries()) {
    for (let message = 0; message < count; message++) await appendMessage(partition, message);
  }
}

const epochs = (): Promise<number[]> =>
  Promise.all(messageCounts.map(async (_, partition) => (await role.manifest(partition)).epoch));

const hasManifest = (partition: number): Promise<boolean> =>
  role.manifest(partition).then(
    () => true,
    () => false,
  );

/** What published snapshots, and live answers, say of all partitions. */
async function expectWhole(counts: readonly number[] = messageCounts): Promise<void> {
  for (const [partition, count] of counts.entries()) {
    const {index} = await role.published(last[partition], partition);
    expect(index.nextOrdinal).toBe(count * messageEvents);
  }
}

async function expectAnswers(counts: readonly number[] = messageCounts): Promise<void> {
  for (const [partition, count] of counts.entries()) {
    const ofUser = {kind: 'user', id: 'u7'} as const;
    const history = await role.ask({ask: 'history', user: ofUser, limit: 1_000}, partition);
    expect((history as Extract<PartitionAnswer, {kind: 'history'}>).ordinals.length).toBe(
      (count * messageEvents) / 100,
    );
    const profile = await role.ask({ask: 'profile', user: ofUser}, partition);
    expect(profile).toMatchObject({kind: 'profile', traitsJson: `{"seen":${count - 1}}`});
  }
}

describe('what is shared out', () => {
  const tails = (...bytes: number[]) => bytes.map((length, partition) => ({partition, bytes: length}));

  test('nearly half of the bytes, the longest logs dealt first', () => {
    expect(partitionsToShare(tails(30, 100, 40, 50), 10)).toEqual([1]);
    expect(partitionsToShare(tails(10, 10, 10, 10), 10)).toEqual([0, 2]);
    expect(partitionsToShare(tails(60, 30, 20), 10)).toEqual([1, 2]);
  });

  test('nothing where that takes too little off the other thread', () => {
    expect(partitionsToShare(tails(100, 5, 4), 10)).toBeUndefined();
    expect(partitionsToShare(tails(100), 0)).toBeUndefined();
  });
});

describe.skipIf(availableParallelism() < 2)('a start over a long log', () => {
  afterEach(() => role.close());

  test('two threads fold it, one owns all partitions in the end, and the next start shares nothing out', async () => {
    await fill(() => role.skipNumber(1));
    await role.startWorker(options);
    expect(await epochs()).toEqual([1, 2, 2]);
    const measures = await role.ask({ask: 'measures'}, 1);
    // What the thread met that is gone by now is an alarm all the same.
    expect(measures).toMatchObject({partition: {gaps: 1, logLosses: 0}});
    await expectWhole();
    await expectAnswers();
    await role.drainWorker();
    await role.startWorker(options);
    expect(await epochs()).toEqual([2, 3, 3]);
    await expectAnswers();
  });

  test('what comes meanwhile is folded behind it, in its order', async () => {
    await fill();
    const starting = role.startWorker(options);
    await until('the shared partitions are folded', () => shared.every((at) => options.appliedSequences![at] > 0));
    const status = await until('somebody answers', () => role.ask({ask: 'status'}, 1).catch(() => undefined));
    expect(status).toMatchObject({kind: 'status', partition: 1});
    for (const [partition, count] of messageCounts.entries()) await appendMessage(partition, count);
    await starting;
    await expectAnswers(messageCounts.map((count) => count + 1));
    await expectWhole(messageCounts.map((count) => count + 1));
  });

  const moments: readonly (readonly [string, () => boolean | Promise<boolean>])[] = [
    ['before anything is folded', () => true],
    ['while the second thread folds', () => shared.every((partition) => options.appliedSequences![partition] > 0)],
    ['when its first snapshot is published', () => hasManifest(2)],
    ['when its owner takes a partition over', async () => (await hasManifest(1)) && (await role.manifest(1)).epoch > 1],
  ];

  for (const [moment, hasCome] of moments) {
    test(`killed ${moment}, the next start finds everything`, async () => {
      await fill();
      void role.startWorker(options);
      await until(moment, hasCome);
      await role.killWorker();
      await role.startWorker(options);
      await expectWhole();
      await expectAnswers();
    });
  }

  test('drained while the second thread folds, what was in the log is published', async () => {
    await fill();
    void role.startWorker(options);
    await until('both threads fold', () => messageCounts.every((_, at) => options.appliedSequences![at] > 0));
    await role.drainWorker();
    expect(role.fatal).toEqual([]);
    await expectWhole();
  });

  test('drained while partitions change hands, it ends well, and loses nothing', async () => {
    await fill();
    void role.startWorker(options);
    await until('a partition is taken over', async () => (await hasManifest(1)) && (await role.manifest(1)).epoch > 1);
    await role.drainWorker();
    expect(role.fatal).toEqual([]);
    await role.startWorker(options);
    await expectWhole();
    await expectAnswers();
  });

  test('nats-server is killed meanwhile: the start goes on', async () => {
    await fill();
    const starting = role.startWorker(options);
    await until('the shared partitions are folded', () => shared.every((at) => options.appliedSequences![at] > 0));
    await role.killServer();
    await starting;
    await expectWhole();
    await expectAnswers();
  });
});
