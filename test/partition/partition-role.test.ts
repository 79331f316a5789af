// The partition role on a real nats-server: folds, publishes, answers, recovers, erases.
import type {JetStreamManager} from '@nats-io/jetstream';
import {afterEach, describe, expect, test} from 'vitest';
import type {ByteWriter} from '../../actors/bytes/bytes.js';
import type {DedupeState} from '../../actors/dedupe/dedupe.js';
import type {DeletionsState} from '../../actors/deletions.js';
import {type AcceptedEvent, writeErase, writeEvent, writeIdentify} from '../../actors/log/entries.js';
import {encodeManifest, manifestFormat, partsOf} from '../../actors/manifest.js';
import type {PartitionAnswer} from '../../src/asks/partition.js';
import {AckedSequences, newAckedSequences} from '../../src/ingest/acked-sequences.js';
import {partValues} from '../../src/nats/part-values.js';
import {bucketStream, bucketSubject, logStream} from '../../src/nats/topology.js';
import {createLogger} from '../../src/observe.js';
import {loadRowKernel} from '../../src/partition/row-kernel.js';
import {ManifestStore} from '../../src/partition/snapshot/manifest-store.js';
import {PartStore} from '../../src/partition/snapshot/part-store.js';
import {PartSweep} from '../../src/partition/snapshot/part-sweep.js';
import {noNote, type PositionNote} from '../../src/partition/snapshot/position-note.js';
import {recover} from '../../src/partition/snapshot/recovery.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {steadyRefreshPlan} from '../../src/refresh.js';
import {freePort} from '../../tools/chaos/free-port.js';
import {searchDisk} from '../../tools/disk-search.js';
import {partOwner} from '../support/part-owner.js';
import {PartitionRole} from '../support/partition-role.js';
import {temporaryFolder} from '../support/service.js';
import {until} from '../support/until.js';

let role: PartitionRole;
afterEach(() => role.close());

const day = Date.UTC(2026, 4, 1);
const event = (userId: string, name: string, timeMs: number, more: Partial<AcceptedEvent> = {}): AcceptedEvent => ({
  event: name,
  userId,
  timeMs,
  receivedMs: day,
  properties: {n: timeMs - day, text: `of ${userId}`},
  ...more,
});
const events = (all: readonly AcceptedEvent[]) => (writer: ByteWriter) => {
  for (const one of all) writeEvent(writer, one);
  return all.length;
};

const user = (id: string) => ({kind: 'user', id}) as const;
const asked = async <K extends PartitionAnswer['kind']>(kind: K, answer: Promise<PartitionAnswer>) => {
  const given = await answer;
  expect(given.kind).toBe(kind);
  return given as Extract<PartitionAnswer, {kind: K}>;
};

/** The receipt of a deletion, once it is completed. */
const receiptOf = (id: string) =>
  until(`${id} is completed`, async () => {
    const {deletion} = await asked('deletion', role.ask({ask: 'deletion', id, waitMs: 20_000}));
    return deletion.status === 'completed' && deletion;
  });

const movedOn: PartitionAnswer = {kind: 'moved', message: 'another process owns the partition now'};

const measured = async () => (await asked('measures', role.ask({ask: 'measures'}))).partition;

const ordinalOf = (text: string | null): number => Number(JSON.parse(text!).id.split('-')[1]);

async function historyOf(id: string): Promise<string[]> {
  const {ordinals} = await asked('history', role.ask({ask: 'history', user: user(id), limit: 1_000}));
  const {events: texts} = await asked('bodies', role.ask({ask: 'bodies', ordinals}));
  // Nothing at all of an unknown user.
  const {events: atOnce} = await asked(
    'history',
    role.ask({ask: 'history', user: user(id), limit: 1_000, withEvents: true}),
  );
  expect(atOnce ?? []).toEqual([...texts].sort((a, b) => ordinalOf(a) - ordinalOf(b)));
  return texts.map((text) => {
    const body = JSON.parse(text as string);
    return `${body.event} ${body.properties.n} ${body.id}`;
  });
}

