// Rows found by the kernel are those of its plain twin, and counts out of them those of rows that are judged one by one: chunks
// of thousands of rows, with whatever makes rows odd (late, erased, told by bodies alone, numbers that a column is too narrow
// for).

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Interval} from '../../../actors/calendar.js';
import {propertiesVersion, viewProperties, type WholeRows, wholeRows} from '../../../actors/chunk/property-columns.js';
import {rowsVersion, timeOf, viewRows} from '../../../actors/chunk/rows.js';
import {chunkRowsMax} from '../../../actors/limits.js';
import type {Json} from '../../../actors/log/json.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {CountsPartial} from '../../../actors/report/counts/counts.js';
import {PropertyFilter, verdict} from '../../../actors/report/counts/filter.js';
import type {RowFinder} from '../../../actors/report/rows/row-finder.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import {rowFinder} from '../../../src/report/counts/filter-kernel.js';
import {runs} from '../../support/runs.js';
import {MemoryParts, TestPartition} from '../../support/snapshot.js';
import {PlainRowFinder} from '../../twins/row-finder.js';

const hourMs = 3_600_000;
const rowCount = 2_500;

/** One chunk: `plan` has few values, `order` is nearly unique (so that some have two codes), `note` is in bodies alone now and then, `late` rows come last. */
async function chunkOf(random: () => number): Promise<WholeRows> {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  for (let row = 0; row < rowCount; row++) {
    const isLate = random() < 0.3;
    const properties: Record<string, Json> = {
      plan: ['free', 'team', 'business'][Math.floor(random() * 3)]!,
      order: `order-${row % 2_300}`,
      n: row % 7 === 0 ? row : String(row % 40),
      ...(random() < 0.2 ? {note: 'x'.repeat(200)} : random() < 0.5 ? {note: 'short'} : {}),
      ...(random() < 0.3 ? {a: {b: 1}} : {}),
    };
    partition.append({
      user: `u${Math.floor(random() * 50)}`,
      event: `e${Math.floor(random() ** 2 * 6)}`,
      timeMs: 100 * hourMs + row * 1_000 - (isLate ? Math.floor(random() * 90 * hourMs) : 0),
      properties,
    });
  }
  if (random() < 0.5) partition.erase('u7');
  const {index} = partition.publish();
  expect(index.chunks.length).toBe(1);
  return new PartsCache(parts, 1 << 24).wholeRows.load(index.chunks[0]!);
}

const questions = fc.record({
  seed: fc.integer({min: 0, max: 5}),
  /** Undefined: the first row's. */
  asked: fc.option(fc.integer({min: 0, max: 7}), {freq: 1, nil: undefined}),
  /** Times of these rows, and as many ms beside them. */
  bounds: fc.tuple(fc.nat(rowCount - 1), fc.nat(rowCount - 1)),
  beside: fc.tuple(fc.constantFrom(-hourMs, -1, 0, 1, 500), fc.constantFrom(-500, -1, 0, 1, hourMs)),
  interval: fc.constantFrom<Interval[]>('hour', 'day', 'week', 'month'),
  filter: fc.constantFrom(
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
});

function seeded(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39;
    return ((state ^ (state >>> 12)) >>> 0) / 2 ** 32;
  };
}

/** Every live row is looked at, and judged. */
function judged(rows: WholeRows, buckets: Buckets, name: number, filter: PropertyFilter) {
  const counts = new Array<number>(buckets.count).fill(0);
  const unsure: number[] = [];
  const isOpen = filter.open(rows);
  for (const row of isOpen ? rows.order : []) {
    const timeMs = timeOf(rows, row);
    if (rows.names[row] !== name || timeMs < buckets.fromMs || timeMs > buckets.toMs) continue;
    const says = filter.judge(row);
    if (says === verdict.unsure) unsure.push(row);
    if (says === verdict.yes) counts[buckets.indexOf(timeMs)]! += 1;
  }
  return {counts, unsure: unsure.sort((a, b) => a - b)};
}

const finders: readonly (readonly [string, RowFinder])[] = [
  ['kernel', rowFinder],
  ['plain twin', new PlainRowFinder()],
];

