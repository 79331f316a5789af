// What waits for erasing, and what does not: a whole partition in this thread, on a real nats-server that is slow to erase.
import {jetstreamManager} from '@nats-io/jetstream';
import {afterEach, beforeEach, expect, test} from 'vitest';
import type {ByteWriter} from '../../actors/codec/bytes.js';
import {tickReason, writeErase, writeEvent} from '../../actors/codec/entries.js';
import {NatsLogSource} from '../../src/nats/log-pull.js';
import {partValues} from '../../src/nats/part-values.js';
import {bucketStream, bucketSubject} from '../../src/nats/topology.js';
import {createLogger} from '../../src/observe.js';
import {assemblePartition} from '../../src/partition/assembly.js';
import {PartStore} from '../../src/partition/part-store.js';
import type {ErasingLink} from '../../src/partition/part-sweep.js';
import {patientValues} from '../../src/partition/patient-values.js';
import {noNote} from '../../src/partition/position-note.js';
import type {Runner} from '../../src/partition/runner.js';
import {Damage} from '../../src/parts/damage.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {PartitionRole} from '../support/partition-role.js';
import {until} from '../support/until.js';

const day = Date.UTC(2026, 4, 1);
const deletionId = `del_0_${'0'.repeat(32)}`;
const log = createLogger('silent', 'test');

let role: PartitionRole;
let runner: Runner | undefined;
/** Erases wait for it. */
let held: Promise<void> | undefined;
let allow: () => void;
let asked: number;
const failures: Error[] = [];

beforeEach(async () => {
  role = await PartitionRole.create();
  runner = undefined;
  asked = 0;
  hold();
});

function hold(): void {
  held = new Promise((resolve) => {
    allow = resolve;
  });
}

afterEach(async () => {
  allow();
  await runner?.drain();
  await role.close();
  expect(failures).toEqual([]);
});

/** Erases once it is allowed. */
function slowLink(): ErasingLink {
  const {streams} = role.jsm;
  const deleteMessage: typeof streams.deleteMessage = async (...all) => {
    asked += 1;
    await held;
    return streams.deleteMessage(...all);
  };
  const slow = Object.assign(Object.create(streams), {deleteMessage});
  return {
    jsm: Object.assign(Object.create(role.jsm), {streams: slow}),
    run: () => role.nc.info?.server_id,
    isOfCluster: () => false,
  };
}

async function startPartition(): Promise<Runner> {
  const jsm = await jetstreamManager(role.nc, {checkAPI: false});
  const values = partValues(jsm);
  const cache = new PartsCache(values, 1_024 * 1_024);
  runner = await assemblePartition({
    setup: {partition: 0, seeds: [1, 2, 3], dedupeBytesMax: 1_024 * 1_024},
    js: role.js,
    jsm,
    erasing: slowLink(),
    logSource: new NatsLogSource(role.nc, jsm),
    logJsm: jsm,
    cache,
    foldCache: new PartsCache(patientValues(values), cache.memory),
    damage: new Damage(log),
    positionNote: noNote,
    refreshMs: 60_000,
    stagger: 0,
    erasureReach: 'bytes',
    notePublished: () => {},
    noteApplied: () => {},
    log,
    onFatal: (error) => failures.push(error),
  });
  await runner.start();
  return runner;
}

const append = (write: (writer: ByteWriter) => void) =>
  role.append((writer) => {
    write(writer);
    return 1;
  });

const event = (userId: string) =>
  append((writer) => writeEvent(writer, {event: 'x', userId, timeMs: day, receivedMs: day}));

const subjects = async (): Promise<string[]> => {
  const filter = bucketSubject('parts', '>');
  const {state} = await role.jsm.streams.info(bucketStream('parts'), {subjects_filter: filter});
  return Object.keys(state.subjects ?? {});
};

test('a deletion is folded while what was replaced before is still being erased, and its receipt waits for that', async () => {
  const {setup, deletions} = await startPartition();
  const {snapshots, writer} = setup;
  const publish = async () => {
    const sequence = await writer.tick(60_000, tickReason.interval);
    await until('a snapshot is published', () => snapshots.publishedSequence >= sequence);
    await snapshots.idle();
  };
  allow();
  await event('ada');
  await publish();
  const withAda = setup.layout.openEntry!.rows;
  const {cache} = setup;
  await cache.loadRows(withAda);
  expect(cache.heldRows(withAda)).toBeDefined();
  await event('bob');
  await publish();
  expect(cache.heldRows(withAda)).toBeUndefined(); // What the state names no more takes no room of what is asked for.
  await setup.sweep.settle();
  const erasedBefore = asked;
  hold();
  await event('bob');
  await publish(); // No kept manifest names the first rows any more.
  await until('they are being erased', () => asked > erasedBefore);
  const before = snapshots.count;
  await append((out) => writeErase(out, 'u', 'ada', deletionId, day));
  await until('the entry is folded', () => setup.partition.deletions.has(deletionId));
  await until('both snapshots are published', () => snapshots.count >= before + 2);
  expect(deletions.isCompleted(deletionId)).toBe(false);
  expect(await subjects()).toContain(bucketSubject('parts', `${withAda.key}.0`));
  allow();
  expect(await deletions.whenCompleted(deletionId, 30_000)).toBe(true);
  expect(await subjects()).not.toContain(bucketSubject('parts', `${withAda.key}.0`));
});

test('orphans hold up no snapshots, and a receipt waits for them, also for those that come late', async () => {
  const before = new PartStore(role.js, 0, 0);
  const orphans = [await before.put(Buffer.from('first')), await before.put(Buffer.from('second'))];
  const isThere = async ({key}: {key: string}) => (await subjects()).includes(bucketSubject('parts', `${key}.0`));
  const {setup, deletions} = await startPartition();
  await until('orphans are being erased', () => asked > 0);
  await event('ada');
  await append((out) => writeErase(out, 'u', 'ada', deletionId, day));
  const {snapshots} = setup;
  await until('both snapshots of the deletion are published', () => snapshots.count >= 3);
  // Put by an owner that is gone, and late.
  orphans.push(await before.put(Buffer.from('third')));
  expect(deletions.isCompleted(deletionId)).toBe(false);
  allow();
  expect(await deletions.whenCompleted(deletionId, 30_000)).toBe(true);
  for (const orphan of orphans) expect(await isThere(orphan)).toBe(false);
});
