// A partition after all events of a name were deleted, against one that never had them.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {ByteWriter} from '../../../actors/bytes/bytes.js';
import {dayMs} from '../../../actors/limits.js';
import {
  nameKey,
  writeErase,
  writeEraseOfKey,
  writeEvent,
  writeIdentify,
  writeLink,
  writeTick,
} from '../../../actors/log/entries.js';
import {readChanges} from '../../../src/parts/stored-state.js';
import {KeptParts, MemoryShell} from '../../support/memory-shell.js';
import {runs} from '../../support/runs.js';

const day = Date.UTC(2026, 4, 1);
const junk = 'junk_4711';

interface Told {
  readonly what: 'event' | 'junk' | 'identify' | 'tick' | 'erase user' | 'restart';
  readonly user: number;
  readonly timeMs: number;
  readonly name: number;
  readonly hasId: boolean;
}

const told: fc.Arbitrary<Told> = fc.record({
  what: fc.oneof(
    {weight: 8, arbitrary: fc.constant('event' as const)},
    {weight: 8, arbitrary: fc.constant('junk' as const)},
    {weight: 2, arbitrary: fc.constant('identify' as const)},
    {weight: 2, arbitrary: fc.constant('tick' as const)},
    {weight: 1, arbitrary: fc.constant('erase user' as const)},
    {weight: 1, arbitrary: fc.constant('restart' as const)},
  ),
  user: fc.nat(4),
  timeMs: fc.integer({min: 0, max: 4 * dayMs}).map((ms) => day + ms),
  name: fc.nat(2),
  hasId: fc.boolean(),
});

/** Folds what is told; the messages of junk are there only `withJunk`. */
async function play(story: readonly Told[], withJunk: boolean, erasedAfter: number): Promise<MemoryShell> {
  let shell = new MemoryShell();
  for (const [i, {what, user, timeMs, name, hasId}] of story.entries()) {
    if (i === erasedAfter) await eraseName(shell, `del_0_name${i}`);
    const userId = `u${user}`;
    const messageId = hasId ? `m${i}` : undefined;
    const event = {userId, messageId, timeMs, receivedMs: day, properties: {i, what}};
    if (what === 'event') await shell.append((writer) => writeEvent(writer, {...event, event: `n${name}`}));
    else if (what === 'junk') {
      if (withJunk && i < erasedAfter) await shell.append((writer) => writeEvent(writer, {...event, event: junk}));
    } else if (what === 'identify')
      await shell.append((writer) => writeIdentify(writer, userId, `{"t":${i}}`, timeMs, {messageId}));
    else if (what === 'tick') await shell.append((writer) => writeTick(writer, day + i, 60_000, 1));
    else if (what === 'erase user') await shell.append((writer) => writeErase(writer, 'u', userId, `del_0_${i}`, day));
    else {
      await shell.append((writer) => writeTick(writer, day + i, 60_000, 1));
      shell = await shell.restarted();
    }
  }
  if (erasedAfter >= story.length) await eraseName(shell, 'del_0_name');
  return shell;
}

const eraseName = (shell: MemoryShell, id: string): Promise<void> =>
  shell.append((writer) => writeEraseOfKey(writer, nameKey(junk), id, day));

interface State {
  readonly users: readonly ([string, object] | null)[];
  readonly events: readonly string[];
  readonly windows: unknown;
}

/** What can be asked, without what tells in which order users came, and how many rows there ever were. */
async function askable(shell: MemoryShell) {
  const {users, events, windows} = (await shell.state()) as State;
  const {names} = shell.partition.aggregator;
  const known = users.flatMap((user) => user ?? []);
  const records = users.flatMap((user) => (user === null ? [] : [[user[0], user[1]]]));
  expect(known.length).toBe(2 * records.length);
  return {
    users: records.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    events: events.map((event) => event.replace(/"id":"[^"]*",?/, '')).sort(),
    windows: withNames(windows, (name) => names.text(name)),
    names: Array.from({length: names.count}, (_, name) => name)
      .filter((name) => names.has(name))
      .map((name) => names.text(name))
      .sort(),
  };
}

function withNames(windows: unknown, textOf: (name: number) => string): unknown {
  const {cells, members} = windows as {cells: [string, number][]; members: string[]};
  const named = cells.map(([key, count]) => {
    const [hour, name] = key.split(' ');
    return `${hour} ${textOf(Number(name))} ${count}`;
  });
  return {cells: named.sort(), members};
}

test('a name that was deleted leaves everything as if its events had never been there', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(told, {minLength: 1, maxLength: 40}), fc.nat(45), async (story, erasedAfter) => {
      const [erased, never] = [await play(story, true, erasedAfter), await play(story, false, erasedAfter)];
      expect(await askable(erased)).toEqual(await askable(never));
      // And again after a start.
      expect(await askable(await erased.restarted())).toEqual(await askable(never));
    }),
    {numRuns: runs(30)},
  );
});

