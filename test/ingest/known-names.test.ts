// Which names of events pass at the edge.
import {expect, test} from 'vitest';
import {wtf8} from '../../actors/bytes/bytes.js';
import {writeEvent} from '../../actors/log/entries.js';
import type {NamesAnswer, NamesQuestion} from '../../src/asks/names.js';
import {NamesWatch} from '../../src/edge/query/names-watch.js';
import type {BatchRead} from '../../src/ingest/batch.js';
import {EntryList} from '../../src/ingest/batch-entries.js';
import {KnownNames} from '../../src/ingest/known-names.js';
import {NamedEntries} from '../../src/ingest/named-entries.js';

/** Partitions that answer as `LiveReads` does, two names at a time. */
class FakePartitions {
  readonly names: string[][] = [[], []];
  removals = 0;
  isBehind = false;
  asked = 0;
  /** A partition that answers nothing. */
  silent: number | undefined;

  async answer(partition: number, {epoch: asked, from: askedFrom}: NamesQuestion): Promise<NamesAnswer> {
    this.asked += 1;
    if (partition === this.silent) throw new Error('the partition stands still');
    const all = this.names[partition]!;
    const epoch = `1.${this.removals}`;
    const from = asked === epoch ? askedFrom : 0;
    const next = Math.min(from + 2, all.length);
    const {isBehind} = this;
    return {
      kind: 'names',
      epoch,
      from,
      names: all.slice(from, next).filter((name) => name !== ''),
      next,
      end: all.length,
      isBehind,
    };
  }
}

function world(max: number) {
  const partitions = new FakePartitions();
  const names = new KnownNames(max, 2);
  const time = {ms: 0};
  const alarms: boolean[] = [];
  const watch = new NamesWatch({
    names,
    ask: (partition, question) => partitions.answer(partition, question),
    monotonicMs: () => time.ms,
    onNearlyFull: (isNearlyFull) => alarms.push(isNearlyFull),
  });
  const admit = (name: string, mustBeKnown = false) => {
    const bytes = wtf8(name);
    return names.admit(bytes, 0, bytes.length, mustBeKnown, time.ms);
  };
  return {partitions, names, time, alarms, watch, admit};
}

test('known names pass, new ones up to the bound, over all partitions together', async () => {
  const {partitions, names, alarms, watch, admit} = world(5);
  partitions.names[0]!.push('a', 'b', 'c');
  partitions.names[1]!.push('c');
  await watch.read();
  expect([names.count, alarms]).toEqual([3, []]);
  expect(['a', 'c', 'd', 'd', 'e', 'f', 'b', 'd'].map((name) => admit(name))).toEqual([
    'known',
    'known',
    'taken',
    'known',
    'taken',
    'too_many',
    'known',
    'known',
  ]);
  await watch.read();
  expect([names.count, alarms]).toEqual([5, [true]]);
  watch.stop();
});

test('names past the bound are refused however many they are, and none of them is held', async () => {
  const {names, watch, admit} = world(100);
  await watch.read();
  const verdicts = new Map<string, number>();
  const last = process.env.ALL_CASES === undefined ? 20_000 : 1_000_100;
  for (let i = 0; i < last; i++) {
    const verdict = admit(`junk_${i}`);
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
  }
  expect([...verdicts]).toEqual([
    ['taken', 100],
    ['too_many', last - 100],
  ]);
  expect([names.count, admit('junk_99')]).toEqual([100, 'known']);
  watch.stop();
});

test('a key that may only use known names takes none, and uses what another key took', async () => {
  const {watch, admit} = world(5);
  expect(admit('a', true)).toBe('undecided');
  await watch.read();
  expect(admit('a', true)).toBe('not_known');
  expect(admit('a')).toBe('taken');
  expect(admit('a', true)).toBe('known');
  watch.stop();
});

test('before all names are read, new ones pass up to the bound, and are undecided after that', async () => {
  const {partitions, watch, admit} = world(2);
  partitions.names[0]!.push('a', 'b', 'c');
  partitions.isBehind = true; // Its log may have more names.
  expect(['a', 'x', 'y', 'a'].map((name) => admit(name))).toEqual(['taken', 'taken', 'undecided', 'known']);
  await watch.read();
  expect(['b', 'y', 'x'].map((name) => admit(name))).toEqual(['known', 'taken', 'known']);
  partitions.isBehind = false;
  await watch.read();
  expect(['b', 'z'].map((name) => admit(name))).toEqual(['known', 'too_many']);
  watch.stop();
});

test('a partition that stands still from the start: names of the others are known, and no event is refused for it', async () => {
  const {partitions, names, time, watch, admit} = world(3);
  partitions.names[0]!.push('halted');
  partitions.names[1]!.push('a', 'b', 'c');
  partitions.silent = 0;
  await watch.read();
  expect([names.count, admit('a', true), admit('halted', true)]).toEqual([3, 'known', 'undecided']);
  time.ms = 30_000;
  expect(['halted', 'x'].map((name) => admit(name, true))).toEqual(['taken', 'taken']);
  partitions.names[1]!.push('x');
  await watch.read();
  expect([names.count, names.hasTaken], 'x is read').toEqual([5, true]);
  // Names that were stored count, too: otherwise there were no bound.
  expect(['y', 'z'].map((name) => admit(name))).toEqual(['taken', 'undecided']);
  expect(['a', 'c', 'x', 'halted', 'y'].map((name) => admit(name, true))).toEqual(new Array(5).fill('known'));
  partitions.silent = undefined;
  partitions.names[1]!.push('y');
  await watch.read();
  expect([names.count, names.hasTaken, admit('z'), admit('z', true)]).toEqual([6, false, 'too_many', 'not_known']);
  watch.stop();
});

