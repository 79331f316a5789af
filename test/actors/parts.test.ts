// Bytes of parts: what is written comes back, and what was erased is not in it.
import {describe, expect, test} from 'vitest';
import {bytesIn} from '../../actors/actor.js';
import {WindowDeltas} from '../../actors/aggregator/window-deltas.js';
import {encodeWindows, viewWindows} from '../../actors/aggregator/windows.js';
import {ByteWriter, wtf8} from '../../actors/bytes/bytes.js';
import {inOrder} from '../../actors/chunk/chunk.js';
import {summarizeRows} from '../../actors/chunk/chunk-summary.js';
import {
  encodeProperties,
  isIdentityCoded,
  type RowColumn,
  viewProperties,
  type WholeRows,
  wholeRows,
} from '../../actors/chunk/property-columns.js';
import {eraseRows} from '../../actors/chunk/row-erasure.js';
import {encodeRows, firstAt, firstAtNear, noUser, timeOf, viewRows} from '../../actors/chunk/rows.js';
import {type AcceptedEvent, beginMessage, sealMessage, writeEvent} from '../../actors/log/entries.js';
import {MessageCursor} from '../../actors/log/entry-view.js';
import {InternedTable, internedBlockEntries} from '../../actors/table/interned.js';
import {
  datedWords,
  findRecord,
  mergeRecords,
  noIds,
  UserBlockReader,
  UserBlockWriter,
  withoutRecords,
} from '../../actors/user/user-records.js';
import {Random} from '../../tools/random.js';
import {rowsOfUser} from '../support/rows-of-user.js';
import {recoded, wholeBytes} from '../support/whole-rows.js';
import {OpenChunk} from '../twins/open-chunk.js';

const start = Date.UTC(2026, 1, 28, 22);

