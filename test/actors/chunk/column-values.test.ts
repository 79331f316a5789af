// Every form gives its values' bytes again, and finds just the values that it holds; the values themselves are the oracle.
import {describe, expect, test} from 'vitest';
import {ByteWriter} from '../../../actors/bytes/bytes.js';
import {ColumnValues, storeValues, viewValues} from '../../../actors/chunk/column-values.js';
import {writeValue} from '../../../actors/log/entries.js';
import type {Json} from '../../../actors/log/json.js';
import {Random} from '../../../tools/random.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function bytesOf(value: Json): Uint8Array {
  const writer = new ByteWriter(64);
  writeValue(writer, value);
  return writer.finish();
}

function plain(values: readonly Uint8Array[]): ColumnValues {
  const offsets = [0];
  for (const value of values) offsets.push(offsets.at(-1)! + value.length);
  return new ColumnValues(values.length, Buffer.concat(values), Uint32Array.from(offsets));
}

const codesOf = (values: ColumnValues) => Uint16Array.from({length: values.count}, (_, i) => i + 1);

function storedAgain(values: ColumnValues): ColumnValues {
  return viewValues(values.count, storeValues(values, codesOf(values)));
}

function written(values: ColumnValues): string[] {
  return Array.from({length: values.count}, (_, i) => {
    const writer = new ByteWriter(1);
    values.write(i + 1, writer);
    return hex(writer.finish());
  });
}

function jsonOf(values: ColumnValues): string[] {
  return Array.from({length: values.count}, (_, i) => {
    const writer = new ByteWriter(1);
    values.writeJson(i + 1, writer);
    return Buffer.from(writer.finish()).toString();
  });
}

/** Codes whose stored bytes are those of the value. */
function found(values: ColumnValues, value: Uint8Array): number[] {
  const stored = values.storedForm(value);
  if (stored === undefined) return [];
  const right = [...codesOf(values)].filter(
    (code) => hex(values.stored.subarray(values.start(code), values.end(code))) === hex(stored),
  );
  const codes: number[] = [];
  values.find(stored, codes);
  expect(codes).toEqual(right);
  return right;
}

const random = new Random(41);
const some = (make: (i: number) => Json, count = 300): Json[] => Array.from({length: count}, (_, i) => make(i));
const anyChars = (alphabet: string, length: number) =>
  Array.from({length}, () => alphabet[random.between(0, alphabet.length - 1)]).join('');
const ascii = Array.from({length: 127}, (_, i) => String.fromCharCode(i)).join('');
const decimals = '0123456789';
const base36 = decimals + 'abcdefghijklmnopqrstuvwxyz';

/** Name, values, and the bytes of each as stored; 0: in its own bytes, of many lengths. */
const columns: readonly (readonly [string, Json[], number])[] = [
  ['integers within a byte', some((i) => 1_000 + (i % 256)), 1],
  ['integers past a byte', some((i) => (i % 257) - 5), 2],
  ['integers past two bytes', some((i) => (i === 7 ? 65_536 : i === 8 ? 0 : i)), 4],
  ['integers of all 32 bits', [...some(() => random.between(-(2 ** 31), 2 ** 31 - 1)), -(2 ** 31), 2 ** 31 - 1], 4],
  ['integers and a double', some((i) => (i === 200 ? 0.5 : i)), 0],
  ['integers and minus zero', some((i) => (i === 200 ? -0 : i)), 0],
  ['integers past 32 bits', some((i) => 2 ** 31 + i), 9],
  ['doubles', some(() => random.next()), 9],
  ['booleans and null', some((i) => [true, false, null][i % 3]!), 1],
  ['sessions', some(() => random.between(0, 2 ** 32 - 1).toString(36)), 8],
  ['uuids', some(() => `${anyChars('0123456789abcdef', 8)}-${anyChars('0123456789abcdef', 12)}`), 22],
  ['texts of 0 to 2 characters', some((i) => 'a'.repeat(i % 3)), 3],
  ['empty texts', some(() => ''), 1],
  ['any characters', some(() => anyChars(ascii, 20)), 21],
  ['zeros', some((i) => '\0'.repeat(1 + (i % 2))), 3],
  ['characters of three bytes', some((i) => '€'.repeat(2) + (i % 10)), 8],
  ['one long text among short ones', some((i) => (i === 9 ? anyChars(base36, 126) : `${i}`)), 0],
  ['one text past 127 bytes', some((i) => 'x'.repeat(i === 9 ? 128 : 127)), 0],
  ['text and a number', some((i) => (i === 9 ? 1 : `v${i}`)), 0],
  ['few values', some((i) => i * 1_000, 63), 0],
  ['no value', [], 0],
];

describe('values of a column', () => {
  test.each(columns)('%s', (_, values, width) => {
    const bytes = values.map(bytesOf);
    const stored = storedAgain(plain(bytes));
    expect(written(stored)).toEqual(bytes.map(hex));
    expect(stored.offsets === undefined && stored.count > 0 ? stored.end(1) : 0).toBe(width);
    expect(jsonOf(stored)).toEqual(values.map((value) => JSON.stringify(value)));
    // What is stored is stored again alike, from any form.
    expect(storeValues(stored, codesOf(stored))).toEqual(storeValues(plain(bytes), codesOf(stored)));
  });

  const strangers: Json[] = [0, 1, -1, 0.5, -0, 70_000, 2 ** 31 - 1, -(2 ** 31), 2 ** 40, true, null];
  strangers.push(
    '',
    'a',
    'aa',
    '€',
    'no',
    '100000',
    '1000000',
    'x'.repeat(126),
    'x'.repeat(200),
    '0',
    '-',
    {a: 1},
    [1],
  );

  test.each(columns)('%s: what is looked for is found, and nothing else', (_, values) => {
    const bytes = values.map(bytesOf);
    const stored = storedAgain(plain(bytes));
    for (const value of [...values.slice(0, 40), ...strangers].map(bytesOf)) {
      const wanted = bytes.flatMap((each, i) => (hex(each) === hex(value) ? [i + 1] : []));
      expect(found(stored, value)).toEqual(wanted);
    }
  });

  test('bytes that no writer of ours makes stay as they are', () => {
    const odd = [Uint8Array.of(3, 0x81, 0), Uint8Array.of(3, 0xff, 0xff, 0xff, 0xff, 0x1f), Uint8Array.of(3, 0x80)];
    odd.push(Uint8Array.of(5, 3, 97), Uint8Array.of(5, 0, 97), Uint8Array.of(3), Uint8Array.of(5), new Uint8Array(0));
    const integers = some((i) => i, 100).map(bytesOf);
    const texts = some((i) => `t${i}`, 100).map(bytesOf);
    for (const value of odd) {
      for (const column of [integers, texts]) {
        const stored = storedAgain(plain([...column, value]));
        expect(written(stored)).toEqual([...column, value].map(hex));
        expect(found(storedAgain(plain(column)), value)).toEqual([]);
      }
    }
  });

  test('a form of a later version is refused', () => {
    const stored = storeValues(plain([bytesOf(1)]), Uint16Array.of(1));
    expect(() => viewValues(1, {...stored, form: 3})).toThrow(/form 3 are unknown/);
  });
});