test('what was appended is answered at once, and by a thread that starts later', async () => {
  role = await PartitionRole.create();
  await role.startWorker();
  await role.append(
    events([
      event('ada', 'late', day + 5),
      event('bob', 'x', day + 6, {messageId: 'm1'}),
      event('ada', 'first', day + 1),
    ]),
  );
  await role.append((writer) => {
    writeIdentify(writer, 'ada', '{"plan":"free","city":"Ulm"}', day + 3);
    writeIdentify(writer, 'ada', '{"plan":"pro"}', day + 2);
    writeEvent(writer, event('bob', 'x', day + 6, {messageId: 'm1'}));
    return 3;
  });
  const check = async () => {
    expect(await historyOf('ada')).toEqual(['late 5 0-0', 'first 1 0-2']);
    expect(await historyOf('bob')).toEqual(['x 6 0-1']);
    expect(await role.ask({ask: 'profile', user: user('ada')})).toEqual({
      kind: 'profile',
      id: 'ada',
      traitsJson: '{"plan":"pro","city":"Ulm"}',
      secretTraits: [],
      createdMs: day + 1,
      lastSeenMs: day + 5,
      traitsOverLimit: 0,
    });
    expect(await role.ask({ask: 'profile', user: {kind: 'anonymous', id: 'ada'}})).toEqual({kind: 'unknown_user'});
  };
  await check();
  await role.killWorker();
  await role.startWorker();
  await check();
  await role.drainWorker();
  await role.startWorker();
  await check();
  // A user that an earlier process knew is identified again: its traits are loaded before they are merged.
  await role.append((writer) => {
    writeIdentify(writer, 'ada', '{"city":null}', day + 9);
    return 1;
  });
  const {traitsJson} = await asked('profile', role.ask({ask: 'profile', user: user('ada')}));
  expect(traitsJson).toBe('{"plan":"pro","city":null}');
});

test('the edge of the same process asks without NATS, and is answered when what it was acked is folded', async () => {
  role = await PartitionRole.create();
  const numbers = newAckedSequences(1);
  const acked = new AckedSequences(numbers);
  await role.startWorker({ackedSequences: numbers});
  const exists = (id: string, seen?: BigInt64Array) => role.askHere({ask: 'exists', user: user(id)}, seen);
  await asked('unknown_user', exists('ada'));
  acked.acked(0, await role.append(events([event('ada', 'x', day)])));
  await asked('known_user', exists('ada'));
  const {published} = await asked('status', role.askHere({ask: 'status'}));
  expect(published).not.toBeNull();
  // What is acked and not there yet is waited for; what another one appended is not asked for.
  const sequence = await role.append(events([event('bob', 'x', day)]));
  acked.acked(0, sequence + 1);
  const waiting = exists('eve');
  await role.append(events([event('eve', 'x', day)]));
  await asked('known_user', waiting);
  // Nor is what is acked once the question has left.
  const left = exists('eve', acked.copy());
  acked.acked(0, sequence + 1_000);
  await asked('known_user', left);
  expect(await exists('eve')).toEqual({kind: 'unavailable', message: 'the partition is behind its log'});
  // Rows that are not folded yet were not erased.
  const bodies = (ordinal: number) => role.askHere({ask: 'bodies', ordinals: [ordinal]});
  expect(await bodies(3)).toMatchObject({kind: 'unavailable'});
  expect((await asked('bodies', bodies(2))).events).toHaveLength(1);
  acked.startConnection();
  await asked('known_user', exists('eve'));
});

