// Cells of property values against counting one by one, in each form that they take: groups or named cells, with one and
// two bytes a name, a cell a row or counted, with one, two and four bytes a count.
import {describe, expect, test} from 'vitest';
import {type ValueCells, ValueCellsBuilder} from '../../../../actors/report/counts/value-cells.js';
import {PropertyName} from '../../../../actors/report/rows/property-name.js';
import {valuesOfText} from '../../../../actors/report/rows/property-values.js';
import {PartsCache} from '../../../../src/parts/parts-cache.js';
import {MemoryParts, TestPartition} from '../../../support/snapshot.js';

const hourMs = 3_600_000;
const hours = 200;

interface Kind {
  readonly rows: number;
  readonly names: number;
  readonly values: number;
  /** Hours that rows fall on. */
  readonly spread: number;
}

interface Row {
  readonly name: number;
  readonly value: number;
  readonly hour: number;
}

const kinds: readonly (readonly [form: string, kind: Kind])[] = [
  ['counted cells in groups', {rows: 9_000, names: 3, values: 4, spread: 20}],
  ['counted cells with names', {rows: 9_000, names: 300, values: 4, spread: 1}],
  ['counts of two bytes', {rows: 9_000, names: 2, values: 2, spread: 2}],
  ['counts of four bytes', {rows: 66_000, names: 1, values: 1, spread: 1}],
  ['rows in groups', {rows: 1_200, names: 2, values: 5, spread: hours}],
  ['rows with names of one byte', {rows: 6_000, names: 20, values: 700, spread: hours}],
  ['rows with names of two bytes', {rows: 9_000, names: 400, values: 900, spread: hours}],
];

function rowsOf({rows, names, values, spread}: Kind): Row[] {
  let drawn = 7;
  const draw = (below: number): number => {
    drawn = Math.imul(drawn, 48_271) >>> 1;
    return (drawn >>> 7) % below;
  };
  return Array.from({length: rows}, () => ({name: draw(names), value: draw(values), hour: draw(spread)}));
}

async function cellsOf(rows: readonly Row[]): Promise<{cells: ValueCells; nameIndex: (name: number) => number}> {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  for (const [i, {name, value, hour}] of rows.entries()) {
    const timeMs = hour * hourMs + (i % 1_000);
    partition.append({user: `u${i % 9}`, event: `e${name}`, timeMs, properties: {p: `v${value}`}});
    if (i % 3_000 === 2_999) partition.cutChunk();
  }
  const {index, names} = partition.publish();
  const builder = new ValueCellsBuilder(new PropertyName('p'));
  const cache = new PartsCache(parts, 64 << 20);
  for (const chunk of index.chunks) expect(builder.add(await cache.wholeRows.load(chunk))).toBe(true);
  const work = builder.build();
  let step = work.next();
  while (!step.done) step = work.next();
  const key = (name: number) => new TextEncoder().encode(`e${name}`);
  return {cells: step.value, nameIndex: (name) => names.find(key(name), 0, key(name).length)};
}

describe('cells of values', () => {
  test.each(kinds)(
    '%s',
    async (_, kind) => {
      const rows = rowsOf(kind);
      const {cells, nameIndex} = await cellsOf(rows);
      const bounds = [0, 1, 5, 19, 20, 120, hours];
      const edges = Float64Array.from(bounds);
      for (const value of [0, 1, kind.values - 1, kind.values]) {
        for (const name of [0, 1, 2, kind.names >> 1, kind.names - 1]) {
          const counts = new Float64Array(bounds.length - 1);
          cells.add(valuesOfText(`v${value}`), nameIndex(name), edges, counts);
          const asked = rows.filter((row) => row.name === name && row.value === value);
          const expected = bounds.slice(1).map((end, i) => {
            return asked.filter(({hour}) => bounds[i]! <= hour && hour < end).length;
          });
          expect([...counts]).toEqual(expected);
        }
      }
    },
    60_000,
  );
});
