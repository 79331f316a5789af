// What is told of a fold: a whole partition in this thread, on a real nats-server, before a queue that the test holds.
import {afterEach, beforeEach, expect, test} from 'vitest';
import type {ByteWriter} from '../../actors/bytes/bytes.js';
import {noUserKey, writeErase, writeEvent, writeIdentify, writeLink} from '../../actors/log/entries.js';
import {UserSet} from '../../actors/table/user-set.js';
import type {SavedFunnel} from '../../src/kept/saved-funnel.js';
import {logStream} from '../../src/nats/topology.js';
import type {Outbox} from '../../src/partition/effects.js';
import {effectData} from '../../src/partition/reads/effect-data.js';
import type {Runner} from '../../src/partition/runner.js';
import type {Trigger} from '../../src/webhooks/trigger.js';
import {PartitionRole} from '../support/partition-role.js';
import {until} from '../support/until.js';
import {startWholePartition} from '../support/whole-partition.js';

const day = Date.UTC(2026, 4, 1);
const deletionId = `del_0_${'0'.repeat(32)}`;
const funnel: SavedFunnel = {
  v: 1,
  id: 'fn_1',
  createdMs: 0,
  name: 'Checkout',
  question: {report: 'funnel', steps: [{event: 'cart'}, {event: 'buy'}]},
};

let role: PartitionRole;
let runner: Runner | undefined;
let queued: Trigger[];
/** Acks of the queue wait for it, after this number of triggers. */
let held: Promise<void> | undefined;
let heldAfter = 0;
let allow: () => void;
let endpoints: readonly string[] = ['wh_1'];
const failures: Error[] = [];

const outbox: Outbox = {
  endpointsOf: () => endpoints,
  publish: async (_, trigger) => {
    queued.push(trigger);
    if (queued.length > heldAfter) await held;
  },
  idOf: (...parts) => parts.join(' '),
  userRefOf: (hash) => `ref of ${hash}`,
  funnels: () => [funnel],
};

beforeEach(async () => {
  role = await PartitionRole.create();
  runner = undefined;
  queued = [];
  allow = () => undefined;
  held = undefined;
});

afterEach(async () => {
  allow();
  await runner?.drain();
  await role.close();
  expect(failures).toEqual([]);
});

const hold = (after = 0): void => {
  heldAfter = after;
  held = new Promise((resolve) => {
    allow = resolve;
  });
};

async function start(): Promise<Runner> {
  const nobody = {position: {generation: 1, sequence: 1e9}, users: new UserSet(), firstUser: 0, nextByte: undefined};
  runner = await startWholePartition(role, {
    erasing: {jsm: role.jsm, run: () => role.nc.info?.server_id, isOfCluster: () => false},
    onFatal: (error) => failures.push(error),
    outbox,
    converted: async () => nobody,
  });
  return runner;
}

const append = (write: (writer: ByteWriter) => void) =>
  role.append((writer) => {
    write(writer);
    return 1;
  });

const track = (userId: string, event: string, minute: number) =>
  append((writer) => writeEvent(writer, {event, userId, timeMs: day + minute * 60_000, receivedMs: day}));

const identify = (userId: string, traits: string) => append((writer) => writeIdentify(writer, userId, traits, day));

const said = async ({view}: Runner, {type, ...rest}: Trigger): Promise<unknown> => {
  if (!('of' in rest)) return rest.data;
  const answer = await effectData(view, outbox, {ask: 'effect', type, of: rest.of}, async () => undefined);
  return answer.kind === 'effect' ? JSON.parse(answer.dataJson) : answer.kind;
};

test('a manifest waits until what its messages tell is queued; folding and later events do not', async () => {
  const {view} = await start();
  const {partition, snapshots, writer, ownership} = view;
  hold();
  await identify('ada', '{"plan":"pro"}');
  const tick = await writer.tick(600_000, ownership.epoch);
  const event = await track('bob', 'visit', 0);
  await until('all is folded', () => partition.appliedSequence >= event);
  await until('the snapshot has nothing else to do', async () => {
    for (let i = 0; i < 50; i++) await role.nc.flush();
    return snapshots.isRunning;
  });
  expect(snapshots.publishedSequence).toBeLessThan(tick);
  expect(queued).toMatchObject([
    {type: 'user.identified', timestampMs: expect.any(Number), of: {partition: 0, user: 0}},
  ]);
  allow();
  await until('it is published', () => snapshots.publishedSequence >= tick);
});

