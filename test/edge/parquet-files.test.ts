// Parquet files of events and reports: read by DuckDB, row by row what the lines and answers have.
import {describe, expect, test} from 'vitest';
import {columnsOf, eventColumns} from '../../src/edge/parquet/event-columns.js';
import {EventsAsParquet} from '../../src/edge/parquet/events-as-parquet.js';
import {type FileColumn, type FileValue, ParquetFile} from '../../src/edge/parquet/parquet-file.js';
import type {ParquetThread} from '../../src/edge/parquet/parquet-thread.js';
import type {EventRows} from '../../src/edge/parquet/worker.js';
import {Random} from '../../tools/random.js';
import {eventRow, eventRows, useDuckDb} from '../support/parquet.js';

const ask = useDuckDb();

/** The file of these row groups. */
function file(columns: readonly FileColumn[], groups: readonly FileValue[][][], facts = {}): Buffer {
  const file = new ParquetFile(columns);
  const pieces = groups.map((values) => {
    file.add(values);
    return file.take();
  });
  file.end(facts);
  return Buffer.concat([...pieces, file.take()]);
}

const bytesOf = (lines: readonly object[]): Buffer =>
  Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
const at = (ms: number): string => new Date(ms).toISOString();

function randomLine(random: Random, n: number): object {
  const text = (): string =>
    random.pick([
      '',
      'a',
      'ü',
      '😀',
      '\u0001',
      '"',
      '\\',
      '\\"',
      '}{',
      '"}\n{"',
      '\u0000',
      '\u2028',
      'x'.repeat(random.between(0, 300)),
    ]);
  const value = (depth: number): unknown =>
    random.pick<() => unknown>([
      text,
      () => random.between(0, 1e9) / 7,
      () => -0.5e-9,
      () => 9007199254740991,
      () => null,
      () => true,
      ...(depth < 4
        ? [() => [value(depth + 1), value(depth + 1)], () => ({[text()]: value(depth + 1), [text()]: value(depth + 1)})]
        : []),
    ])();
  const object = (): object => Object.fromEntries(Array.from({length: random.between(0, 5)}, () => [text(), value(1)]));
  const isAnonymous = random.chance(1 / 3);
  return {
    id: `${n % 3}-${n}`,
    event: random.pick(['signup', 'ordered "twice"', 'ü']),
    userId: isAnonymous ? null : `user ${random.between(0, 5)}`,
    anonymousId: isAnonymous || random.chance(1 / 2) ? `device ${random.between(0, 50)}` : null,
    properties: object(),
    ...(random.chance(1 / 2) && {context: object()}),
    ...(random.chance(1 / 4) && {joined: true}),
    ...(random.chance(1 / 4) && {joins: false}),
    timestamp: at(random.between(0, 4e12)),
    received_at: at(1.7e12 + n),
    ...(random.chance(1 / 2) && {messageId: `${text()}m`}),
  };
}

describe('a file of events', () => {
  test.each([
    ['without any', []],
    ['of one', [1]],
    ['of several row groups of all sizes', [1, 2, 7, 8, 9, 16, 17, 18, 1_000, 3]],
  ])('%s has its lines row by row', async (_, sizes) => {
    const random = new Random(7);
    let n = 0;
    const groups = sizes.map((size) => Array.from({length: size}, () => randomLine(random, n++)));
    const ofGroups = groups.map((lines) => columnsOf(bytesOf(lines)));
    const whole = file(eventColumns, ofGroups, {events: String(n)});
    expect(await eventRows(ask, whole)).toEqual(groups.flat().map(eventRow));
    const types = await ask(
      whole,
      'SELECT column_name AS name, column_type AS type FROM (DESCRIBE SELECT * FROM FILE)',
    );
    const duckTypes = {text: 'VARCHAR', time: 'TIMESTAMP WITH TIME ZONE', flag: 'BOOLEAN'} as Record<string, string>;
    expect(types).toEqual(eventColumns.map(({name, type}) => ({name, type: duckTypes[type]})));
    const said = await ask(whole, 'SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata(FILE)');
    expect(said).toEqual([{key: 'events', value: String(n)}]);
    // arrow-rs reads no list without a type: its Struct is 12.
    if (n === 0) expect(whole.includes(Buffer.from([0x16, 0x00, 0x19, 0x0c]))).toBe(true);
    const rowGroups = await ask(whole, 'SELECT count(DISTINCT row_group_id) AS n FROM parquet_metadata(FILE)');
    expect(rowGroups).toEqual([{n: String(sizes.length)}]);
  });

  test('keeps the text of properties: numbers and keys are not read and written again', async () => {
    const [order, zero] = ['{"b":1,"10":2,"2":3,"__x":1.50e2}', '{"n":1.0,"half":"\\ud83d","nul":"\\u0000"}'];
    const line = (properties: string): string =>
      `{"id":"0-1","event":"e","userId":"u","anonymousId":null,"properties":${properties},"timestamp":"${at(0)}","received_at":"${at(1)}"}\n`;
    const whole = file(eventColumns, [columnsOf(Buffer.from(line(order) + line(zero)))]);
    expect(await ask(whole, 'SELECT properties FROM FILE')).toEqual([{properties: order}, {properties: zero}]);
  });

  test('is refused by readers wherever it is cut', async () => {
    const random = new Random(3);
    const whole = file(eventColumns, [columnsOf(bytesOf(Array.from({length: 30}, (_, n) => randomLine(random, n))))]);
    for (let end = 0; end < whole.length; end += 97) {
      await expect(ask(whole.subarray(0, end), 'SELECT * FROM FILE'), `${end} bytes`).rejects.toThrow();
    }
  });

  test('fails rather than leave out a member that has no column', () => {
    expect(() => columnsOf(Buffer.from('{"id":"0-1","mood":"good"}\n'))).toThrow('no column');
  });
});

