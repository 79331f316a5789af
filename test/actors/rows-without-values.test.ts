// Rows in memory without values that nobody asks about: all else is as it was, and whoever asks for them is told.
import {describe, expect, test} from 'vitest';
import {wtf8} from '../../actors/bytes/bytes.js';
import {encodeRows, type RowsView, viewRows, withoutValues} from '../../actors/chunk/rows.js';
import {PropertyName} from '../../actors/report/counts/property-name.js';
import {StoredParts} from '../../src/parts/stored-parts.js';
import {MemoryParts, TestPartition} from '../support/snapshot.js';

const count = 600;
const none = (): boolean => false;

/** A chunk in which `erased` has every tenth row. */
async function partOf(isErased: boolean): Promise<Uint8Array<ArrayBuffer>> {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  for (let row = 0; row < count; row++)
    partition.append({
      user: row % 10 === 0 ? 'erased' : `u${row % 7}`,
      event: 'A',
      timeMs: row * 1_000,
      properties: {
        plan: row % 3 === 0 ? 'team' : 'free',
        session: `session ${row}`,
        amount: row * 5,
        ...(row % 2 === 0 ? {} : {order: row % 9 === 0 ? 'x'.repeat(200) : `o${row}-${row}`}),
        page: `a long address, but of few pages: ${row % 40}`,
      },
    });
  partition.cutChunk();
  if (isErased) partition.erase('erased');
  const [chunk] = partition.publish().index.chunks;
  return new StoredParts(parts).read(chunk!.rows);
}

const keysLeftOut = ({columns}: RowsView): string[] =>
  columns.filter(({values}) => values.areLeftOut).map(({key}) => Buffer.from(key).toString());

/** All but the values that are left out. */
function told({columns, ...rows}: RowsView, leftOut: readonly string[]): unknown {
  const kept = columns.map(({values, ...column}) => {
    const text = Buffer.from(column.key).toString();
    return {...column, values: leftOut.includes(text) ? values.count : values};
  });
  return {...rows, columns: kept};
}

describe.each([
  ['a chunk as it came', false, ['session']],
  ['a chunk with erased rows', true, ['session']],
])('%s', (_, isErased, leftOut) => {
  test('loses the values of columns in which each row has its own, and nothing else', async () => {
    const part = await partOf(isErased);
    const kept = withoutValues(part, none);
    const [whole, rows] = [viewRows(part), viewRows(kept)];
    expect(keysLeftOut(rows)).toEqual(leftOut);
    expect(told(rows, leftOut)).toEqual(told(whole, leftOut));
    expect(kept.length).toBeLessThan(part.length - whole.order.length * 'session 1'.length);
  });

  test('keeps those that somebody asks about', async () => {
    const part = await partOf(isErased);
    const session = new PropertyName('session');
    expect(withoutValues(part, (key) => session.isKey(key))).toBe(part);
    const rows = viewRows(withoutValues(part, none));
    expect(session.isToldBy(rows)).toBe(false);
    for (const name of ['plan', 'amount', 'order', 'page', 'nothing', 'session.id', 'sessio'])
      expect(new PropertyName(name).isToldBy(rows), name).toBe(true);
  });

  test('asking for a value that was left out is an error, and so is storing the rest', async () => {
    const rows = viewRows(withoutValues(await partOf(isErased), none));
    const {values} = rows.columns[new PropertyName('session').columnIn(rows)];
    expect(() => values.storedForm(wtf8('session 1'))).toThrow('left out');
    expect(() => encodeRows(rows)).toThrow('left out');
  });
});
