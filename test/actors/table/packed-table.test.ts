import fc from 'fast-check';
import {expect, test} from 'vitest';
import {InternedTable} from '../../../actors/table/interned.js';
import {runs} from '../../support/runs.js';

test('a packed table finds what the interned one found, and nothing else', () => {
  const keys = fc.uniqueArray(fc.uint8Array({maxLength: 12}), {maxLength: 400, selector: String});
  fc.assert(
    fc.property(keys, keys, (held, others) => {
      const table = new InternedTable();
      for (const key of held) table.intern(key, 0, key.length);
      const packed = table.pack();
      for (const key of [...held, ...others])
        expect(packed.find(key, 0, key.length)).toBe(table.find(key, 0, key.length));
    }),
    {seed: 77, numRuns: runs(60)},
  );
});

test('a key is found inside of other bytes, and many keys take two thirds of the room', () => {
  const table = new InternedTable();
  const text = new TextEncoder();
  for (let key = 0; key < 60_000; key++) {
    const bytes = text.encode(`${key * 7}`);
    table.intern(bytes, 0, bytes.length);
  }
  const packed = table.pack();
  const asked = text.encode('xx420yy');
  expect([packed.find(asked, 2, 5), packed.find(asked, 2, 6)]).toEqual([60, -1]);
  const {keys, offsets, slots} = table.memory();
  expect(packed.bytes).toBeLessThan(0.67 * (keys + offsets + slots));
});