test('an erased user is gone from live answers and parts, late retries do not bring it back, others start it afresh', async () => {
  role = await PartitionRole.create();
  await role.startWorker();
  const secret = 'marker of carol in properties';
  const first = await role.append(
    events([
      // A short value stands in a column, a long one in a body, which is compressed.
      event('carol', 'only carol', day + 1, {messageId: 'c1', properties: {n: 1, secret, long: secret.repeat(100)}}),
      event('dan', 'shared', day + 2),
      event('carol', 'shared', day + 3, {messageId: 'c2', properties: {n: 3, secret}}),
    ]),
  );
  await role.append((writer) => {
    writeIdentify(writer, 'carol', `{"secret":"${secret}"}`, day + 3);
    return 1;
  });
  await role.published(first);
  const forms = () => new Set(searchDisk(role.dataDir, [secret]).map(({form}) => form));
  expect(forms()).toEqual(new Set(['raw', 'gzip raw']));

  await role.append((writer) => {
    writeErase(writer, 'u', 'carol', 'del_0_1', day + 4);
    return 1;
  });
  const deletion = await receiptOf('del_0_1');
  expect(deletion).toMatchObject({id: 'del_0_1', status: 'completed', events_deleted: 2});
  expect(await asked('unknown_user', role.ask({ask: 'profile', user: user('carol')}))).toMatchObject({
    deletion: {id: 'del_0_1'},
  });
  expect(await historyOf('carol')).toEqual([]);
  expect(await historyOf('dan')).toEqual(['shared 2 0-1']);
  expect(deletion.verified).toHaveLength(4);
  expect(forms()).toEqual(new Set());

  const check = async () => expect(await historyOf('carol')).toEqual(['shared 9 0-3']);
  await role.append(
    events([event('carol', 'only carol', day + 1, {messageId: 'c1'}), event('carol', 'shared', day + 9)]),
  );
  await check();
  await role.killWorker();
  await role.startWorker();
  await check();
  const late = await role.append(
    events([
      event('carol', 'only carol', day + 1, {messageId: 'c1'}),
      event('carol', 'shared', day + 3, {messageId: 'c2'}),
    ]),
  );
  await check();
  const {index} = await role.published(late);
  const {dedupe, deletions} = index.values as unknown as {dedupe: DedupeState; deletions: DeletionsState};
  expect(dedupe.erasedIds.map(({count}) => count)).toEqual([2]);
  expect([deletions.pending, deletions.parts.map(({count}) => count)]).toEqual([[], [1]]);
  expect(await asked('unknown_deletion', role.ask({ask: 'deletion', id: 'del_0_2', waitMs: 0}))).toBeDefined();
  expect(await asked('deletion', role.ask({ask: 'deletion', id: 'del_0_1', waitMs: 0}))).toMatchObject({
    deletion: {events_deleted: 2},
  });
});

describe('a late retry of an erased event leaves the disk', () => {
  const marker = 'marker of finn in properties';
  const retried = events([event('finn', 'x', day + 1, {messageId: 'f1', properties: {marker}})]);

  async function erase(): Promise<void> {
    role = await PartitionRole.create();
    // The next tick comes too late for it.
    await role.startWorker({reportRefresh: steadyRefreshPlan(600_000)});
    await role.append(retried);
    await role.append((writer) => {
      writeErase(writer, 'u', 'finn', 'del_0_1', day + 4);
      return 1;
    });
  }

  async function retry(): Promise<void> {
    await erase();
    await receiptOf('del_0_1');
    await role.append(retried);
    expect(await historyOf('finn')).toEqual([]);
    expect(searchDisk(role.dataDir, [marker])).toHaveLength(1);
  }

  test('within seconds', async () => {
    await retry();
    await until('nothing of it is left', () => searchDisk(role.dataDir, [marker]).length === 0);
  });

  test('after the next start, when its process was killed', async () => {
    await retry();
    await role.killWorker();
    await role.startWorker({reportRefresh: steadyRefreshPlan(600_000)});
    await until('nothing of it is left', () => searchDisk(role.dataDir, [marker]).length === 0);
  });
});

