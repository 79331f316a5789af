// Partitions folded into another number: what they say is what partitions of that number would have said from the first entry on.
import {expect, test} from 'vitest';
import {type ByteWriter, wtf8} from '../../actors/bytes/bytes.js';
import {partitionOf} from '../../actors/bytes/hash.js';
import {eventJson} from '../../actors/chunk/event-texts.js';
import {writeComplete, writeErase, writeEvent, writeIdentify, writeLink, writeTick} from '../../actors/log/entries.js';
import {Redistribution} from '../../actors/redistribution.js';
import {eventsOf} from '../../src/partition/identity/left-rows.js';
import {loadRecord} from '../../src/partition/snapshot/user-loader.js';
import {Random} from '../../tools/random.js';
import {MemoryShell} from '../support/memory-shell.js';

const day = Date.UTC(2026, 4, 1);
const cacheBytes = 1 << 20;

/** An entry of the user with this key. */
interface Step {
  readonly key: string;
  readonly write: (writer: ByteWriter) => void;
  /** Absent: a copy is not known by an id. */
  readonly hasId?: boolean;
}

/** Events, traits, devices and retries of some users. */
function storyOf(seed: number): Step[] {
  const random = new Random(seed);
  const steps: Step[] = [];
  for (let n = 0; n < 400; n++) {
    const user = random.between(0, 29);
    const timeMs = day + random.between(0, 431999999);
    const isAnonymous = user % 5 === 0;
    const key = `${isAnonymous ? 'a' : 'u'}id-${user}`;
    const ids = isAnonymous ? {anonymousId: `id-${user}`} : {userId: `id-${user}`};
    const messageId = random.between(0, 2) === 0 ? undefined : `m${random.between(0, 199)}`;
    const event = ['visit', 'signup', 'buy'][random.between(0, 2)]!;
    const properties = {n: random.between(0, 8), note: {deep: [n]}};
    if (random.between(0, 5) === 0 && !isAnonymous) {
      const traits = JSON.stringify({city: random.between(0, 4), [`t${random.between(0, 3)}`]: n});
      steps.push({
        key,
        write: (w) => writeIdentify(w, `id-${user}`, traits, timeMs, {messageId: `i${n}`, sentMs: timeMs}),
        hasId: true,
      });
    } else
      steps.push({
        key,
        write: (w) => writeEvent(w, {event, ...ids, messageId, properties, timeMs, receivedMs: timeMs}),
        hasId: messageId !== undefined,
      });
  }
  for (const [device, owner] of [
    ['x', 'id-1'],
    ['y', 'id-2'],
    ['y', 'id-3'],
    ['z', 'id-1'],
  ] as const)
    steps.push({key: `a${device}`, write: (w) => writeLink(w, device, owner, day)});
  for (const user of ['id-7', 'id-8'])
    steps.push({key: `u${user}`, write: (w) => writeErase(w, 'u', user, `del_0_${user}`, day)});
  return steps;
}

class Partitions {
  readonly shells: readonly MemoryShell[];

  constructor(readonly count: number) {
    this.shells = Array.from(
      {length: count},
      (_, partition) => new MemoryShell(undefined, {partition, partitions: count}),
    );
  }

  get partitions() {
    return this.shells.map(({partition}) => partition);
  }

  of(key: string): MemoryShell {
    const bytes = wtf8(key);
    return this.shells[partitionOf(bytes, 0, bytes.length, this.count)]!;
  }

  async play(story: readonly Step[]): Promise<void> {
    for (const shell of this.shells) await shell.append((w) => writeTick(w, day, 86_400_000, 1));
    for (const {key, write} of story) await this.of(key).append(write);
    for (const {deletions} of this.partitions)
      for (const {id} of deletions.pending()) deletions.complete(id, {timeMs: day, verified: []});
  }

  /** The completions of `funnel`, as its owners find them. */
  async complete(keys: readonly string[]): Promise<void> {
    for (const shell of this.shells) {
      const {table} = shell.partition.users;
      const users = keys.flatMap((key) => {
        const bytes = wtf8(key);
        const user = this.of(key) === shell ? table.find(bytes, 0, bytes.length) : -1;
        return user < 0 ? [] : [user];
      });
      await shell.append((w) => writeComplete(w, {stage: 'begin', funnel: 'fn', users: users.sort((a, b) => a - b)}));
    }
  }

  /** By user: events in their order without ids, times, traits, and whether it completed the funnel. */
  async users(): Promise<Record<string, unknown>> {
    const said: Record<string, unknown> = {};
    for (const shell of this.shells) {
      const view = shell.readable(cacheBytes);
      const {partition} = shell;
      const {table} = partition.users;
      const all = [...Array(table.count).keys()].filter((user) => table.has(user));
      const events = new Map<number, unknown[]>(all.map((user) => [user, []]));
      for await (const {entry, user} of eventsOf(view, all)) events.get(user)!.push(eventJson(entry, 0, 0));
      for (const user of all) {
        const {
          user: _,
          chunks: __,
          identifyIds: ___,
          ...record
        } = (await loadRecord(partition, view.layout, view.cache, user))!;
        said[table.text(user)] = [events.get(user), record, partition.completions.has('fn', user)];
      }
    }
    return said;
  }

