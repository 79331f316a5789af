// Counts out of what is derived from rows equal those out of the rows alone: chunks of thousands of rows, so that columns
// are hashed, and whatever makes rows odd (late, erased, told by bodies alone, names past the bound).

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Interval} from '../../../actors/calendar.js';
import {ByteWriter} from '../../../actors/codec/bytes.js';
import type {Json} from '../../../actors/codec/entries.js';
import {Buckets} from '../../../actors/report/buckets.js';
import {CountsPartial} from '../../../actors/report/counts.js';
import {DerivedRows} from '../../../actors/report/derived-rows.js';
import {PropertyFilter} from '../../../actors/report/filter.js';
import {groupedNameMax} from '../../../actors/report/rows-by-name.js';
import {noUser, type RowsView, viewRows} from '../../../actors/rows.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import {MemoryParts, TestPartition} from '../../support/snapshot.js';

const hourMs = 3_600_000;
const rowCount = 2_500;

/** One chunk: `plan` has few values, `order` is nearly unique (so that some have two codes), `note` is in bodies alone now and then, `late` rows come last. */
async function chunkOf(random: () => number): Promise<RowsView> {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  for (let row = 0; row < rowCount; row++) {
    const isLate = random() < 0.1;
    const properties: Record<string, Json> = {
      plan: ['free', 'team', 'business'][Math.floor(random() * 3)]!,
      order: `order-${row % 2_300}`,
      n: row % 7 === 0 ? row : String(row % 40),
      ...(random() < 0.01 ? {note: 'x'.repeat(200)} : random() < 0.5 ? {note: 'short'} : {}),
      ...(random() < 0.3 ? {a: {b: 1}} : {}),
    };
    partition.append({
      user: `u${Math.floor(random() * 50)}`,
      event: `e${Math.floor(random() ** 2 * 6)}`,
      timeMs: 100 * hourMs + row * 60_000 - (isLate ? Math.floor(random() * 90 * hourMs) : 0),
      properties,
    });
  }
  if (random() < 0.5) partition.erase('u7');
  const {index} = partition.publish();
  expect(index.chunks.length).toBe(1);
  return new PartsCache(parts, 1 << 24).loadRows(index.chunks[0]!.rows);
}

const questions = fc.record({
  seed: fc.integer({min: 0, max: 5}),
  name: fc.integer({min: 0, max: 7}),
  fromMs: fc.integer({min: 0, max: 150 * hourMs}),
  lengthMs: fc.oneof(fc.integer({min: 0, max: 4 * hourMs}), fc.integer({min: 0, max: 150 * hourMs})),
  isWhole: fc.boolean(),
  interval: fc.constantFrom<Interval[]>('hour', 'day', 'week', 'month'),
  filter: fc.option(
    fc.constantFrom(
      ['plan', 'team'],
      ['plan', 'none'],
      ['order', 'order-77'],
      ['order', 'order-2400'],
      ['n', '14'],
      ['n', '3'],
      ['note', 'short'],
      ['note', 'none'],
      ['a.b', '1'],
      ['plan.x', '1'],
      ['nothing', 'x'],
    ),
    {nil: undefined},
  ),
});

function seeded(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39;
    return ((state ^ (state >>> 12)) >>> 0) / 2 ** 32;
  };
}

function valueBytes(rows: RowsView, column: number, code: number): Uint8Array {
  const writer = new ByteWriter(64);
  rows.columns[column]!.values.write(code, writer);
  return writer.finish();
}