test('a snapshot of nothing new puts its index alone', async () => {
  role = await PartitionRole.create();
  await role.startWorker({reportRefresh: steadyRefreshPlan(50)});
  const keysOf = ({index}: Awaited<ReturnType<PartitionRole['published']>>) => [...partsOf(index)].map(({key}) => key);
  const first = await role.published(await role.append(events([event('ada', 'x', day)])));
  const idle = await role.published(first.manifest.position.sequence + 3);
  expect(keysOf(idle)).toEqual(keysOf(first));
  expect(idle.manifest.index.key).not.toBe(first.manifest.index.key);
  const counted = await role.published(await role.append(events([event('ada', 'x', day)])));
  const countsIn = ({index}: typeof counted) => index.parts['aggregator.counts']![0]!.part;
  expect(countsIn(counted).key).not.toBe(countsIn(first).key);
  const counts = await counted.cache.load(countsIn(counted));
  expect([...new Float64Array(counts.buffer, counts.byteOffset, counts.length / 8)]).toEqual([2]);
});

/** A start in this thread. */
function recoverHere(note: PositionNote) {
  const seeds = [1, 2, 3] as const;
  const setup = {partition: 0, partitions: 1, seeds, dedupeBytesMax: 1_024 * 1_024, rowKernel: loadRowKernel()};
  const cache = new PartsCache(partValues(role.jsm), 0);
  const manifests = new ManifestStore(role.js, role.jsm, 0, () => {});
  return recover(setup, {manifests, cache, jsm: role.jsm, note, log: createLogger('silent', 'test')});
}

/** As a successor does first of all. */
async function takeOver(): Promise<void> {
  const other = await role.manifest();
  const bytes = new TextEncoder().encode(JSON.stringify({...other, epoch: other.epoch + 1}));
  await role.js.publish(bucketSubject('manifests', 'p0'), bytes);
}

test('a second owner fences the first', async () => {
  role = await PartitionRole.create();
  await role.startWorker();
  await takeOver();
  await until('the first owner stops', () => role.lost.length > 0);
  expect(role.lost[0]).toMatch(/another owner wrote the manifest/);
  expect(role.fatal).toEqual([]);
});

test('a part that a successor swept is no damage: who was outlived ends as one that is fenced', async () => {
  role = await PartitionRole.create();
  await role.startWorker();
  await eventsThenSnapshot();
  await role.drainWorker();
  await role.startWorker({reportRefresh: steadyRefreshPlan(3_600_000), cacheBytesMax: 0});
  await takeOver();
  await role.jsm.streams.purge(bucketStream('parts-0'));
  const answer = await role.askOnce({ask: 'profile', user: {kind: 'user', id: 'ada'}});
  expect(answer).toEqual(movedOn);
  expect(role.lost).toEqual([expect.stringContaining('another owner wrote the manifest')]);
  expect(role.fatal).toEqual([]);
});

test('an owner that publishes while it is taken over holds nobody up', async () => {
  role = await PartitionRole.create();
  await role.startWorker();
  await eventsThenSnapshot();
  await role.drainWorker();
  const before = await role.manifest();
  let reads = 0;
  const read = async (): Promise<undefined> => {
    reads += 1;
    if (reads > 1) return;
    await role.manifest(); // Behind the read of the start, which was asked for first.
    await role.js.publish(bucketSubject('manifests', 'p0'), encodeManifest({...before, asOfMs: before.asOfMs + 1}));
  };
  const recovered = await recoverHere({...noNote, read});
  expect([reads, recovered.epoch, recovered.manifest?.asOfMs]).toEqual([2, before.epoch + 1, before.asOfMs + 1]);
});

test('a store that lost its newest manifest is no other owner: a start goes on, and counts all that the log has', async () => {
  role = await PartitionRole.create();
  await role.startWorker({reportRefresh: steadyRefreshPlan(50)});
  await eventsThenSnapshot();
  await role.jsm.streams.purge(bucketStream('manifests'), {filter: bucketSubject('manifests', 'p0')});
  await until('the owner stops', () => role.fatal.length > 0);
  expect(role.fatal[0]).toMatch(/KV_manifests lost the newest manifest/);
  await role.killWorker();
  await role.startWorker();
  const answer = await role.ask({ask: 'exists', user: {kind: 'user', id: 'ada'}});
  expect(answer.kind).toBe('known_user');
});

