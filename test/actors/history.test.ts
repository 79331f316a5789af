// The newest rows of many chunks against sorting all of them.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type HistoryFilter, NewestRows} from '../../actors/history.js';
import {encodeRows, noName, noUser, type RowsView, timeOrder, viewRows} from '../../actors/rows.js';

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
    columns: [],
    keysInBody: false,
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
      for (const own of isReversed ? columns.reverse() : columns) newest.offer(own);
      expect(newest.rows).toEqual(newestOf(parts.flat(), limit, filter));
    }),
    {numRuns: 500},
  );
});
