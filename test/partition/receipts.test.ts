// What waits for erasing, and what does not: a whole partition in this thread, on a real nats-server that is slow to erase.
import {afterEach, beforeEach, expect, test} from 'vitest';
import type {ByteWriter} from '../../actors/bytes/bytes.js';
import {writeErase, writeEvent, writeIdentify, writeLeave, writeLink, writeTick} from '../../actors/log/entries.js';
import {bucketStream, bucketSubject, logStream} from '../../src/nats/topology.js';
import type {Runner} from '../../src/partition/runner.js';
import {PartStore} from '../../src/partition/snapshot/part-store.js';
import type {ErasingLink} from '../../src/partition/snapshot/part-sweep.js';
import {partOwner} from '../support/part-owner.js';
import {PartitionRole} from '../support/partition-role.js';
import {until} from '../support/until.js';
import {startWholePartition} from '../support/whole-partition.js';

const day = Date.UTC(2026, 4, 1);
const deletionId = `del_0_${'0'.repeat(32)}`;

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
  runner = await startWholePartition(role, {erasing: slowLink(), onFatal: (error) => failures.push(error)});
  return runner;
}

const append = (write: (writer: ByteWriter) => void) =>
  role.append((writer) => {
    write(writer);
    return 1;
  });

const event = (userId: string, messageId?: string) =>
  append((writer) => writeEvent(writer, {event: 'x', userId, timeMs: day, receivedMs: day, messageId}));

const erase = (userId: string) => append((writer) => writeErase(writer, 'u', userId, deletionId, day));

/** How many values the receipt says were overwritten. */
const valuesErased = ({view}: Runner): number =>
  Number(view.partition.deletions.get(deletionId)!.completed!.verified[1]!.match(/[0-9]+/)![0]);

const subjects = async (): Promise<string[]> => {
  const filter = bucketSubject('parts-0', '>');
  const {state} = await role.jsm.streams.info(bucketStream('parts-0'), {subjects_filter: filter});
  return Object.keys(state.subjects ?? {});
};

test('a deletion is folded while what was replaced before is still being erased, and its receipt waits for that', async () => {
  const {view, deletions} = await startPartition();
  const {snapshots, writer, ownership} = view;
  const publish = async () => {
    const sequence = await writer.tick(600_000, ownership.epoch);
    await until('a snapshot is published', () => snapshots.publishedSequence >= sequence);
    await snapshots.idle();
  };
  allow();
  await event('ada');
  await publish();
  const withAda = view.layout.openEntry!.rows;
  const {cache} = view;
  await cache.rows.load({rows: withAda});
  expect(cache.rows.held({rows: withAda})).toBeDefined();
  await event('bob');
  await publish();
  expect(cache.rows.held({rows: withAda})).toBeUndefined(); // What the state names no more takes no room of what is asked for.
  await view.sweep.settle();
  const erasedBefore = asked;
  hold();
  await event('bob');
  await publish(); // No kept manifest names the first rows any more.
  await until('they are being erased', () => asked > erasedBefore);
  const before = snapshots.count;
  await erase('ada');
  await until('the entry is folded', () => view.partition.deletions.has(deletionId));
  await until('both snapshots are published', () => snapshots.count >= before + 2);
  expect(deletions.isCompleted(deletionId)).toBe(false);
  expect(await subjects()).toContain(bucketSubject('parts-0', `${withAda.key}.0`));
  allow();
  expect(await deletions.whenCompleted(deletionId, 30_000)).toBe(true);
  expect(await subjects()).not.toContain(bucketSubject('parts-0', `${withAda.key}.0`));
});

test('orphans hold up no snapshots, and a receipt waits for them, also for those that come late', async () => {
  const before = new PartStore(role.js, role.jsm, 0, partOwner(0));
  const orphans = [await before.put(Buffer.from('first')), await before.put(Buffer.from('second'))];
  const isThere = async ({key}: {key: string}) => (await subjects()).includes(bucketSubject('parts-0', `${key}.0`));
  const {view, deletions} = await startPartition();
  await until('orphans are being erased', () => asked > 0);
  await event('ada');
  await erase('ada');
  const {snapshots} = view;
  await until('both snapshots of the deletion are published', () => snapshots.count >= 3);
  // Put by an owner that is gone, and late.
  orphans.push(await before.put(Buffer.from('third')));
  expect(deletions.isCompleted(deletionId)).toBe(false);
  allow();
  expect(await deletions.whenCompleted(deletionId, 30_000)).toBe(true);
  for (const orphan of orphans) expect(await isThere(orphan)).toBe(false);
});

test('what an owner left whose manifests are lost is erased once its tick was met: by then a manifest has a higher epoch', async () => {
  const orphan = await new PartStore(role.js, role.jsm, 0, partOwner(7)).put(Buffer.from('of the lost owner'));
  const isThere = async () => (await subjects()).includes(bucketSubject('parts-0', `${orphan.key}.0`));
  const {view} = await startPartition();
  allow();
  await view.sweep.settle();
  expect([await isThere(), (await role.manifest()).epoch]).toEqual([true, 1]);
  await append((writer) => writeTick(writer, day, 400, 7));
  await until('it is erased', async () => !(await isThere()));
  expect([view.ownership.epoch, (await role.manifest()).epoch]).toEqual([8, 8]);
});