function chunkOf(events: readonly (Partial<AcceptedEvent> & {user: number})[]): OpenChunk {
  const chunk = new OpenChunk(3, 2 ** 33);
  const writer = new ByteWriter(1_024);
  beginMessage(writer);
  for (const {user: _, ...event} of events) {
    writeEvent(writer, {event: 'e', userId: 'u', timeMs: start, receivedMs: start, ...event});
  }
  const cursor = new MessageCursor(sealMessage(writer, new Uint8Array(8), 1, 0, events.length).slice());
  for (const {user} of events) {
    cursor.next();
    chunk.append(cursor.entry, user, user % 3);
  }
  return chunk;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** What rows say, however narrow their columns are. */
function told(rows: WholeRows) {
  const valueIn = ({codes, inBody, values}: RowColumn, row: number): string => {
    if (codes[row] === 0) return 'absent';
    if (codes[row] === inBody) return 'in body';
    const writer = new ByteWriter(16);
    values.write(codes[row], writer);
    return hex(writer.finish());
  };
  return Array.from({length: rows.count}, (_, row) =>
    rows.users[row] === rows.noUser
      ? 'erased'
      : {
          timeMs: timeOf(rows, row),
          user: rows.users[row],
          name: rows.names[row],
          values: rows.columns.map((column) => [text(column.key), valueIn(column, row)]),
        },
  );
}

describe('rows', () => {
  const chunk = chunkOf([
    {user: 1, timeMs: start + 5, properties: {plan: 'pro', nested: {a: 1}}},
    {user: 2, timeMs: start + 1, properties: {plan: 'free', long: 'x'.repeat(200)}},
    {user: 1, timeMs: start + 5, properties: {plan: 'pro', only: 'one'}},
  ]);

  test('golden: the bytes of a part', () => {
    const bytes = encodeRows(inOrder(chunk.columnsView()));
    expect(hex(bytes)).toMatchInlineSnapshot(
      `"030000000300000003000000030000000000000002000000040000000200000001000000000000000010f03f64ca79420400000000000000040000000100020001000000010201000100000002000000"`,
    );
    const rows = viewRows(bytes);
    expect([rows.baseOrdinal, rows.chunk, rows.count]).toEqual([2 ** 33, 3, 3]);
    expect([...rows.order]).toEqual([1, 0, 2]);
  });

  test('golden: the bytes of a part of properties', () => {
    const bytes = encodeProperties(inOrder(chunk.columnsView()));
    expect(hex(bytes)).toMatchInlineSnapshot(
      `"01000000030000000300000004000000000000000000000000000000000000000400000001000000020000000000000000000000000000000b00000000000000706c616e01020100000005000b000000050370726f0504667265650006000000010000000000000000000000000000000000000000000000000000006e65737465640000ff00000004000000010000000000000000000000000000000000000000000000000000006c6f6e6700ff000004000000010000000100000000000000050000000000000005000000000000006f6e6c790000010005036f6e65000000"`,
    );
    const {chunk: number, count, columns, keysInBody} = viewProperties(bytes);
    expect([number, count, columns.length, keysInBody]).toEqual([3, 3, 4, false]);
    expect(told(recoded(inOrder(chunk.columnsView())))).toEqual(told(inOrder(chunk.columnsView())));
  });

  test('rows take no properties of another chunk', () => {
    const rows = inOrder(chunk.columnsView());
    expect(() => wholeRows(rows, {...rows, chunk: 4})).toThrow(/parts of the same rows/);
    expect(() => wholeRows(rows, {...rows, count: 2})).toThrow(/parts of the same rows/);
  });

  test('parts of another version are refused', () => {
    const rows = inOrder(chunk.columnsView());
    for (const [bytes, view] of [
      [encodeRows(rows), viewRows],
      [encodeProperties(rows), viewProperties],
    ] as const) {
      bytes[0] = 9;
      expect(() => view(bytes)).toThrow(/part version 9 is unknown/);
    }
  });

  test('erasing a user zeroes its slots, and what only it said is in no byte of the part', () => {
    const rows = recoded(inOrder(chunk.columnsView()));
    expect(rowsOfUser(rows, 1)).toEqual([0, 2]);
    const left = recoded(eraseRows(rows, [0, 2]));
    expect([...left.users]).toEqual([left.noUser, 2, left.noUser]);
    expect([...left.order]).toEqual([1]);
    expect(told(left)).toEqual(['erased', told(eraseRows(rows, [0, 2]))[1], 'erased']);
    expect(left.columns.map(({codes, values}) => [codes[1], values.count])).toEqual([
      [1, 1],
      [0, 0],
      [0xff, 0],
      [0, 0],
    ]);
    expect(rowsOfUser(left, left.noUser)).toEqual([]);
    expect(summarizeRows(left)).toEqual({
      live: 1,
      minTimeMs: start + 1,
      maxTimeMs: start + 1,
      middleTimeMs: start + 1,
      names: [2],
    });
    expect(text(wholeBytes(left))).not.toMatch(/pro|only|one|nested/);
    expect(text(wholeBytes(left))).toMatch(/plan.*free/s);
    expect(summarizeRows(eraseRows(left, [1]))).toEqual({
      live: 0,
      minTimeMs: 1,
      maxTimeMs: 0,
      middleTimeMs: 0,
      names: [],
    });
  });
});

describe('narrow columns', () => {
  const count = 700;
  /** A chunk of one user and name a row; `session` is another value in each row, `seldom` in every second one. */
  const sparse = (users: (row: number) => number, timeMs: (row: number) => number) =>
    inOrder(
      chunkOf(
        Array.from({length: count}, (_, row) => ({
          user: users(row),
          timeMs: timeMs(row),
          properties: {
            session: `s${(row * 7_919) % 1_000_003}`,
            amount: row * 3 - 900,
            plan: row % 3,
            ...(row % 2 ? {seldom: `v${row}`} : {}),
          },
        })),
      ).columnsView(),
    );
  const lateMs = (row: number): number => start + row * 1_000 - (row % 50 === 0 ? 7 * 86_400_000 : 0);

  test('a day of few users takes as many bytes as its values need', () => {
    const wide = sparse((row) => row % 9, lateMs);
    const rows = recoded(wide);
    expect(told(rows)).toEqual(told(wide));
    expect(rows).toMatchObject({noUser: 0xffff, timeBase: start - 7 * 86_400_000});
    const {times, users, names, columns} = rows;
    expect([times, users, names].map((column) => column.BYTES_PER_ELEMENT)).toEqual([4, 2, 1]);
    expect(columns.map(isIdentityCoded)).toEqual([true, true, false, false]);
    expect(columns.map(({codes}) => codes.BYTES_PER_ELEMENT)).toEqual([2, 2, 1, 2]);
    // Their length, 's' and six digits; numbers that span 2,097; three numbers with their tags; half of the rows.
    expect(columns.map(({values}) => values.stored.length)).toEqual([count * 8, count * 2, 3 * 2, (count / 2) * 5]);
  });

  test('what narrow columns do not hold is held by wide ones', () => {
    const spans: [string, (row: number) => number, (row: number) => number, object][] = [
      ['user 65,534', (row) => (row === 5 ? 0xfffe : 1), lateMs, {noUser: 0xffff}],
      ['user 65,535', (row) => (row === 5 ? 0xffff : 1), lateMs, {noUser}],
      ['49 days', () => 1, (row) => start + (row === 5 ? 2 ** 32 - 1 : 0), {timeBase: start}],
      ['more than 49 days', () => 1, (row) => start + (row === 5 ? 2 ** 32 : 0), {timeBase: 0}],
      ['before the epoch', () => 1, (row) => (row === 5 ? -9 : 9), {timeBase: -9}],
    ];
    for (const [what, users, timeMs, shape] of spans) {
      const wide = sparse(users, timeMs);
      const rows = recoded(wide);
      expect(told(rows), what).toEqual(told(wide));
      expect(rows, what).toMatchObject(shape);
      expect(rowsOfUser(rows, wide.users[5]), what).toEqual(rowsOfUser(wide, wide.users[5]));
      for (const timeMs of [timeOf(wide, 5) - 1, timeOf(wide, 5), timeOf(wide, 5) + 1, Infinity, -Infinity]) {
        expect(firstAt(rows, timeMs), what).toBe(firstAt(wide, timeMs));
        expect(firstAtNear(rows, timeMs, 0), what).toBe(firstAt(rows, timeMs));
        for (let start = 0; start <= firstAt(wide, timeMs); start++)
          expect(firstAtNear(wide, timeMs, start), what).toBe(firstAt(wide, timeMs));
      }
    }
  });

  test.each([250, 254, 255, 256, 65_000])('%i names', (name) => {
    const wide = sparse(() => 1, lateMs);
    const names = Uint32Array.from(wide.names, (_, row) => (row === 3 ? name : row % 2));
    expect(told(recoded({...wide, names}))).toEqual(told({...wide, names}));
  });

  test.each([253, 254, 255, 256, 257])('%i values of a column, and one in a body', (values) => {
    const view = inOrder(
      chunkOf(
        Array.from({length: 1_200}, (_, row) => ({
          user: 1,
          properties: {of: row === 300 ? 'x'.repeat(200) : `value ${row % (row < 512 ? 100 : values)}`},
        })),
      ).columnsView(),
    );
    const rows = recoded(view);
    expect(rows.columns[0].inBody).toBe(values <= 254 ? 0xff : 0xffff);
    expect(told(rows)).toEqual(told(view));
  });
});

describe('windows', () => {
  test('golden: the bytes of a block', () => {
    const deltas = new WindowDeltas();
    deltas.add(start, 1, 9, true);
    deltas.add(start, 1, 7, true);
    deltas.add(start + 7_200_000, 0, 7, true);
    deltas.add(start, 1, 9, true);
    deltas.subtract(start, 2);
    const [view, ...more] = deltas.encode((user) => user === 9, 0);
    expect(more).toEqual([]);
    const bytes = encodeWindows(view);
    expect(hex(bytes)).toMatchInlineSnapshot(
      `"01000000205000002150000003000000020000000200000000000000000000000000000000000840000000000000f0bf000000000000f03f16830700168307001883070001000000020000000000000020500000215000000000000001000000020000000700000007000000"`,
    );
    expect(viewWindows(bytes)).toEqual(view);
    const hour = start / 3_600_000;
    expect([...view.hours]).toEqual([hour, hour, hour + 2]);
    expect([...view.names]).toEqual([1, 2, 0]);
    expect([...view.counts]).toEqual([3, -1, 1]);
    expect([...view.members]).toEqual([7, 7]);
  });
});

describe('user records', () => {
  const records = [
    {
      user: 3,
      createdMs: 1,
      lastEventMs: 2,
      lastIdentifyMs: undefined,
      traits: undefined,
      identifyIds: noIds,
      chunks: [0, 5, 6],
    },
    {
      user: 4,
      createdMs: 1,
      lastEventMs: undefined,
      lastIdentifyMs: 1,
      firstIdentifyMs: 0,
      traits: {json: '{"a":"ü","b":1,"c":2}', setMs: [1, 1, 0], isSecret: [true, false, true], overLimit: 3},
      identifyIds: Uint32Array.of(7, 1, 2, 3, 9, 4, 5, 0xffffffff),
      chunks: [],
    },
    {
      user: 900,
      createdMs: 0,
      lastEventMs: 0,
      lastIdentifyMs: 0,
      firstIdentifyMs: 0,
      traits: {json: '{}', setMs: [], isSecret: [], overLimit: 0},
      identifyIds: noIds,
      chunks: [70_000],
    },
  ];
  const writer = new UserBlockWriter();
  for (const record of records) writer.add(record);
  const block = writer.finish();

  test('golden: the bytes of a block', () => {
    expect(hex(block.payload)).toMatchInlineSnapshot(
      `"0301000000000000f03f000000000000004003000501010e000000000000f03f0000000000000000000000000000f03f167b2261223a22c3bc222c2262223a312c2263223a327d03000000000000f03f000105030207000000010000000200000003000000090000000400000005000000ffffffff008007070000000000000000000000000000000000000000000000000000000000000000027b7d000001f0a204"`,
    );
    expect([block.first, block.last]).toEqual([3, 900]);
    const reader = new UserBlockReader(block.payload);
    expect([reader.next(), reader.next(), reader.next(), reader.next()]).toEqual([...records, undefined]);
  });

  test('of the ids of identifies those are kept that are remembered, and so many of the newest (U2)', () => {
    const ids = (from: number, count: number, day: number) =>
      Uint32Array.from({length: count * datedWords}, (_, i) =>
        i % datedWords === 0 ? day : from + Math.floor(i / datedWords),
      );
    const merged = (older: Uint32Array, newer: Uint32Array) => {
      const [record] = records;
      const {identifyIds} = mergeRecords({...record!, identifyIds: older}, {...record!, identifyIds: newer});
      return Array.from({length: identifyIds.length / datedWords}, (_, i) => identifyIds[i * datedWords + 1]);
    };
    expect(merged(ids(0, 2, 3), ids(10, 1, 11))).toEqual([0, 1, 10]);
    expect(merged(ids(0, 2, 3), ids(10, 1, 12))).toEqual([10]);
    expect(merged(ids(0, 2, 3), noIds)).toEqual([0, 1]);
    const many = merged(ids(0, 1_000, 3), ids(1_000, 100, 3));
    expect([many.length, many[0], many.at(-1)]).toEqual([1_024, 76, 1_099]);
    const more = merged(ids(0, 10, 3), ids(10, 2_000, 3));
    expect([more.length, more[0], more.at(-1)]).toEqual([1_024, 986, 2_009]);
  });

  test('a record is found, or taken out', () => {
    expect(findRecord(block.payload, 4)).toEqual(records[1]);
    expect([0, 3, 900, 901].map((user) => findRecord(block.payload, user))).toEqual([
      undefined,
      records[0],
      records[2],
      undefined,
    ]);
    expect(findRecord(block.payload, 5)).toBeUndefined();
    expect(() => findRecord(block.payload.subarray(0, 20), 4)).toThrow('within bounds');
    const left = withoutRecords(block.payload, [4])!;
    expect(findRecord(left.payload, 4)).toBeUndefined();
    expect(findRecord(left.payload, 900)).toEqual(records[2]);
    expect(text(left.payload)).not.toContain('"a"');
    expect(withoutRecords(left.payload, [3, 900])).toBeUndefined();
  });
});

describe('interned tables', () => {
  const intern = (table: InternedTable, word: string) => {
    const bytes = wtf8(word);
    return table.intern(bytes, 0, bytes.length);
  };
  const find = (table: InternedTable, word: string) => {
    const bytes = wtf8(word);
    return table.find(bytes, 0, bytes.length);
  };

  const blocksOf = (table: InternedTable): Map<number, Uint8Array> =>
    new Map(Array.from(table.freeze('t'), ({block, payload}) => [block, bytesIn(payload!)]));

  test('indexes are dense, given out once, and come back from blocks', () => {
    const table = new InternedTable();
    const count = internedBlockEntries + 500;
    for (let i = 0; i < count; i++) expect(intern(table, `user ${i}`)).toBe(i);
    expect(intern(table, 'user 77')).toBe(77);
    table.remove(77);
    expect([table.has(77), find(table, 'user 77')]).toEqual([false, -1]);
    expect(intern(table, 'user 77')).toBe(count);
    const blocks = blocksOf(table);
    expect([...blocks.keys()]).toEqual([0, 1]);
    expect([...table.freeze('t')]).toEqual([]);
    const again = new InternedTable();
    for (const bytes of blocks.values()) again.restoreBlock(bytes);
    expect(again.count).toBe(count + 1);
    for (const i of [0, 76, 78, internedBlockEntries, count - 1]) {
      expect(find(again, `user ${i}`)).toBe(i);
      expect(again.text(i)).toBe(`user ${i}`);
    }
    expect([again.has(77), find(again, 'user 77')]).toEqual([false, count]);
    table.remove(0);
    expect([...blocksOf(table).keys()]).toEqual([0]);
  });

  test('removing and adding again for ever keeps its lookups', () => {
    const table = new InternedTable();
    for (let i = 0; i < 5_000; i++) {
      const index = intern(table, `w${i % 3}`);
      if (i % 2 === 0) table.remove(index);
    }
    for (const word of ['w0', 'w1', 'w2']) {
      const index = find(table, word);
      if (index >= 0) expect(table.text(index)).toBe(word);
    }
    expect(table.count).toBeGreaterThan(2_000);
  });

  const wordsOf = (table: InternedTable) =>
    Array.from({length: table.count}, (_, index) => (table.has(index) ? table.text(index) : null));

  test('golden: the bytes of a block', () => {
    const table = new InternedTable();
    for (const word of ['uada', '', 'aß']) intern(table, word);
    table.remove(1);
    const block = blocksOf(table).get(0)!;
    expect(hex(block)).toMatchInlineSnapshot(
      `"ffffff02030000000700000000000000050000000400000058fe30de000000005cc988b67561646161c39f"`,
    );
    const again = new InternedTable();
    // At an odd place: columns are not viewed where they would not be aligned.
    again.restoreBlock(Buffer.concat([Buffer.of(0), block]).subarray(1));
    expect(wordsOf(again)).toEqual(['uada', null, 'aß']);
    expect(['uada', '', 'aß'].map((word) => find(again, word))).toEqual([0, -1, 2]);
    expect(() => again.restoreBlock(block.subarray(0, -1))).toThrow('how long a block is');
    block[3] = 3;
    expect(() => again.restoreBlock(block)).toThrow('is unknown to this program');
  });

  test.each([0, 1, 2, 3])('blocks give the same table again, with and without reserved room (seed %i)', (seed) => {
    const random = new Random(seed);
    const table = new InternedTable();
    const words: string[] = [];
    for (let i = 0; i < 2 * internedBlockEntries + 300; i++) {
      const word = `u${i}${'ß\ud800x'.repeat(Math.floor(random.next() ** 6 * 120))}`;
      words.push(word);
      intern(table, word);
      const gone = random.between(0, i);
      if (random.chance(0.02) && table.has(gone)) table.remove(gone);
    }
    const blocks = [...blocksOf(table).values()];
    for (const reserves of [true, false]) {
      const again = new InternedTable();
      if (reserves) again.reserve({count: table.count, keyBytes: random.between(0, 100_000)});
      for (const block of blocks) again.restoreBlock(block);
      expect([again.count, again.live]).toEqual([table.count, table.live]);
      expect(wordsOf(again)).toEqual(wordsOf(table));
      expect(words.map((word) => find(again, word))).toEqual(words.map((word) => find(table, word)));
      expect(intern(again, 'new')).toBe(table.count);
    }
  });
});
