// The newest rows of many chunks against sorting all of them.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {summarizeRows} from '../../../actors/chunk/chunk-summary.js';
import {
  type ChunkOutline,
  type HistoryFilter,
  NewestRows,
  newestChunkFirst,
  type ReachableChunk,
  reachableChunks,
} from '../../../actors/chunk/history.js';
import {encodeRows, noName, noUser, type RowsView, timeOrder, viewRows} from '../../../actors/chunk/rows.js';
import {runs} from '../../support/runs.js';

interface Row {
  readonly timeMs: number;
  /** Undefined: erased. */
  readonly user: number | undefined;
  readonly name: number;
}

function columnsOf(rows: readonly Row[], chunk: number, baseOrdinal: number): RowsView {
  const times = Float64Array.from(rows, ({timeMs, user}) => (user === undefined ? 0 : timeMs));
  const users = Uint32Array.from(rows, ({user}) => user ?? noUser);
  const names = Uint32Array.from(rows, ({user, name}) => (user === undefined ? noName : name));
  const wide: RowsView = {
    chunk,
    baseOrdinal,
    count: rows.length,
    timeBase: 0,
    times,
    users,
    noUser,
    names,
    order: timeOrder(times, users, rows.length),
  };
  // As the open chunk has them, or as a part has.
  return chunk % 2 === 0 ? wide : viewRows(encodeRows(wide));
}

/** The same by sorting everything that matches. */
function newestOf(rows: readonly Row[], limit: number, filter: HistoryFilter) {
  const {user, name, fromMs, toMs, ordinalEnd, before} = filter;
  return rows
    .map((row, ordinal) => ({...row, ordinal}))
    .filter((row) => row.user !== undefined && (user === undefined || row.user === user))
    .filter((row) => name === undefined || row.name === name)
    .filter(({timeMs, ordinal}) => timeMs >= fromMs && timeMs <= toMs && ordinal < ordinalEnd)
    .filter(({timeMs, ordinal}) => before === undefined || timeMs !== before.timeMs || ordinal < before.ordinal)
    .sort((a, b) => b.timeMs - a.timeMs || b.ordinal - a.ordinal)
    .slice(0, limit)
    .map(({timeMs, ordinal}) => ({timeMs, ordinal}));
}

const row = fc.record({
  timeMs: fc.integer({min: 0, max: 12}),
  user: fc.option(fc.integer({min: 0, max: 2}), {nil: undefined}),
  name: fc.integer({min: 0, max: 2}),
});
const filters = fc.record({
  user: fc.option(fc.integer({min: 0, max: 2}), {nil: undefined}),
  name: fc.option(fc.integer({min: 0, max: 2}), {nil: undefined}),
  fromMs: fc.integer({min: 0, max: 8}),
  toMs: fc.oneof(fc.integer({min: 4, max: 12}), fc.constant(Number.POSITIVE_INFINITY)),
  ordinalEnd: fc.integer({min: 0, max: 60}),
  ordinalBefore: fc.option(fc.oneof(fc.integer({min: 0, max: 60}), fc.constant(Number.POSITIVE_INFINITY)), {
    nil: undefined,
  }),
});

test('any filter, with or without a user, finds the newest rows whatever the chunks and their order', () => {
  const chunks = fc.array(fc.array(row, {maxLength: 20}), {minLength: 1, maxLength: 5});
  fc.assert(
    fc.property(chunks, filters, fc.integer({min: 1, max: 9}), fc.boolean(), (parts, drawn, limit, isReversed) => {
      const {ordinalBefore, ...rest} = drawn;
      const before = ordinalBefore === undefined ? undefined : {timeMs: rest.toMs, ordinal: ordinalBefore};
      const filter: HistoryFilter = {...rest, before};
      const newest = new NewestRows(limit, filter);
      let baseOrdinal = 0;
      const columns = parts.map((rows, chunk) => {
        const own = columnsOf(rows, chunk, baseOrdinal);
        baseOrdinal += rows.length;
        return own;
      });
      for (const own of isReversed ? columns.reverse() : columns) {
        if (own.chunk % 3 === 0) newest.offerByOrdinal(own);
        else newest.offer(own);
      }
      expect(newest.rows).toEqual(newestOf(parts.flat(), limit, filter));
    }),
    {numRuns: runs(200)},
  );
});