test('a receipt that was put off for late copies tells of all that was erased until it came', async () => {
  const {view, deletions} = await startPartition();
  await event('ada', 'm1');
  const before = asked;
  await erase('ada');
  await until('parts of the deletion are being erased', () => asked > before);
  await event('ada', 'm1');
  await until('the late copy is folded', () => view.partition.events.tally.tombstoned === 1);
  const {count} = view.snapshots;
  allow();
  expect(await deletions.whenCompleted(deletionId, 30_000)).toBe(true);
  expect(view.snapshots.count).toBeGreaterThan(count + 2); // It was put off.
  expect(valuesErased(runner!)).toBeGreaterThanOrEqual(asked - 2); // Those behind the receipt's own snapshot are not in it.
});

test('late copies that come while others are cleaned up for long are cleaned up behind them', async () => {
  const {view, deletions} = await startPartition();
  allow();
  await event('ada', 'm1');
  await erase('ada');
  expect(await deletions.whenCompleted(deletionId, 30_000)).toBe(true);
  await view.sweep.settle();
  hold();
  await event('ada', 'm1');
  await until('the first late copy is being cleaned up', () => deletions.isRunning);
  const fillersEnd = view.snapshots.count + 2;
  await until('its snapshots are published', () => view.snapshots.count >= fillersEnd);
  await event('ada', 'm1');
  await until('the second one is folded', () => view.partition.events.tally.tombstoned === 2);
  const foldedMs = performance.now();
  await until('its time to be cleaned up has come', () => performance.now() - foldedMs > 6_000);
  expect(deletions.isRunning).toBe(true);
  allow();
  await until('it is cleaned up', () => !view.partition.deletions.hasErasedInLog);
});

test('no receipt comes of a halted partition', async () => {
  const {view} = await startPartition();
  allow();
  await role.append((writer) => {
    for (let i = 0; i < 3_000; i++) writeEvent(writer, {event: 'x', userId: `u${i}`, timeMs: day, receivedMs: day});
    return 3_000;
  });
  await runner!.drain();
  const [{part}] = view.layout.userRuns[0]!.blocks;
  const stream = bucketStream('parts-0');
  await role.jsm.streams.purge(logStream(0), {seq: view.snapshots.publishedSequence});
  for (const seq of part.revisions) await role.jsm.streams.deleteMessage(stream, seq);
  const {view: second, deletions} = await startPartition();
  await event('eve');
  await erase('eve');
  await append((writer) => writeIdentify(writer, 'u1', '{"plan":"free"}', day));
  await until('the partition is halted', () => runner!.phase === 'halted');
  await until('cleaning up has ended', () => !deletions.isRunning);
  expect(deletions.isCompleted(deletionId)).toBe(false);
  expect(second.partition.deletions.get(deletionId)!.completed).toBeNull();
});

test('a deletion with devices in the partition of its user comes again behind what was on its way, and is pending until then', async () => {
  const {view, deletions} = await startPartition();
  const {partition} = view;
  allow();
  const visit = (anonymousId: string) =>
    append((writer) => writeEvent(writer, {event: 'x', anonymousId, timeMs: day, receivedMs: day}));
  for (const device of ['d', 'e']) await visit(device);
  for (const [device, user] of [
    ['d', 'ada'],
    ['e', 'bob'],
  ] as const)
    await append((writer) => writeLink(writer, device, user, day));
  await append((writer) => writeLeave(writer, [{user: 1, isTooLarge: false}])); // In no snapshot yet.
  await append((writer) => writeErase(writer, 'u', 'ada', deletionId, day, [0]));
  await until('the first step is folded', () => partition.deletions.has(deletionId));
  expect(partition.deletions.get(deletionId)).toMatchObject({onward: {key: 'uada', partitions: [0]}, completed: null});
  const before = view.snapshots.count;
  await event('ada');
  expect(await deletions.whenCompleted(deletionId, 300)).toBe(false);
  expect([view.snapshots.count, deletions.pending.count]).toEqual([before, 1]);
  await view.writer.tick(600_000, view.ownership.epoch);
  expect(await deletions.whenCompleted(deletionId, 30_000)).toBe(true);
  const {onward, stepsLeft, eventsDeleted} = partition.deletions.get(deletionId)!;
  expect([onward, stepsLeft, eventsDeleted]).toEqual([undefined, undefined, 2]);
  expect([partition.moves.receivedFrom(0) > 0, partition.events.tally.arrived]).toEqual([true, 1]);
  // Asked for again by an owner whose predecessor appended it: nothing happens.
  await event('ada');
  await erase('ada');
  await event('cyd');
  await until('the log is folded', () => partition.events.tally.counted >= 5);
  expect(partition.deletions.get(deletionId)).toMatchObject({eventsDeleted: 2, completed: {}});
});