test('a NATS that went while the thread started is named', async () => {
  role = await PartitionRole.create();
  const starting = role.startWorker({nats: {servers: [`127.0.0.1:${await freePort()}`]}});
  await expect(starting).rejects.toThrow(/no NATS server answers at 127\.0\.0\.1:\d+: /);
});

/** One message each, a millisecond apart. */
async function eventsOf(...names: readonly string[]): Promise<void> {
  for (const [at, name] of names.entries()) await role.append(events([event('ada', name, day + 1 + at)]));
}

async function eventsThenSnapshot(): Promise<void> {
  await role.append(events([event('ada', 'first', day + 1)]));
  const second = await role.append(events([event('ada', 'second', day + 2)]));
  await role.published(second);
}

test('a log that lost its tail under a running partition: another machine that takes over before the next tick gives every event the id that it had', async () => {
  role = await PartitionRole.create();
  await role.startWorker({reportRefresh: steadyRefreshPlan(600_000)});
  const {position} = await role.manifest();
  await eventsOf('first', 'second');
  expect(await historyOf('ada')).toEqual(['second 2 0-1', 'first 1 0-0']);
  await role.loseTail(position.sequence + 1);
  await role.killServer();
  await until('the connection is back', () => role.jsm.getAccountInfo().catch(() => undefined));
  await role.append(events([event('ada', 'third', day + 3)]));
  await until('a live read sees it', async () => (await historyOf('ada').catch(() => [])).length === 3);
  // What names an event to receivers: where its row was first, and in which generation.
  const named = async () => ({
    history: await historyOf('ada'),
    generations: (await asked('tail', role.ask({ask: 'tail', from: 0, limit: 0}))).generations,
  });
  const before = await named();
  expect(await role.ask({ask: 'generation'})).toEqual({kind: 'generation', generation: 2});
  expect(await measured()).toMatchObject({alarms: expect.arrayContaining(['log_lost']), logLosses: 1, gaps: 0});
  expect(before).toEqual({
    history: ['third 3 0-2', 'second 2 0-1', 'first 1 0-0'],
    generations: [
      {generation: 1, ordinal: 0, users: 0},
      {generation: 2, ordinal: 2, users: 1},
    ],
  });
  await role.killWorker();
  expect((await role.manifest()).position).toEqual({generation: 2, sequence: 0});
  await role.startWorker({dataDir: temporaryFolder(), reportRefresh: steadyRefreshPlan(600_000)});
  expect(await named()).toEqual(before);
  expect(await measured()).toMatchObject({logLosses: 0, generation: 2});
});

test('a start that begins a generation has published it before it folds: a start elsewhere continues in it', async () => {
  role = await PartitionRole.create();
  await role.startWorker();
  await eventsThenSnapshot();
  await role.drainWorker();
  const {position, mark} = await role.manifest();
  const start = async (note: PositionNote) => {
    const {partition, epoch} = await recoverHere(note);
    return {generations: partition.generations, sequence: partition.appliedSequence, epoch};
  };
  const noted = {...position, sequence: position.sequence + 5, mark: 'a lost message', epoch: 1};
  const first = await start({...noNote, read: async () => noted});
  expect(first.generations).toEqual([
    {generation: 1, ordinal: 0, users: 0},
    {generation: 2, ordinal: 2, users: 1},
  ]);
  expect(await role.manifest()).toMatchObject({position: {...position, generation: 2}, mark, epoch: first.epoch});
  expect(await start(noNote)).toEqual({...first, epoch: first.epoch + 1});
});