describe.each(finders)('counts by the %s', (_, finder) => {
  test('are those of rows that are judged one by one', async () => {
    const chunks = await Promise.all([0, 1, 2, 3, 4, 5].map((seed) => chunkOf(seeded(seed))));
    let [counted, unsureSeen] = [0, 0];
    const property = fc.property(questions, ({seed, asked, bounds, beside, interval, filter: [key, value]}) => {
      const rows = chunks[seed]!;
      const name = asked ?? rows.names[bounds[0]]!;
      const [fromMs, toMs] = bounds.map((row) => timeOf(rows, row)).sort((a, b) => a - b) as [number, number];
      const buckets = new Buckets(fromMs + beside[0], Math.max(toMs + beside[1], fromMs + beside[0]), interval);
      const partial = new CountsPartial(buckets, name, finder, new PropertyFilter(key!, value!));
      const unsure = [...partial.addFilteredRows(rows)];
      const right = judged(rows, buckets, name, new PropertyFilter(key!, value!));
      expect({counts: [...partial.counts], unsure}).toEqual(right);
      counted += partial.counts.reduce((sum, count) => sum + count, 0);
      unsureSeen += unsure.length;
    });
    fc.assert(property, {seed: 8_123, numRuns: 1_000});
    expect(counted).toBeGreaterThan(300);
    expect(unsureSeen).toBeGreaterThan(3);
  });

  test('of an empty chunk are none', () => {
    // Heads alone.
    const rows = viewRows(new Uint8Array(Uint32Array.of(rowsVersion, ...new Array(11).fill(0)).buffer));
    const properties = viewProperties(
      new Uint8Array(Uint32Array.of(propertiesVersion, ...new Array(7).fill(0)).buffer),
    );
    const partial = new CountsPartial(new Buckets(0, hourMs - 1, 'hour'), 0, finder, new PropertyFilter('a', 'b'));
    expect([...partial.addFilteredRows(wholeRows(rows, properties))]).toEqual([]);
  });
});

/** Columns of up to a whole chunk, in which few numbers are frequent; of the widths that parts have. */
const columns = fc
  .record({
    count: fc.oneof(fc.integer({min: 0, max: 70}), fc.integer({min: 0, max: chunkRowsMax}), fc.constant(chunkRowsMax)),
    seed: fc.integer({min: 0, max: 1e6}),
    nameBytes: fc.constantFrom(1, 2, 4),
    codeBytes: fc.constantFrom(1, 2),
    distinct: fc.constantFrom(1, 2, 5, 300),
  })
  .map(({count, seed, nameBytes, codeBytes, distinct}) => {
    const random = seeded(seed);
    const highest = (bytes: number): number => 2 ** (8 * bytes) - 1;
    // Some are as high as the column holds, and some differ in their upper byte alone.
    const number = (bytes: number): number => {
      const drawn = Math.floor(random() * distinct);
      return Math.min(highest(bytes), random() < 0.1 ? highest(bytes) - drawn : drawn * (random() < 0.5 ? 1 : 256));
    };
    const names = new (nameBytes === 1 ? Uint8Array : nameBytes === 2 ? Uint16Array : Uint32Array)(count);
    const codes = new (codeBytes === 1 ? Uint8Array : Uint16Array)(count);
    for (let row = 0; row < count; row++) [names[row], codes[row]] = [number(nameBytes), number(codeBytes)];
    return {names, codes};
  });

/** Of one row, so that there is something to find, or any. */
const wanted = fc.oneof(
  fc.nat(chunkRowsMax).map((row) => ({row, name: 0, code: 0})),
  fc.record({row: fc.constant(undefined), name: fc.nat(70_000), code: fc.nat(70_000)}),
);

describe('the kernel', () => {
  test('finds what its plain twin finds, in columns of any width, one chunk after the other', () => {
    const plain = new PlainRowFinder();
    const property = fc.property(columns, fc.array(wanted, {minLength: 1, maxLength: 4}), ({names, codes}, all) => {
      for (const finder of [rowFinder, plain]) finder.open(names, codes);
      for (const {row, name, code} of all) {
        const [n, c] =
          row === undefined ? [name, code] : [names[row % names.length] ?? 0, codes[row % names.length] ?? 0];
        const found = [...rowFinder.find(n, c)];
        expect(found).toEqual([...plain.find(n, c)]);
        const right = [...names.keys()].filter((at) => names[at] === n && codes[at] === c);
        expect(found).toEqual(right);
      }
    });
    fc.assert(property, {numRuns: runs(400)});
  });
});
