// What clients make grow is counted, and is an alarm before memory ends.
import {expect, test} from 'vitest';
import {noteNewestNames} from '../../actors/chunk/property-names.js';
import {writeErase, writeEvent, writeIdentify, writeLink} from '../../actors/log/entries.js';
import {DistinctNames, distinctNamesMax} from '../../actors/table/distinct-names.js';
import {createLogger} from '../../src/observe.js';
import {Alarms} from '../../src/partition/alarms.js';
import {dictionariesOf} from '../../src/partition/dictionaries.js';
import {MemoryShell} from '../support/memory-shell.js';

const day = Date.UTC(2026, 4, 1);
const ample = 2 ** 30;
const quiet = {
  snapshotAgeMs: null,
  refreshMs: 1_000,
  isHalted: false,
  dedupeWindowMs: Number.POSITIVE_INFINITY,
  gapAgeMs: null,
  logLossAgeMs: null,
  lateUsers: 0,
  movesWaitedMs: 0,
};

/** Ten users with one event and one identify call each, and `count` names of their own in both. */
async function shellWith(count: number): Promise<MemoryShell> {
  const shell = new MemoryShell();
  const manyOf = (first: number): object =>
    Object.fromEntries(Array.from({length: count}, (_, at) => [`id_${first * count + at}`, at]));
  await shell.append((writer) => writeLink(writer, 'a1', 'u1', day));
  for (let n = 0; n < 10; n++) {
    const event = {event: 'e', userId: `u${n}`, timeMs: day, receivedMs: day, context: {library: 'x'}};
    await shell.append((writer) => writeEvent(writer, {...event, properties: {...manyOf(n)}}));
    await shell.append((writer) => writeIdentify(writer, `u${n}`, JSON.stringify(manyOf(n)), day, {}));
  }
  return shell;
}

function judged(shell: MemoryShell, memoryBytesMax = ample) {
  const propertyNames = new DistinctNames();
  const {partition} = shell;
  // As each snapshot does.
  noteNewestNames(propertyNames, partition.open.columnsView(), partition.open.blocks());
  const dictionaries = dictionariesOf(partition, {propertyNames}, memoryBytesMax);
  const alarms = new Alarms(0, createLogger('silent', 'test')).look({...quiet, dictionaries});
  return {alarms, entries: Object.fromEntries(dictionaries.map(({dictionary, entries}) => [dictionary, entries]))};
}

test('names that are made of ids raise the alarm, and names that people give do not', async () => {
  expect(judged(await shellWith(20))).toEqual({
    alarms: [],
    entries: {users: 10, devices: 1, property_names: 200, trait_names: 200},
  });
  expect(judged(await shellWith(210))).toMatchObject({
    alarms: ['dictionaries'],
    entries: {property_names: 2_100, trait_names: 2_100},
  });
});

test('users raise the alarm at a quarter of the memory', async () => {
  const shell = await shellWith(1);
  const {keys, offsets, slots} = shell.partition.users.table.memory();
  const taken = keys + offsets + slots;
  expect(judged(shell, 4 * taken).alarms).toEqual(['dictionaries']);
  expect(judged(shell, 16 * taken).alarms).toEqual([]);
});

test('rows of a deleted user are not counted', async () => {
  const shell = await shellWith(20);
  await shell.append((writer) => writeErase(writer, 'u', 'u3', 'del_0_a', day));
  expect(judged(shell).entries).toMatchObject({users: 9, property_names: 180});
});

test('names beyond the bound are not told apart', () => {
  const names = new DistinctNames();
  for (let n = 0; n < 2 * distinctNamesMax; n++) names.note(Uint8Array.of(n, n >> 8), 0, 2);
  expect(names.count).toBe(distinctNamesMax);
});
