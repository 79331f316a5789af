// What live reads find while a fold waits in the midst of a message.
import {afterEach, expect, test} from 'vitest';
import {tickReason, writeEvent, writeIdentify, writeTick} from '../../actors/codec/entries.js';
import {chunkRowsMax} from '../../actors/limits.js';
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
    stored: {read: async (revision) => reading().then(() => stored.read(revision))},
    onFatal: (error) => expect.unreachable(error.message),
  });
  return runner;
}

test('a chunk that was closed before an identify waits for a profile is where it is looked for', async () => {
  role = await PartitionRole.create();
  await start(async () => {});
  await role.append((writer) => {
    writeIdentify(writer, 'ada', '{"plan":"free"}', day);
    return 1;
  });
  const tick = await role.append((writer) => {
    writeTick(writer, day, 600_000, tickReason.interval);
    return 1;
  });
  await until('the profile is in a part', () => runner!.setup.snapshots.publishedSequence >= tick);
  await runner!.drain();

  let isHeld = false;
  let waiting = 0;
  const released = new Promise<void>((resolve) => {
    allow = resolve;
  });
  const {setup} = await start(async () => {
    if (!isHeld) return;
    waiting += 1;
    await released;
  });
  isHeld = true;
  const sequence = await role.append((writer) => {
    for (let i = 0; i < chunkRowsMax; i++)
      writeEvent(writer, {event: 'x', userId: 'bob', timeMs: day + i, receivedMs: day});
    writeIdentify(writer, 'ada', '{"plan":"pro"}', day);
    return chunkRowsMax + 1;
  });
  await until('the fold waits for the profile', () => waiting > 0);
  const {partition, layout} = setup;
  expect(partition.open.count).toBe(0);
  expect([...layout.writing.values()].map(({chunk}) => chunk.count)).toEqual([chunkRowsMax]);
  allow();
  await until('the message is folded', () => partition.appliedSequence >= sequence);
});
