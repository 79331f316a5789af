// Packed rows are the rows of their names, by (time, row): whatever the names, users and times.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {packNamedRows, unpackNamedRows} from '../../../actors/chunk/named-rows.js';
import {encodeRows, type RowsView, timeOf, viewRows} from '../../../actors/chunk/rows.js';
import {chunkOf, type Row} from '../../support/postings.js';

const startMs = Date.UTC(2024, 1, 22);

const someRow = fc.record<Row>({
  user: fc.oneof(fc.integer({min: 0, max: 300}), fc.constantFrom(0, 70_000, 2 ** 32 / 8 - 1)),
  name: fc.constantFrom(0, 1, 2, 3, 254, 255, 300, 65_535, 70_000),
  timeMs: fc
    .oneof(fc.integer({min: 0, max: 200}), fc.constantFrom(0, 1, 127, 128, 16_384, 2_000_000_000, 4_294_967_295))
    .map((ms) => startMs + ms),
});
const someNames = fc
  .uniqueArray(fc.constantFrom<number[]>(0, 1, 2, 3, 7, 254, 255, 300, 65_535, 70_000), {minLength: 1, maxLength: 8})
  .map((names) => names.sort((a, b) => a - b));

const viewOf = (rows: readonly Row[]): RowsView => viewRows(encodeRows(chunkOf(rows)));

/** Rows in their order, as plain data. */
const listed = (rows: RowsView) =>
  [...rows.order].map((row) => ({user: rows.users[row], name: rows.names[row], timeMs: timeOf(rows, row)}));

test('packed rows are those of their names, in the order of (time, row)', () => {
  fc.assert(
    fc.property(fc.array(someRow, {maxLength: 60}), someNames, (rows, names) => {
      const view = viewOf(rows);
      const packed = packNamedRows(view, names);
      const expected = listed(view).filter(({name}) => names.includes(name!));
      expect(packed && listed(unpackNamedRows(packed))).toEqual(expected);
      expect(packed?.count).toBe(expected.length);
    }),
  );
});

test('packed rows take less than half of the bytes of their part', () => {
  const rows = Array.from({length: 4_000}, (_, i) => ({
    user: (i * 7_919) % 200_000,
    name: i % 5,
    timeMs: startMs + i * 400,
  }));
  const part = encodeRows(chunkOf(rows));
  const packed = packNamedRows(viewRows(part), [0, 1, 2, 3, 4]);
  expect(packed?.bytes.length).toBeLessThan(part.length / 2);
});

test('a chunk with times of 64 bits, or with a user of too large a code, is not packed', () => {
  const near = {user: 1, name: 1, timeMs: startMs};
  expect(packNamedRows(viewOf([near, {...near, timeMs: startMs + 2 ** 32}]), [1])).toBeUndefined();
  expect(packNamedRows(viewOf([near, {...near, user: 2 ** 31}]), [0, 1])).toBeUndefined();
});