// ---- rows in memory, in the order in which they arrived ----

const any: HistoryFilter = {
  user: undefined,
  name: undefined,
  fromMs: 0,
  toMs: Number.POSITIVE_INFINITY,
  ordinalEnd: Number.POSITIVE_INFINITY,
  before: undefined,
};

test('rows in memory of any order: hundreds of them, and pages of any size', () => {
  const stretch = fc.tuple(
    fc.integer({min: 0, max: 300}),
    fc.integer({min: -3, max: 3}),
    fc.integer({min: 0, max: 200}),
  );
  fc.assert(
    fc.property(fc.array(stretch, {minLength: 1, maxLength: 8}), fc.integer({min: 1, max: 250}), (stretches, limit) => {
      // Each rises, falls or stands still from where it starts.
      const rows = stretches.flatMap(([startMs, slope, count]) =>
        Array.from({length: count}, (_, i) => ({timeMs: 1_000 + startMs + slope * i, user: 0, name: 0})),
      );
      const newest = new NewestRows(limit, any);
      newest.offerByOrdinal(columnsOf(rows, 0, 0));
      expect(newest.rows).toEqual(newestOf(rows, limit, any));
    }),
    {numRuns: runs(200)},
  );
});

// ---- which chunks are read ----

interface Stored extends ChunkOutline {
  readonly rows: RowsView;
}

const storedOf = (rows: RowsView): Stored => ({
  baseOrdinal: rows.baseOrdinal,
  count: rows.count,
  ...summarizeRows(rows),
  rows,
});

const reachable = <C extends ChunkOutline>(stored: readonly C[], filter: HistoryFilter): ReachableChunk<C>[] => [
  ...reachableChunks(stored.toSorted(newestChunkFirst), filter),
];

/** As history-reads.ts does: the page, and how many chunks were read for it. */
function pageOf(stored: readonly Stored[], limit: number, filter: HistoryFilter) {
  const newest = new NewestRows(limit, filter);
  let reads = 0;
  for (const {chunk, newest: first} of reachable(stored, filter)) {
    if (!newest.wants(first)) break;
    newest.offer(chunk.rows);
    reads += 1;
  }
  return {rows: newest.rows, reads};
}

test('any filter finds the newest rows though only the chunks that are wanted are read', () => {
  const chunks = fc.array(fc.array(row, {minLength: 1, maxLength: 20}), {minLength: 1, maxLength: 8});
  fc.assert(
    fc.property(chunks, filters, fc.integer({min: 1, max: 9}), (parts, {ordinalBefore, ...rest}, limit) => {
      const before = ordinalBefore === undefined ? undefined : {timeMs: rest.toMs, ordinal: ordinalBefore};
      const filter: HistoryFilter = {...rest, before};
      let baseOrdinal = 0;
      const stored = parts.map((rows, chunk) => {
        const own = storedOf(columnsOf(rows, chunk, baseOrdinal));
        baseOrdinal += rows.length;
        return own;
      });
      expect(pageOf(stored, limit, filter).rows).toEqual(newestOf(parts.flat(), limit, filter));
    }),
    {numRuns: runs(200)},
  );
});

const rowsOfDay = 20;

/** Each with rows of two days, all at midnight. */
const imported = (count: number): Stored[] =>
  Array.from({length: count}, (_, chunk) =>
    storedOf(
      columnsOf(
        Array.from({length: 2 * rowsOfDay}, (_, i) => ({timeMs: 1 + (i % 2), user: 0, name: 0})),
        chunk,
        chunk * 2 * rowsOfDay,
      ),
    ),
  );

test('of many chunks with the same newest time, those of one page are read', () => {
  expect(pageOf(imported(300), 15, any)).toMatchObject({rows: {length: 15}, reads: 1});
  expect(pageOf(imported(300), 3 * rowsOfDay, any).reads).toBe(3);
});

test('a page that goes on within one moment reads nothing of those that came after its place', () => {
  const stored = imported(300);
  const before = {timeMs: 2, ordinal: 100 * 2 * rowsOfDay};
  const page = pageOf(stored, 15, {...any, toMs: 2, before});
  expect(page.reads).toBe(1);
  expect(page.rows[0]).toEqual({timeMs: 2, ordinal: before.ordinal - 1});
});