test('a partition that stops to answer: its names stay known, over a deletion elsewhere, too', async () => {
  const {partitions, names, watch, admit} = world(5);
  partitions.names[0]!.push('a');
  partitions.names[1]!.push('b', 'c');
  await watch.read();
  partitions.silent = 0;
  partitions.names[1]!.push('d');
  await watch.read();
  expect(['a', 'b', 'd', 'e'].map((name) => admit(name, true))).toEqual(['known', 'known', 'known', 'not_known']);
  partitions.names[1]![1] = '';
  partitions.removals += 1;
  for (let i = 0; i < 2; i++) await watch.read();
  expect(['a', 'c', 'd'].map((name) => admit(name, true))).toEqual(['known', 'known', 'known']);
  partitions.silent = undefined;
  await watch.read();
  expect([names.count, ...['a', 'c', 'd'].map((name) => admit(name, true))]).toEqual([
    3,
    'known',
    'not_known',
    'known',
  ]);
  watch.stop();
});

test('a name that was taken and never stored makes room again, but not while its event may still be on its way', async () => {
  const {partitions, time, watch, admit} = world(2);
  await watch.read();
  expect(['a', 'lost', 'b'].map((name) => admit(name))).toEqual(['taken', 'taken', 'too_many']);
  partitions.names[1]!.push('a');
  time.ms = 20_000;
  await watch.read();
  expect(admit('b')).toBe('too_many');
  time.ms = 40_000;
  partitions.isBehind = true;
  await watch.read();
  expect(admit('b'), 'the partition may have it in its log').toBe('too_many');
  partitions.isBehind = false;
  await watch.read();
  expect(['b', 'lost'].map((name) => admit(name))).toEqual(['taken', 'too_many']);
  watch.stop();
});

test('a deleted name is forgotten, and a reading continues where the one before ended', async () => {
  const {partitions, names, watch, admit} = world(4);
  partitions.names[0]!.push('a', 'b', 'c', 'd');
  await watch.read();
  const {asked} = partitions;
  await watch.read();
  expect(partitions.asked - asked, 'one question a partition').toBe(2);
  partitions.names[0]![1] = '';
  partitions.removals += 1;
  await watch.read();
  expect([names.count, admit('b', true), admit('b'), admit('e')]).toEqual([3, 'not_known', 'taken', 'too_many']);
  watch.stop();
});

test('a batch loses the events of refused names, and keeps the others in their order and partitions', async () => {
  const {names, watch} = world(2);
  await watch.read();
  let taken = 0;
  const named = new NamedEntries(
    names,
    () => 0,
    () => void (taken += 1),
  );
  const list = new EntryList();
  list.clear();
  const sent = Array.from({length: 40}, (_, index) => ({event: `n${index % 4}`, userId: `u${index % 7}`, index}));
  for (const {index, ...event} of sent) {
    writeEvent(list.writer, {...event, messageId: `m${index}`, timeMs: 1, receivedMs: 1});
    list.endEvent();
  }
  const reading = {
    kind: 'read',
    eventCount: 40,
    refused: [],
    conflicts: [1, 3],
    entries: list.group(2),
  } as unknown as BatchRead;
  const judged = named.ofBatch(reading, 2, false);
  if (judged === 'undecided') throw new Error('all names are read');
  // The first two names in the order of partitions are taken.
  const passed = new Set(Array.from(judged.entries.indexes, (index) => sent[index]!.event));
  expect([passed.size, taken, judged.refused.length]).toEqual([2, 2, 20]);
  for (const {index, refusal, event, messageId} of judged.refused) {
    expect([event, messageId, refusal.code]).toEqual([sent[index]!.event, `m${index}`, 'too_many_names']);
    expect(passed.has(sent[index]!.event)).toBe(false);
  }
  expect(judged.conflicts).toEqual([1, 3].filter((index) => passed.has(sent[index]!.event)));
  const again = new EntryList();
  again.clear();
  for (const {index, ...event} of sent) {
    if (passed.has(event.event)) writeEvent(again.writer, {...event, messageId: `m${index}`, timeMs: 1, receivedMs: 1});
    again.endEvent();
  }
  const expected = again.group(2);
  const end = expected.ends[19]!;
  expect(judged.entries.bytes.subarray(0, end)).toEqual(expected.bytes.subarray(0, end));
  expect(judged.entries.ends.subarray(0, 20)).toEqual(expected.ends.subarray(0, 20));
  expect(judged.entries.indexes.subarray(0, 20)).toEqual(expected.indexes.subarray(0, 20));
  expect([judged.entries.firsts, judged.entries.starts]).toEqual([expected.firsts, expected.starts]);
});
