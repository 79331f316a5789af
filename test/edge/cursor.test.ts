import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type Cursor, CursorSeal} from '../../src/edge/query/cursor.js';

const seal = new CursorSeal('secret of the deployment', 4);
const ordinal = fc.integer({min: 0, max: Number.MAX_SAFE_INTEGER});
const cursor: fc.Arbitrary<Cursor> = fc.record({
  place: fc.record({
    timeMs: fc.integer({min: -8.64e15, max: 8.64e15}),
    partition: fc.integer({min: 0, max: 255}),
    ordinal,
  }),
  ordinalEnds: fc.array(ordinal, {minLength: 1, maxLength: 256}),
});

describe('a cursor', () => {
  test('comes back whole for the same filters, on any edge of the deployment', () => {
    const elsewhere = new CursorSeal('secret of the deployment', 4);
    fc.assert(
      fc.property(cursor, fc.string(), (value, filters) => {
        expect(elsewhere.open(seal.seal(value, filters), filters)).toEqual(value);
      }),
    );
  });

  test('is refused for other filters, by other deployments, and after a change of the number of partitions', () => {
    fc.assert(
      fc.property(cursor, fc.string(), fc.string(), (value, filters, others) => {
        fc.pre(filters !== others);
        const text = seal.seal(value, filters);
        expect(seal.open(text, others)).toBeUndefined();
        expect(new CursorSeal('another secret', 4).open(text, filters)).toBeUndefined();
        expect(new CursorSeal('secret of the deployment', 8).open(text, filters)).toBeUndefined();
      }),
    );
  });

  test('is refused when any character is changed, added or taken away', () => {
    const value = {place: {timeMs: 1_700_000_000_000, partition: 3, ordinal: 77}, ordinalEnds: [1, 2, 300]};
    const text = seal.seal(value, 'f');
    for (let at = 0; at < text.length; at++) {
      const other = text[at] === 'A' ? 'B' : 'A';
      expect(seal.open(text.slice(0, at) + other + text.slice(at + 1), 'f')).toBeUndefined();
      expect(seal.open(text.slice(0, at) + text.slice(at + 1), 'f')).toBeUndefined();
    }
    for (const more of ['A', '=', '==', '\n', '.']) expect(seal.open(text + more, 'f')).toBeUndefined();
  });

  test('that is no cursor at all is refused', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string({unit: 'binary'})), (text) => {
        expect(seal.open(text, '')).toBeUndefined();
      }),
    );
  });
});
