// Rows in the order in which they came: out of chunks in parts and in memory, past gaps, by names, and within a bound.
import {expect, test} from 'vitest';
import {wtf8} from '../../../actors/bytes/bytes.js';
import type {PartitionAnswer} from '../../../src/asks/partition.js';
import type {PartitionView} from '../../../src/partition/partition-view.js';
import type {HistoryReads} from '../../../src/partition/reads/history-reads.js';
import {longReadSlots, readPage} from '../../../src/partition/reads/read-budget.js';
import {TailReads} from '../../../src/partition/reads/tail-reads.js';

const noUser = 99;
const names = ['seen', 'order', 'never'];

/** One row for each letter: s seen, o order, x erased. */
function rowsOf(baseOrdinal: number, letters: string) {
  const users = Uint16Array.from(letters, (letter) => (letter === 'x' ? noUser : 1));
  const codes = Uint8Array.from(letters, (letter) => (letter === 'o' ? 1 : 0));
  return {baseOrdinal, count: letters.length, users, noUser, names: codes};
}

/** Two chunks in parts, of which one is at hand, `later` behind the last row, one that is being written, and the open one. */
function tailReads(later = 0) {
  const stored = [
    {chunk: 1, ...rowsOf(0, 'ssxo'), names: [0, 1], live: 3},
    {chunk: 2, ...rowsOf(10, 'ssss'), names: [0], live: 4},
  ];
  const columns = [rowsOf(0, 'ssxo'), rowsOf(10, 'ssss')];
  const loaded: number[] = [];
  const inMemory = [rowsOf(14, 'oxs'), rowsOf(17, 'so')].map((rows, at) => ({
    chunk: 3 + at,
    baseOrdinal: rows.baseOrdinal,
    count: rows.count,
    rowsNow: () => rows,
  }));
  const entries = [
    ...stored.map(({users: _, noUser: __, ...entry}) => entry),
    ...Array.from({length: later}, (_, i) => ({chunk: 5 + i, baseOrdinal: 19 + i, count: 1, names: [0], live: 1})),
  ];
  const view = {
    partition: {
      generation: 7,
      open: inMemory[1],
      aggregator: {
        names: {
          find: (bytes: Uint8Array) => {
            const at = names.findIndex((name) => Buffer.compare(wtf8(name), bytes) === 0);
            return at === 2 ? -1 : at;
          },
        },
      },
    },
    layout: {writing: new Map([[3, {chunk: inMemory[0]}]]), chunks: {byOrdinal: entries}},
    cache: {
      rows: {
        held: (entry: {chunk: number}) => (entry.chunk === 2 ? columns[1] : undefined),
        load: async (entry: {chunk: number}) => {
          loaded.push(entry.chunk);
          return columns[entry.chunk - 1];
        },
      },
    },
  };
  const history = {
    ordinalEnd: 19,
    events: async (ordinals: readonly number[]) => {
      const some = ordinals.slice(0, 5);
      return {texts: some.map((ordinal) => `e${ordinal}`), users: some.map(() => 1)};
    },
  };
  const reads = new TailReads(view as unknown as PartitionView, history as unknown as HistoryReads);
  return {
    loaded,
    ask: async (from: number, limit: number, asked?: readonly string[]) => {
      const question = {ask: 'tail', from, limit, ...(asked && {names: asked})} as const;
      const answer = await readPage(longReadSlots(), Number.POSITIVE_INFINITY, (budget) =>
        reads.tail(question, budget),
      );
      const tail = answer as Extract<PartitionAnswer, {kind: 'tail'}>;
      const {ordinals, next, end, generation, events, users, missing} = tail;
      expect([end, generation]).toEqual([19, 7]);
      expect(events).toEqual(ordinals.map((ordinal) => `e${ordinal}`));
      expect(users).toEqual(ordinals.map(() => 1));
      return {ordinals, next, ...(missing && {missing})};
    },
  };
}

test('goes on where the page before ended, over chunks, gaps and erased rows', async () => {
  const {ask} = tailReads();
  const ordinals: number[] = [];
  let from = 0;
  for (let pages = 0; from < 19; pages++) {
    const page = await ask(from, 3);
    ordinals.push(...page.ordinals);
    expect(page.next).toBeGreaterThan(from);
    from = page.next;
    expect(pages).toBeLessThan(20);
  }
  expect(ordinals).toEqual([0, 1, 3, 10, 11, 12, 13, 14, 16, 17, 18]);
  expect(await ask(19, 3)).toEqual({ordinals: [], next: 19});
  expect(await ask(400, 3)).toEqual({ordinals: [], next: 19});
});

test('a gap ends at the next chunk, however many come later', async () => {
  expect(await tailReads(200_000).ask(4, 1)).toEqual({ordinals: [10], next: 11, missing: [4, 10]});
});

test('a reply that is full says where to go on', async () => {
  expect(await tailReads().ask(0, 100)).toMatchObject({ordinals: [0, 1, 3, 10, 11], next: 12});
});

test('names choose rows, and chunks without them are not read', async () => {
  const {ask, loaded} = tailReads();
  expect(await ask(4, 100, ['order'])).toMatchObject({ordinals: [14, 18], next: 19});
  expect(loaded).toEqual([]);
  expect(await ask(0, 1, ['order'])).toMatchObject({ordinals: [3], next: 4});
  expect(loaded).toEqual([1]);
});

test('says where rows are missing: erased ones, chunks of them, and those of a name of which none is left', async () => {
  const {ask} = tailReads();
  expect(await ask(0, 2)).toEqual({ordinals: [0, 1], next: 2});
  expect(await ask(0, 3)).toEqual({ordinals: [0, 1, 3], next: 4, missing: [2, 3]});
  expect(await ask(1, 5)).toEqual({ordinals: [1, 3, 10, 11, 12], next: 13, missing: [2, 10]});
  expect(await ask(10, 4, ['seen'])).toEqual({ordinals: [10, 11, 12, 13], next: 14});
  expect(await ask(10, 100, ['order'])).toEqual({ordinals: [14, 18], next: 19, missing: [15, 16]});
  expect(await ask(0, 100, ['never'])).toEqual({ordinals: [], next: 19, missing: [0, 19]});
});

test('without a limit it is asked where the rows end', async () => {
  expect(await tailReads().ask(0, 0)).toEqual({ordinals: [], next: 0});
});