  /** By device: its owner, and whether it is shared. */
  get devices(): Record<string, unknown> {
    const said: Record<string, unknown> = {};
    for (const {links} of this.partitions)
      for (let device = 0; device < links.devices.count; device++)
        if (links.devices.has(device))
          said[links.devices.text(device)] = [links.owners.text(links.ownerOf(device)), links.isShared(device)];
    return said;
  }
}

/** Folds `from` into partitions of another number. */
async function redistributed(from: Partitions, count: number): Promise<Partitions> {
  const to = new Partitions(count);
  const redistribution = new Redistribution(from.partitions, to.partitions);
  for (const [source, shell] of from.shells.entries()) {
    const {table} = shell.partition.users;
    const users = [...Array(table.count).keys()].filter((user) => redistribution.counts(source, user));
    for await (const {entry, user} of eventsOf(shell.readable(cacheBytes), users))
      redistribution.event(source, entry, user);
  }
  for (const [source, shell] of from.shells.entries()) {
    const {layout, cache} = shell.readable(cacheBytes);
    const {table} = shell.partition.users;
    for (let user = 0; user < table.count; user++) {
      if (!redistribution.counts(source, user)) continue;
      redistribution.user(source, (await loadRecord(shell.partition, layout, cache, user))!);
    }
  }
  redistribution.finish();
  return to;
}

const completed = ['uid-1', 'uid-2', 'uid-9', 'uid-11'];

test.each([
  [1, 4, 1],
  [2, 5, 2],
  [4, 1, 3],
  [5, 3, 4],
])('%i partitions become %i: every user is as if there had never been another number', async (before, after, seed) => {
  const [from, model] = [new Partitions(before), new Partitions(after)];
  const story = storyOf(seed);
  for (const partitions of [from, model]) {
    await partitions.play(story);
    await partitions.complete(completed);
  }
  const to = await redistributed(from, after);
  expect(await to.users()).toEqual(await model.users());
  expect(to.devices).toEqual(model.devices);
  // Across a snapshot and a start as well.
  const again: MemoryShell[] = [];
  for (const shell of to.shells) {
    await shell.publish();
    again.push(await shell.restarted());
  }
  expect(await Object.assign(Object.create(Partitions.prototype), {shells: again, count: after}).users()).toEqual(
    await model.users(),
  );
});

test('copies of all entries are known afterwards, those of erased users as erased', async () => {
  const from = new Partitions(3);
  const story = storyOf(5).filter(({hasId}) => hasId !== undefined);
  const erases = ['id-7', 'id-8'].map((user): Step => {
    return {key: `u${user}`, write: (w) => writeErase(w, 'u', user, `del_0_${user}`, day)};
  });
  await from.play([...story, ...erases]);
  const to = await redistributed(from, 5);
  const copies = story.filter(({hasId}) => hasId);
  for (const {key, write} of copies) await to.of(key).append(write);
  const tallies = to.partitions.flatMap(({events}) => [events.tally, events.identifies]);
  const counted = from.partitions.reduce((sum, {events}) => sum + events.tally.counted, 0);
  const folded = to.partitions.reduce((sum, {events}) => sum + events.tally.counted, 0);
  const erasedEvents = from.partitions
    .flatMap(({deletions}) => [...deletions.values()])
    .reduce((sum, {eventsDeleted}) => sum + eventsDeleted, 0);
  expect(folded).toBe(counted - erasedEvents);
  const known = tallies.reduce((sum, {duplicate, tombstoned}) => sum + duplicate + tombstoned, 0);
  expect(known).toBe(copies.length);
  expect(tallies.reduce((sum, {tombstoned}) => sum + tombstoned, 0)).toBeGreaterThan(0);
  // An id belongs to one partition alone, but for those that nobody has any more.
  const ids = (partitions: Partitions): number =>
    partitions.partitions.reduce((sum, {dedupe}) => sum + dedupe.messageIds.count, 0);
  expect(ids(to) - ids(from)).toBeLessThan(5 * erasedEvents + 5 * 40);
});

test('every partition has every deletion, and all of them together its events once', async () => {
  const from = new Partitions(4);
  await from.play(storyOf(6));
  const to = await redistributed(from, 3);
  for (const user of ['id-7', 'id-8']) {
    const id = `del_0_${user}`;
    const eventsIn = (partitions: Partitions): number[] =>
      partitions.partitions.flatMap(({deletions}) => deletions.get(id)?.eventsDeleted ?? []);
    expect(eventsIn(to)).toHaveLength(3);
    const sum = (events: readonly number[]): number => events.reduce((a, b) => a + b, 0);
    expect(sum(eventsIn(to))).toBe(sum(eventsIn(from)));
    const hash = to.partitions[0]!.hashOf(wtf8(`u${user}`));
    for (const {deletions} of to.partitions) expect(deletions.newestOf(hash)?.id).toBe(id);
  }
});

test('ordinals begin after all old ones, in a generation after all old ones', async () => {
  const from = new Partitions(2);
  await from.play(storyOf(7));
  const rows = Math.max(...from.partitions.map(({open}) => open.count));
  from.partitions[1]!.beginGeneration(4);
  const to = await redistributed(from, 3);
  for (const {open, generation, generations} of to.partitions) {
    expect(open.baseOrdinal).toBe(rows);
    expect([generation, generations[0]!.users]).toEqual([5, 0]);
  }
});