describe('derived rows', () => {
  test('counts and unsure rows are those of the rows alone', async () => {
    const chunks = await Promise.all([0, 1, 2, 3, 4, 5].map((seed) => chunkOf(seeded(seed))));
    const derived = chunks.map((rows) => new DerivedRows(rows, () => true));
    const property = fc.property(
      questions,
      fc.infiniteStream(fc.boolean()),
      ({seed, name, fromMs, lengthMs, isWhole, interval, filter}, room) => {
        const from = isWhole ? Math.floor(fromMs / hourMs) * hourMs : fromMs;
        const to = from + (isWhole ? (Math.floor(lengthMs / hourMs) + 1) * hourMs - 1 : lengthMs);
        const answer = (of: DerivedRows | undefined) => {
          const matcher = filter === undefined ? undefined : new PropertyFilter(filter[0]!, filter[1]!);
          const partial = new CountsPartial(new Buckets(from, to, interval), name, matcher);
          const unsure = partial.addRows(chunks[seed]!, of);
          return {counts: [...partial.counts], unsure: [...unsure]};
        };
        const plain = answer(undefined);
        expect(answer(derived[seed])).toEqual(plain);
        // Each piece may find room or not.
        expect(answer(new DerivedRows(chunks[seed]!, (more) => more < 0 || room.next().value))).toEqual(plain);
      },
    );
    fc.assert(property, {seed: 8_123, numRuns: 500});
  });

  test('every value has its codes, in columns of few values and of many, and no other text has one', async () => {
    const rows = await chunkOf(seeded(3));
    const values = new DerivedRows(rows, () => true).values!;
    const columnSizes: number[] = [];
    const codesOf = (column: number, value: Uint8Array): number[] => {
      const found: number[] = [];
      values.find(column, value, found);
      return found;
    };
    let doubled = 0;
    rows.columns.forEach(({values: {count}}, column) => {
      columnSizes.push(count);
      for (let code = 1; code <= count; code++) {
        const value = valueBytes(rows, column, code);
        expect(codesOf(column, value)).toContain(code);
        if (codesOf(column, value).length > 1) doubled += 1;
        expect(codesOf(column, Uint8Array.of(...value, 0))).toEqual([]);
      }
    });
    expect(doubled).toBeGreaterThan(100);
    expect(Math.min(...columnSizes)).toBeLessThan(32);
    expect(Math.max(...columnSizes)).toBeGreaterThan(1_000);
  });

  test('a chunk with a name past the bound is not grouped, and one with that very name is', () => {
    const rowsOf = (names: readonly number[]): RowsView => ({
      chunk: 0,
      baseOrdinal: 0,
      count: names.length,
      timeBase: 0,
      times: Float64Array.from(names, (_, i) => i),
      users: new Uint32Array(names.length),
      noUser,
      names: Uint32Array.from(names),
      order: Uint16Array.from(names.keys()),
      columns: [],
      keysInBody: false,
    });
    const namesOf = (names: readonly number[]) => new DerivedRows(rowsOf(names), () => true).names;
    expect(namesOf([0, groupedNameMax + 1])).toBeUndefined();
    const grouped = namesOf([groupedNameMax, 0, groupedNameMax])!;
    expect(grouped.group(groupedNameMax)).toMatchObject({start: 1, end: 3});
    expect(grouped.group(1)).toBeUndefined();
    expect([...grouped.rows]).toEqual([1, 0, 2]);
  });

  test('what is derived is counted, piece by piece, and a column from the third question for it on', async () => {
    const rows = await chunkOf(seeded(1));
    let bytes = 0;
    const derived = new DerivedRows(rows, (more) => {
      bytes += more;
      return true;
    });
    const steps: (readonly [asks: number, step: () => unknown])[] = [
      [1, () => derived.names],
      [1, () => derived.values],
      [3, () => derived.values!.find(1, valueBytes(rows, 1, 1), [])],
      [3, () => derived.names!.codesOf(0)],
    ];
    for (const [asks, step] of steps) {
      const before = bytes;
      for (let ask = 1; ask < asks; ask++) step();
      expect(bytes).toBe(before);
      step();
      expect(bytes).toBeGreaterThan(before);
      const after = bytes;
      step();
      expect(bytes).toBe(after);
    }
  });
});

test('an empty chunk derives nothing that breaks', () => {
  const bytes = new Uint8Array(64 + 4 + 8 + 4);
  new Uint32Array(bytes.buffer, 0, 1)[0] = 1;
  const rows = viewRows(bytes);
  const derived = new DerivedRows(rows, () => true);
  expect(derived.names!.group(0)).toBeUndefined();
  const partial = new CountsPartial(new Buckets(0, hourMs - 1, 'hour'), 0, new PropertyFilter('a', 'b'));
  expect([...partial.addRows(rows, derived)]).toEqual([]);
});
