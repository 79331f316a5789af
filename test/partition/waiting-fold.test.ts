// What live reads find while a fold waits in the midst of a message.
import {afterEach, expect, test} from 'vitest';
import type {ByteWriter} from '../../actors/bytes/bytes.js';
import {chunkRowsMax} from '../../actors/limits.js';
import {writeEvent, writeIdentify, writeTick} from '../../actors/log/entries.js';
import {partValues} from '../../src/nats/part-values.js';
import type {Runner} from '../../src/partition/runner.js';
import {PartitionRole} from '../support/partition-role.js';
import {until} from '../support/until.js';
import {startWholePartition} from '../support/whole-partition.js';

const day = Date.UTC(2026, 4, 1);
let role: PartitionRole;
let runner: Runner | undefined;
let allow = (): void => {};

afterEach(async () => {
  allow();
  await runner?.drain();
  await role.close();
});

async function start(reading: () => Promise<void>): Promise<Runner> {
  const stored = partValues(role.jsm);
  runner = await startWholePartition(role, {
    erasing: {jsm: role.jsm, run: () => role.nc.info?.server_id, isOfCluster: () => false},
    stored: {read: async (revision, key) => reading().then(() => stored.read(revision, key))},
    onFatal: (error) => expect.unreachable(error.message),
  });
  return runner;
}

/** A partition that knows ada's profile out of a part, and that reads no part any more until `allow`. */
async function startHeld(): Promise<{readonly view: Runner['view']; readonly isWaiting: () => boolean}> {
  role = await PartitionRole.create();
  await start(async () => {});
  await role.append((writer) => {
    writeIdentify(writer, 'ada', '{"plan":"free"}', day);
    return 1;
  });
  const tick = await role.append((writer) => {
    writeTick(writer, day, 600_000, 1);
    return 1;
  });
  await until('the profile is in a part', () => runner!.view.snapshots.publishedSequence >= tick);
  await runner!.drain();
  let isHeld = false;
  let waiting = 0;
  const released = new Promise<void>((resolve) => {
    allow = resolve;
  });
  const {view} = await start(async () => {
    if (!isHeld) return;
    waiting += 1;
    await released;
  });
  isHeld = true;
  return {view, isWaiting: () => waiting > 0};
}

function wholeChunk(writer: ByteWriter): void {
  for (let i = 0; i < chunkRowsMax; i++)
    writeEvent(writer, {event: 'x', userId: 'bob', timeMs: day + i, receivedMs: day});
}

const identify = (writer: ByteWriter): void => writeIdentify(writer, 'ada', '{"plan":"pro"}', day);

/** Where live reads look for rows that are in no part. */
const rowsInMemory = ({partition, layout}: Runner['view']): number =>
  [...layout.writing.values()].reduce((sum, {chunk}) => sum + chunk.count, partition.open.count);

test('a chunk that was closed before an identify waits for a profile is where it is looked for', async () => {
  const {view, isWaiting} = await startHeld();
  const sequence = await role.append((writer) => {
    wholeChunk(writer);
    identify(writer);
    return chunkRowsMax + 1;
  });
  await until('the fold waits for the profile', isWaiting);
  expect(view.partition.open.count).toBe(0);
  expect(rowsInMemory(view)).toBe(chunkRowsMax);
  allow();
  await until('the message is folded', () => view.partition.appliedSequence >= sequence);
});

test('and so is one that is closed behind it, for whoever goes on in the same turn', async () => {
  const {view, isWaiting} = await startHeld();
  const {partition} = view;
  const seen: number[] = [];
  const fold = partition.fold.bind(partition);
  partition.fold = (...all) => {
    const stop = fold(...all);
    queueMicrotask(() => seen.push(rowsInMemory(view)));
    return stop;
  };
  const sequence = await role.append((writer) => {
    identify(writer);
    wholeChunk(writer);
    return chunkRowsMax + 1;
  });
  await until('the fold waits for the profile', isWaiting);
  allow();
  await until('the message is folded', () => partition.appliedSequence >= sequence);
  expect(seen.slice(0, 2)).toEqual([0, chunkRowsMax]); // Ticks follow.
});
