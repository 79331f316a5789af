// Numbers that a double would change, told from those that it keeps, in the text alone.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {inexactNumber, inexactNumbers} from '../../src/ingest/inexact-numbers.js';
import {runs} from '../support/runs.js';

const found = (text: string): unknown => inexactNumber(Buffer.from(text));
const inProperties = (value: string): unknown => found(`{"event":"e","properties":{"id":${value}}}`);

const changed = `1234567890123456789 9007199254740993 -9007199254740993 123456789012345678901234 1000000000000000000001
  36893488147419103232 9007199254740993.0 9007199254740993e0 9007199254740993E+0 90071992547409930e-1
  -9.007199254740993e15 1234567890123456789.00 1234567890.123456789e9 0.00009007199254740993e20 9007199254740993.5
  9007199254740993e1`;
const kept = `9223372036854776000 9007199254740991 -9007199254740992 100000000000000000000 9223372036854776000.0
  9.223372036854776e18 9007199254740991.0 90071992547409910e-1 1e21 1000000000000000000000 1000000000000000000000.0
  1e23 100000000000000000000000 1.7976931348623157e308 1234567890123456789e-20 123456789012345.6789
  0.1234567890123456789`;

test.each(changed.split(/\s+/))('%s is changed', (digits) => {
  expect(inProperties(digits)).toEqual({path: ['properties', 'id'], digits});
  expect(inProperties(`[0,{"a": ${digits} }]`)).toEqual({path: ['properties', 'id', 1, 'a'], digits});
});

test.each([
  ...kept.split(/\s+/),
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
  const all = inexactNumbers(
    Buffer.from(`{"sentAt":null,"events":[${events}],"more":{"properties":[1234567890123456789]}}`),
  );
  expect([...all.keys()]).toEqual(Array.from({length: 334}, (_, i) => 3 * i));
  expect(all.get(999)).toEqual({path: ['context', 'a', 1], digits: '19991234567890123456789'});
});

test('every spelling of a number is refused as the plain one is', () => {
  const integer = fc.oneof(
    fc.bigInt({min: 1n, max: 10n ** 24n}),
    fc.bigInt({min: 2n ** 53n - 9n, max: 2n ** 53n + 9n}),
  );
  const spelled = fc.tuple(integer, fc.integer({min: -30, max: 30}), fc.nat(3)).map(([value, shift, zeros]) => {
    const digits = `${value}${'0'.repeat(zeros)}`;
    const plain = String(value);
    if (shift <= 0) return {plain, text: `${digits}${'0'.repeat(-shift)}.0e-${zeros - shift}`};
    const padded = digits.padStart(shift + 1, '0');
    return {plain, text: `${padded.slice(0, -shift)}.${padded.slice(-shift)}E${shift - zeros}`};
  });
  fc.assert(
    fc.property(spelled, ({plain, text}) => {
      const isKept = BigInt(Number(plain)) < 2n ** 53n || isPrinted(plain);
      expect(found(`{"properties":{"p":${text}}}`) === undefined, text).toBe(isKept);
    }),
    {numRuns: runs(2_000)},
  );
});

/** Whether JavaScript prints the double nearest to the integer with its digits. */
const isPrinted = (integer: string): boolean => {
  const [, first = '', rest = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e\+(\d+))?$/.exec(`${Number(integer)}`) ?? [];
  return `${first}${rest.padEnd(Number(exponent), '0')}` === integer.replace('-', '');
};

test('digits anywhere: as JavaScript prints them', () => {
  const integer = fc
    .tuple(fc.constantFrom('', '-'), fc.bigInt({min: 1n, max: 10n ** 24n}))
    .map(([sign, n]) => sign + n);
  const around = fc.tuple(fc.nat(40), fc.constantFrom('', ' ', '\n'));
  fc.assert(
    fc.property(integer, around, (digits, [pad, space]) => {
      const text = `{"properties":{"${'p'.repeat(pad)}":${space}${digits}${space}}}`;
      const isKept = isPrinted(digits);
      expect(found(text)).toEqual(isKept ? undefined : {path: ['properties', 'p'.repeat(pad)], digits});
    }),
    {numRuns: runs(2_000)},
  );
});

test('a body full of them costs no more than to read it', () => {
  // Each key spelled out for each number would take hours.
  const many = Array(100_000).fill('1234567890123456789').join();
  expect(inexactNumbers(Buffer.from(`{"events":[{"${'k'.repeat(1e6)}":[${many}]}]}`)).size).toBe(0);
  expect(found(`{"${'k'.repeat(1e6)}":[${many}]}`)).toBeUndefined();
});