test('a number that a producer skipped is an alarm and a count', async () => {
  role = await PartitionRole.create();
  await role.startWorker();
  await role.append(events([event('ada', 'first', day + 1)]));
  role.skipNumber();
  await role.published(await role.append(events([event('ada', 'second', day + 2)])));
  let now = await measured();
  await until('the newest tick is folded', async () => {
    now = await measured();
    return now.lagMessages === 0;
  });
  expect(now).toMatchObject({
    alarms: expect.arrayContaining(['gap']),
    gaps: 1,
    logLosses: 0,
    events: {counted: 2},
    lagMessages: 0,
  });
  // A day's worth of ticks would pass before it is over; a thread that starts anew did not see it.
  await role.drainWorker();
  await role.startWorker();
  expect(await measured()).toMatchObject({alarms: expect.not.arrayContaining(['gap']), gaps: 0});
});

test('a snapshot that lost a part is not used: the one before and the log behind it give the same answers', async () => {
  role = await PartitionRole.create();
  await role.startWorker();
  await eventsThenSnapshot();
  await role.drainWorker();
  const {index} = await role.manifest();
  for (const seq of index.revisions) await role.jsm.streams.deleteMessage(bucketStream('parts-0'), seq, true);
  await role.startWorker();
  expect(await historyOf('ada')).toEqual(['second 2 0-1', 'first 1 0-0']);
});

test.each([
  ['an identify whose profile', (writer: ByteWriter) => writeIdentify(writer, 'ada', '{"plan":"free"}', day + 9)],
  [
    'a deletion one of whose records',
    (writer: ByteWriter) => writeErase(writer, 'u', 'ada', `del_0_${'0'.repeat(32)}`, day + 9),
  ],
])('%s cannot be read: the partition is halted, says so, and still stops in good order', async (_what, write) => {
  role = await PartitionRole.create();
  await role.startWorker();
  await eventsThenSnapshot();
  await role.drainWorker();
  const {index, manifest} = await role.published(1);
  const {part} = index.userRuns[0].blocks[0];
  // A log that has everything would replace the part.
  await role.jsm.streams.purge(logStream(0), {seq: manifest.position.sequence});
  for (const seq of part.revisions) await role.jsm.streams.deleteMessage(bucketStream('parts-0'), seq, true);
  await role.startWorker();
  await role.append((writer) => {
    write(writer);
    return 1;
  });
  await asked('unavailable', role.askOnce({ask: 'profile', user: user('ada')}));
  const status = await asked('status', role.ask({ask: 'status'}));
  expect(status).toMatchObject({phase: 'halted', damagedParts: 1});
  expect(await measured()).toMatchObject({alarms: expect.arrayContaining(['standing_still']), damagedParts: 1});
  // A tick may come after the entry, and a busy server may not say how long its log is.
  await until('the lag is known', async () => [1, 2].includes((await measured()).lagMessages ?? 0));
  expect(role.fatal).toEqual([]);
  await role.drainWorker();
  await role.startWorker(); // It starts beside the others, and is halted again.
  expect(await role.ask({ask: 'status'})).toMatchObject({phase: 'halted'});
  await role.drainWorker();
});

test('manifests that were lost together with the end of the log are noticed by the position that was noted outside', async () => {
  role = await PartitionRole.create();
  await role.startWorker();
  await eventsThenSnapshot();
  await role.killWorker();
  await role.loseTail(2);
  await role.jsm.streams.purge(bucketStream('manifests'));
  await role.startWorker();
  expect(await historyOf('ada')).toEqual(['first 1 0-0']);
  expect((await role.manifest()).position.generation).toBe(2);
  const second = await role.append(events([event('ada', 'second', day + 2)]));
  await role.published(second);
  expect(await historyOf('ada')).toEqual(['second 2 0-1', 'first 1 0-0']);
});