test('what is said of a user is made when it is asked for, and of an erased one nothing', async () => {
  const live = await start();
  await identify('ada', '{"plan":"pro"}');
  await identify('ada', '{"plan":"free"}');
  await until('both are told', () => queued.length === 2);
  const [first] = queued as [Trigger];
  expect(new Set(queued.map(({id}) => id)).size).toBe(2);
  const ref = `ref of ${live.view.partition.hashOf(Buffer.from('uada'))}`;
  expect(await said(live, first)).toEqual({userId: 'ada', user_ref: ref, traits: {plan: 'free'}});
  const inGeneration = (generation: number, user = 0): Trigger => ({...first, of: {partition: 0, generation, user}});
  expect(await said(live, inGeneration(2))).toBe('effect_gone');
  // The log lost its end, and not this user; who comes from then on is another one.
  live.view.partition.beginGeneration(2);
  expect(await said(live, first)).toEqual({userId: 'ada', user_ref: ref, traits: {plan: 'free'}});
  await identify('bob', '{}');
  await until('it is told', () => queued.length === 3);
  expect([await said(live, inGeneration(1, 1)), await said(live, inGeneration(2, 1))]).toEqual([
    'effect_gone',
    expect.objectContaining({userId: 'bob'}),
  ]);
  await append((writer) => writeErase(writer, 'u', 'ada', deletionId, day));
  await until('the deletion is told', () => queued.length === 4);
  expect(await said(live, first)).toBe('effect_gone');
  expect(queued[3]).toMatchObject({type: 'user.deleted', id: `user.deleted ${deletionId}`});
  expect(await said(live, queued[3]!)).toEqual({deletion_id: deletionId, user_ref: ref});
  await until('nothing is left to tell', () => live.view.partition.deletions.toTell.size === 0);
});

test('a deletion is told of each anonymous user that the user was, and of the user by the last partition alone', async () => {
  const live = await start();
  const {partition} = live.view;
  const refOf = (key: string): string => `ref of ${partition.hashOf(Buffer.from(key))}`;
  const told = async (from: number) => Promise.all(queued.slice(from).map((trigger) => said(live, trigger)));
  for (const [device, userId] of [
    ['phone', 'ada'],
    ['laptop', 'ada'],
    ['tablet', 'ada'],
    ['tablet', 'bob'], // Shared: later events are of no user.
    ['watch', 'eve'],
  ] as const)
    await append((writer) => writeLink(writer, device, userId, day));
  await identify('ada', '{}');
  await until('she is told of', () => queued.length === 1);
  await append((writer) => writeErase(writer, 'u', 'ada', deletionId, day));
  await until('all is told', () => queued.length === 4);
  const refs = ['alaptop', 'aphone', 'uada'].map(refOf);
  expect(await told(1)).toEqual(refs.map((ref) => ({deletion_id: deletionId, user_ref: ref})));
  expect(new Set(queued.map(({id}) => id)).size).toBe(4);
  expect(queued[3]).toMatchObject({id: `user.deleted ${deletionId}`});
  // Of a journal: the restored data has no such user.
  const unknown = `del_2_${'0'.repeat(32)}`;
  await live.view.writer.erase([{key: noUserKey, id: unknown}]);
  expect(await live.deletions.whenCompleted(unknown, 60_000)).toBe(true);
  await until('nothing is left to tell', () => partition.deletions.toTell.size === 0);
  expect(queued.length).toBe(4);
  const another = `del_1_${'0'.repeat(32)}`;
  partition.deletions.apply({
    ...partition.deletions.get(deletionId)!,
    id: another,
    stepsLeft: 1,
    deviceHashes: [partition.hashOf(Buffer.from('awatch'))],
  });
  partition.deletions.toTell.add(another);
  await live.drain();
  const second = await start();
  await until('nothing is left to tell', () => second.view.partition.deletions.toTell.size === 0);
  expect(await told(4)).toEqual([{deletion_id: another, user_ref: refOf('awatch')}]);
});

test('an endpoint of which this process hears late is told what came since it is there', async () => {
  const live = await start();
  const all = endpoints;
  endpoints = [];
  await identify('ada', '{}');
  await until('it is folded', () => live.view.partition.events.identifies.counted === 1);
  expect(queued).toEqual([]);
  endpoints = all;
  live.definitionsChanged();
  await until('it is told', () => queued.length === 1);
  live.definitionsChanged();
  await identify('bob', '{}');
  await until('the next one is told', () => queued.length === 2);
  expect(new Set(queued.map(({id}) => id)).size, 'nothing is told twice').toBe(2);
});