test('each type is read as it was written, the largest values and nulls too', async () => {
  const columns: readonly FileColumn[] = [
    {name: 'text', type: 'text'},
    {name: 'count', type: 'count'},
    {name: 'number', type: 'number'},
    {name: 'date', type: 'date'},
    {name: 'time', type: 'time'},
    {name: 'flag', type: 'flag'},
  ];
  const rows: readonly FileValue[][] = [
    ['a\ud800', 2n ** 63n - 1n, 1e308, 20_000, 253_402_300_799_999n, true],
    ['', -(2n ** 63n), -0.1, -1, -1n, false],
    [null, null, null, null, null, null],
  ];
  const whole = file(columns, [columns.map((_, at) => rows.map((row) => row[at]!))]);
  expect(await ask(whole, 'SELECT text, count, number, date, epoch_ms(time) AS time, flag FROM FILE')).toEqual([
    {
      text: 'a\ufffd',
      count: '9223372036854775807',
      number: 1e308,
      date: '2024-10-04',
      time: '253402300799999',
      flag: true,
    },
    {text: '', count: '-9223372036854775808', number: -0.1, date: '1969-12-31', time: '-1', flag: false},
    {text: null, count: null, number: null, date: null, time: null, flag: null},
  ]);
  // The least and largest values by which a reader leaves row groups out.
  expect(
    await ask(whole, "SELECT text FROM FILE WHERE count > 0 AND number > 0 AND date > DATE '2024-01-01'"),
  ).toHaveLength(1);
});

describe('an export as Parquet', () => {
  /** Notes what is written, and answers with its number. */
  function notedThread() {
    const rows: EventRows[] = [];
    const forgotten: number[] = [];
    const thread = {
      nextFile: () => 5,
      write: async (work: EventRows) => Buffer.from(String(rows.push(work))),
      forget: (file: number) => void forgotten.push(file),
    } as unknown as ParquetThread;
    return {rows, forgotten, form: new EventsAsParquet(thread, {position: '0:1.1'})};
  }
  const mib = 1024 * 1024;

  test('gathers lines until they make a row group; the footer says that it is whole', async () => {
    const {rows, forgotten, form} = notedThread();
    const sent: string[] = [];
    for (let page = 0; page < 9; page++) sent.push((await form.add(Buffer.alloc(mib, page))).toString());
    expect(sent).toEqual(['', '', '', '1', '', '', '', '2', '']);
    expect((await form.flush()).toString()).toBe('3');
    expect((await form.flush()).toString()).toBe('');
    expect((await form.end(12)).toString()).toBe('4');
    form.close();
    expect(rows.map(({file, isFirst, lines}) => [file, isFirst, lines.length / mib, lines[0], lines.at(-1)])).toEqual([
      [5, true, 4, 0, 3],
      [5, false, 4, 4, 7],
      [5, false, 1, 8, 8],
      [5, false, 0, undefined, undefined],
    ]);
    expect(rows.map(({facts}) => facts)).toEqual([undefined, undefined, undefined, {position: '0:1.1', events: '12'}]);
    expect(forgotten).toEqual([5]);
  });

  test('that fails has no footer; one that was never begun is unknown to the thread', async () => {
    const {rows, forgotten, form} = notedThread();
    await form.add(Buffer.alloc(1));
    expect((await form.fail()).length).toBe(0);
    form.close();
    expect([rows, forgotten]).toEqual([[], []]);
  });
});