test('when all parts are lost, and the log lost its tail, the partition starts halted: its log takes events', async () => {
  role = await PartitionRole.create();
  await role.startWorker();
  await eventsThenSnapshot();
  await role.killWorker();
  await role.loseTail(2);
  await role.jsm.streams.purge(bucketStream('parts-0'));
  await role.startWorker();
  const status = await asked('status', role.askOnce({ask: 'status'}));
  expect(status).toMatchObject({phase: 'halted', published: null, lag: null});
  expect(await measured()).toMatchObject({alarms: ['standing_still'], snapshot: null});
  await asked('unavailable', role.askOnce({ask: 'profile', user: user('ada')}));
  await asked('unavailable', role.askOnce({ask: 'generation'}));
  await role.append((writer) => {
    writeIdentify(writer, 'ada', '{"plan":"free"}', day + 9);
    return 1;
  });
  expect(role.fatal).toEqual([]);
  await role.drainWorker();
});

/** The same, but for how it erases. */
function erasingBy(
  jsm: JetStreamManager,
  deleteMessage: JetStreamManager['streams']['deleteMessage'],
): JetStreamManager {
  const streams = Object.assign(Object.create(jsm.streams), {deleteMessage});
  return Object.assign(Object.create(jsm), {streams});
}

test('parts are erased over a connection of their own: nothing else waits for it', async () => {
  role = await PartitionRole.create();
  const {jsm} = role;
  let allow = () => {};
  const allowed = new Promise<void>((resolve) => {
    allow = resolve;
  });
  const never = erasingBy(jsm, () => Promise.reject(new Error('erased over the connection of puts and reads')));
  const late = erasingBy(jsm, async (...asked) => {
    await allowed;
    return jsm.streams.deleteMessage(...asked);
  });
  const store = new PartStore(role.js, role.jsm, 0, partOwner());
  const erasing = {jsm: late, run: () => 'the only one', isOfCluster: () => false};
  const sweep = new PartSweep({partition: 0, parts: store, jsm: never, erasing, log: createLogger('silent', 'test')});
  const ref = await store.put(Buffer.from('payload'));
  store.retire(ref);
  const values = store.takeRetired(new Set());
  sweep.add(values);
  await store.put(Buffer.from('another payload'));
  expect(await sweep.stillThere(values)).toEqual(values);
  allow();
  await sweep.settle();
  expect(await sweep.stillThere(values)).toEqual([]);
});

test('data of another format stops the start with one line that says who wrote it and how to go on', async () => {
  role = await PartitionRole.create();
  await role.startWorker();
  await role.drainWorker();
  const format = manifestFormat + 1;
  const newer = {...(await role.manifest()), format, writtenBy: 'Millrace 9.0.0 (commit abc)'};
  await role.js.publish(bucketSubject('manifests', 'p0'), JSON.stringify(newer));
  await expect(role.startWorker()).rejects.toThrow(
    `the data has format ${format}, written by Millrace 9.0.0 (commit abc); this version reads format ${manifestFormat} alone: to go on, start the version that wrote it and run "npm run export -- FILE", then start this version with an empty DATA_DIR and run "npm run import -- FILE"`,
  );
});

test('of two owners of one epoch, none leaves what the other one could take for its own', async () => {
  role = await PartitionRole.create();
  const [first, second] = [1, 1].map((epoch) => new PartStore(role.js, role.jsm, 0, partOwner(epoch)));
  const payloads = [Buffer.from('of the first owner'), Buffer.from('of the second owner')];
  const refs = [await first.put(payloads[0]), await second.put(payloads[1])];
  const cache = new PartsCache(partValues(role.jsm), 1_024);
  for (const [i, ref] of refs.entries()) expect(Buffer.from(await cache.load(ref))).toEqual(payloads[i]);
  const erasing = {jsm: role.jsm, run: () => 'the only one', isOfCluster: () => false};
  const log = createLogger('silent', 'test');
  const sweep = new PartSweep({partition: 0, parts: second, jsm: role.jsm, erasing, log});
  sweep.addOrphans(new Set());
  await sweep.settle();
  await expect(new PartsCache(partValues(role.jsm), 0).load(refs[0])).rejects.toThrow(/is not in the store/);
  expect(Buffer.from(await cache.load(refs[1]))).toEqual(payloads[1]);
});