test('effects that wait are bounded: the fold waits for their queue, and goes on with it, reads and snapshots too', async () => {
  const live = await start();
  const {partition, snapshots} = live.view;
  const [messages, perMessage] = [20, 5_000];
  const identified = (): number => partition.events.identifies.counted;
  const newest = async (): Promise<number> => (await role.jsm.streams.info(logStream(0))).state.last_seq;
  hold();
  let [first, tick] = [0, 0];
  for (let message = 0; message < messages; message++) {
    const sequence = await role.append((into) => {
      for (let at = 0; at < perMessage; at++) writeIdentify(into, `user ${message * perMessage + at}`, '{}', day);
      return perMessage;
    });
    if (message === 0) first = sequence;
    if (message !== 9) continue;
    tick = sequence + 1;
    void live.force(); // Unless the tick of the start came later than the first message: then its snapshot is running.
    await until('the tick of a snapshot is in the log', async () => (await newest()) >= tick);
  }
  await until('triggers are under way', () => queued.length > 0);
  for (let i = 0; i < 50; i++) await role.nc.flush();
  expect(identified(), 'the fold waits').toBe(perMessage);
  expect(queued.length, 'few are under way').toBeLessThan(2_000);
  const read = live.whenApplied(tick, 60_000);
  allow();
  hold(60_000);
  expect(await read, 'a read that waits for a later message').toBe(true);
  await until('a snapshot is published while later effects wait', () => snapshots.publishedSequence > first);
  for (let i = 0; i < 50; i++) await role.nc.flush();
  expect(identified() - queued.length, 'the fold waits again').toBeLessThan(2 * perMessage);
  allow();
  await until('all is queued', () => queued.length === messages * perMessage);
  expect(new Set(queued.map(({id}) => id)).size).toBe(messages * perMessage);
});

test('who completes a funnel is told right behind the event, with the times of the path', async () => {
  const live = await start();
  await until('the funnel has begun', () => live.view.partition.completions.hasBegun(funnel.id));
  await track('ada', 'cart', 1);
  await track('ada', 'visit', 2);
  await track('ada', 'buy', 3);
  await until('it is told', () => queued.length === 1);
  await track('ada', 'buy', 4);
  expect(await said(live, queued[0]!)).toEqual({
    userId: 'ada',
    user_ref: expect.stringMatching(/^ref of \w+$/),
    funnel: {id: 'fn_1', name: 'Checkout'},
    completed_at: '2026-05-01T00:03:00.000Z',
    entered_at: '2026-05-01T00:01:00.000Z',
  });
});

test('what is said of a stall has the times of its reference, and of an erased user nothing is said', async () => {
  const live = await start();
  const folded = await track('ada', 'cart', 1);
  await until('it is folded', () => live.view.partition.appliedSequence >= folded);
  const [enteredMs, reachedMs] = [day + 60_000, day + 120_000];
  const of = {partition: 0, generation: 1, user: 0, funnel: 'fn_1', alert: 'al_1', reached: 2, reachedMs, enteredMs};
  const trigger: Trigger = {v: 1, id: 'msg_1', type: 'funnel.stalled', timestampMs: day, of};
  expect(await said(live, trigger)).toEqual({
    userId: 'ada',
    user_ref: expect.stringMatching(/^ref of \w+$/),
    alert: {id: 'al_1'},
    funnel: {id: 'fn_1', name: 'Checkout'},
    reached: 2,
    reached_at: '2026-05-01T00:02:00.000Z',
    entered_at: '2026-05-01T00:01:00.000Z',
  });
  expect(await said(live, {...trigger, of: {...of, generation: 2}})).toBe('effect_gone');
  expect(await said(live, {...trigger, of: {...of, funnel: 'fn_2'}})).toBe('effect_gone');
  await append((writer) => writeErase(writer, 'u', 'ada', deletionId, day));
  await until('the deletion is told', () => queued.length === 1);
  expect(await said(live, trigger)).toBe('effect_gone');
});

test('a completed deletion that was not told before a stop is told by the next start, under the same id', async () => {
  const first = await start();
  await track('ada', 'visit', 0);
  await append((writer) => writeErase(writer, 'u', 'ada', deletionId, day));
  await until('it is told', () => queued.length === 1);
  // As a crash right behind the receipt leaves it.
  first.view.partition.deletions.toTell.add(deletionId);
  await first.drain();
  const second = await start();
  await until('it is told again', () => queued.length === 2);
  expect(queued[1]).toEqual(queued[0]);
  await until('nothing is left to tell', () => second.view.partition.deletions.toTell.size === 0);
});