test('a late copy of a deleted event is not counted, and a new event makes the name anew', async () => {
  const shell = new MemoryShell();
  const event = {event: junk, userId: 'ada', messageId: 'm', timeMs: day, receivedMs: day};
  const track = (more: object = {}) => shell.append((writer) => writeEvent(writer, {...event, ...more}));
  await track();
  await eraseName(shell, 'del_0_a');
  expect(shell.partition.deletions.get('del_0_a')).toMatchObject({eventsDeleted: 1, isOfName: true, completed: null});
  expect([shell.partition.aggregator.names.live, shell.partition.users.table.live]).toEqual([0, 0]);
  await track();
  expect([shell.partition.events.tally.tombstoned, shell.partition.aggregator.names.live]).toEqual([1, 0]);
  await track({messageId: 'new'});
  expect(await askable(shell)).toMatchObject({names: [junk], users: [['uada', {createdMs: day, lastEventMs: day}]]});
  await eraseName(shell, 'del_0_b');
  await eraseName(shell, 'del_0_c');
  const deleted = [...shell.partition.deletions.values()].map(({id, eventsDeleted}) => [id, eventsDeleted]);
  expect(deleted).toEqual([
    ['del_0_a', 1],
    ['del_0_b', 1],
    ['del_0_c', 0],
  ]);
});

test('events of a deleted name that are on their way to another partition do not come back there', async () => {
  for (const isFirst of ['destination', 'origin']) {
    const values = new KeptParts();
    const [device, owner] = ['a', 'u'];
    const shells = [0, 1].map((partition) => new MemoryShell(undefined, {partition, partitions: 2}, values));
    const homeOf = (key: string) =>
      shells.findIndex(({partition}) => partition.identity.homeOf(Buffer.from(key)) === partition.partition);
    const anonymousId = Array.from({length: 50}, (_, i) => `d${i}`).find((id) => homeOf(device + id) === 0)!;
    const userId = Array.from({length: 50}, (_, i) => `k${i}`).find((id) => homeOf(owner + id) === 1)!;
    const [origin, destination] = shells as [MemoryShell, MemoryShell];
    const track = (event: string, messageId: string) => (writer: ByteWriter) =>
      writeEvent(writer, {event, anonymousId, messageId, timeMs: day, receivedMs: day});
    await origin.append(track(junk, 'm1'));
    await origin.append(track('kept', 'm2'));
    await origin.append((writer) => writeLink(writer, anonymousId, userId, day));
    await origin.publish();
    await origin.leave();
    await origin.publish();
    const [move] = origin.partition.moves.pending;
    origin.isSent = () => true;
    if (isFirst === 'destination') {
      await eraseName(destination, 'del_1_a');
      await origin.sendTo(destination, move!);
      await eraseName(origin, 'del_1_a');
    } else {
      await origin.sendTo(destination, move!);
      await eraseName(origin, 'del_1_a');
      await eraseName(destination, 'del_1_a');
    }
    const published = await destination.publish();
    await origin.publish();
    origin.settle(published);
    expect(await askable(destination)).toMatchObject({names: ['kept'], events: [expect.stringContaining('kept')]});
    expect((await askable(origin)).events.filter((event) => event.includes(junk))).toEqual([]);
    // It is counted once, and a late copy of it is known.
    const counts = shells.map(({partition}) => partition.deletions.get('del_1_a')!.eventsDeleted);
    expect(counts).toEqual([0, 1]);
    expect(destination.partition.dedupe.tombstones.count).toBe(1);
  }
});

test('readers of changes are told of the name by a reference, and up to where', async () => {
  const shell = new MemoryShell();
  for (const event of [junk, 'kept', junk])
    await shell.append((writer) => writeEvent(writer, {event, userId: 'ada', timeMs: day, receivedMs: day}));
  await eraseName(shell, 'del_0_a');
  await shell.publish();
  const {layout, cache, partition} = shell.readable(0);
  const parts = layout.actors.stored.parts['changes.records']!;
  const records = await Promise.all(parts.map(async ({part}) => readChanges(await cache.load(part), part)));
  expect(records.flat().flatMap(({facts}) => facts)).toEqual([
    {kind: 'erased', eventHash: partition.hashOf(nameKey(junk)), through: '0-2'},
  ]);
  expect(JSON.stringify(records)).not.toContain(junk);
});
