// Keys whose first byte changes: they are found under the new key alone, and a snapshot that is being written has the old one.
import {expect, test} from 'vitest';
import {bytesIn} from '../../../actors/actor.js';
import {InternedTable, internedBlockEntries} from '../../../actors/table/interned.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const m = 'm'.charCodeAt(0);
const find = (table: InternedTable, text: string): number => table.find(bytes(text), 0, text.length);
const findAll = (table: InternedTable, text: string): number[] => table.findAll(bytes(text), 0, text.length);
const intern = (table: InternedTable, text: string): number => table.intern(bytes(text), 0, text.length);

test('an entry is found under its new key, and its old key is free', () => {
  const table = new InternedTable();
  for (let i = 0; i < 300; i++) intern(table, `a${i}`);
  for (let round = 0; round < 3; round++) table.changeFirstByte(intern(table, 'a7'), m);
  expect(find(table, 'a7')).toBe(-1);
  expect(findAll(table, 'm7')).toEqual([7, 300, 301]);
  expect(intern(table, 'a7')).toBe(302);
  expect([table.text(7), table.text(301), table.text(302)]).toEqual(['m7', 'm7', 'a7']);
  table.remove(300);
  expect(findAll(table, 'm7')).toEqual([7, 301]);
  expect(findAll(table, 'nobody')).toEqual([]);
});

test('a cut has the keys of its moment, in whichever order its blocks are encoded and keys change', () => {
  const table = new InternedTable();
  for (let i = 0; i < 3 * internedBlockEntries; i++) intern(table, `a${i}`);
  const frozen = table.freeze('t');
  const restored = new InternedTable();
  for (const {block, payload} of frozen) {
    // Of a block that is encoded, of the next one, and of one that changes twice.
    for (const place of [block, block + 1, 2]) {
      const index = place * internedBlockEntries;
      if (index < table.count) table.changeFirstByte(index, table.text(index).startsWith('m') ? 0x61 : m);
    }
    restored.restoreBlock(bytesIn(payload!));
  }
  expect(Array.from({length: table.count}, (_, i) => restored.text(i))).toEqual(
    Array.from({length: table.count}, (_, i) => `a${i}`),
  );
  const later = [...table.freeze('t')].map(({block}) => block);
  expect(later).toEqual([0, 1, 2]);
});

test('equal changed keys are all there after a start', () => {
  const table = new InternedTable();
  for (let i = 0; i < 4; i++) table.changeFirstByte(intern(table, 'ax'), m);
  intern(table, 'ax');
  const restored = new InternedTable();
  for (const {payload} of table.freeze('t')) restored.restoreBlock(bytesIn(payload!));
  expect(findAll(restored, 'mx')).toEqual([0, 1, 2, 3]);
  expect(find(restored, 'ax')).toBe(4);
});
