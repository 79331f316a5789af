// Integers that a double would change, told from those that it keeps, in the text alone.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {inexactInteger, inexactIntegers} from '../../src/ingest/inexact-integers.js';
import {runs} from '../support/runs.js';

const found = (text: string): unknown => inexactInteger(Buffer.from(text));
const inProperties = (value: string): unknown => found(`{"event":"e","properties":{"id":${value}}}`);

test.each([
  '1234567890123456789',
  '9007199254740993',
  '-9007199254740993',
  '123456789012345678901234',
  '1000000000000000000000',
])('%s is changed', (digits) => {
  expect(inProperties(digits)).toEqual({path: ['properties', 'id'], digits});
  expect(inProperties(`[0,{"a": ${digits} }]`)).toEqual({path: ['properties', 'id', 1, 'a'], digits});
});

test.each([
  '9223372036854776000',
  '9007199254740991',
  '-9007199254740992',
  '100000000000000000000',
  '1234567890123456789.0',
  '1234567890123456789e0',
  '0.1234567890123456789',
  '"1234567890123456789"',
  '"at 1234567890123456789, or so"',
  '"\\" , 1234567890123456789 ,"',
])('%s is not', (value) => {
  expect(inProperties(value)).toBeUndefined();
});

test('what is not stored may be anything', () => {
  expect(found('{"more":1234567890123456789,"properties":{"a":1}}')).toBeUndefined();
  expect(found('{"more":{"properties":{"a":1234567890123456789}}}')).toBeUndefined();
  expect(found('{"m":[{"properties":1234567890123456789}],"tr\\u0061its":{"a":1234567890123456789}}')).toEqual({
    path: ['traits', 'a'],
    digits: '1234567890123456789',
  });
});

test('of each event of a batch the first one, however far the batch goes', () => {
  const events = Array.from({length: 1_000}, (_, i) =>
    i % 3 === 0
      ? `{"context":{"a":[${i}, 1${i}1234567890123456789]},"properties":{"b":1234567890123456789}}`
      : '{"a":[[]]}',
  );
  const all = inexactIntegers(
    Buffer.from(`{"sentAt":null,"events":[${events}],"more":{"properties":[1234567890123456789]}}`),
  );
  expect([...all.keys()]).toEqual(Array.from({length: 334}, (_, i) => 3 * i));
  expect(all.get(999)).toEqual({path: ['context', 'a', 1], digits: '19991234567890123456789'});
});

test('digits anywhere: as JavaScript prints them', () => {
  const integer = fc
    .tuple(fc.constantFrom('', '-'), fc.bigInt({min: 1n, max: 10n ** 24n}))
    .map(([sign, n]) => sign + n);
  const around = fc.tuple(fc.nat(40), fc.constantFrom('', ' ', '\n'));
  fc.assert(
    fc.property(integer, around, (digits, [pad, space]) => {
      const text = `{"properties":{"${'p'.repeat(pad)}":${space}${digits}${space}}}`;
      const isKept = String(Number(digits)) === digits;
      expect(found(text)).toEqual(isKept ? undefined : {path: ['properties', 'p'.repeat(pad)], digits});
    }),
    {numRuns: runs(2_000)},
  );
});

test('a body full of them costs no more than to read it', () => {
  const many = Array(100_000).fill('1234567890123456789').join();
  const startMs = performance.now();
  expect(inexactIntegers(Buffer.from(`{"events":[{"${'k'.repeat(1e6)}":[${many}]}]}`)).size).toBe(0);
  expect(found(`{"${'k'.repeat(1e6)}":[${many}]}`)).toBeUndefined();
  expect(performance.now() - startMs).toBeLessThan(5_000);
});
