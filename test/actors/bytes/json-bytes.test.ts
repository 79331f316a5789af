// JSON as bytes, beside JSON.stringify; times, beside isoText.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {ByteWriter, wtf8} from '../../../actors/bytes/bytes.js';
import {writeInteger, writeJsonString} from '../../../actors/bytes/json-bytes.js';
import {replaceUnstorable} from '../../../actors/bytes/storable-texts.js';
import {isoText} from '../../../actors/calendar.js';
import {IsoTimes} from '../../../actors/chunk/iso-times.js';
import {runs} from '../../support/runs.js';

const written = (write: (writer: ByteWriter) => void): string => {
  const writer = new ByteWriter(1);
  write(writer);
  return Buffer.from(writer.bytes.subarray(0, writer.position)).toString();
};

const jsonOf = (text: string): string => {
  const bytes = Uint8Array.of(1, ...wtf8(text), 0x22);
  return written((writer) => writeJsonString(writer, bytes, 1, bytes.length - 1));
};

test('strings: every 16-bit unit, alone and between others', () => {
  for (let unit = 0; unit < 0x10000; unit++) {
    const text = String.fromCharCode(unit);
    const mixed = `a${text}é"`;
    if (jsonOf(text) !== JSON.stringify(text) || jsonOf(mixed) !== JSON.stringify(mixed)) expect.fail(`unit ${unit}`);
  }
});

test('strings of any code units', () => {
  const units = fc.array(fc.integer({min: 0, max: 0xffff}).map((unit) => String.fromCharCode(unit)));
  const property = fc.property(
    fc.oneof(
      units.map((all) => all.join('')),
      fc.string({unit: 'binary'}),
    ),
    (text) => {
      expect(jsonOf(text)).toBe(JSON.stringify(text));
    },
  );
  fc.assert(property, {numRuns: runs(200)});
});

test('what stores cannot take becomes U+FFFD, in keys and values, also of escaped pairs and backslashes', () => {
  const storable = (json: string): string => {
    const bytes = Buffer.from(json);
    replaceUnstorable(bytes);
    return bytes.toString();
  };
  const cases = [
    ['{"\\ud83d":"\\uDE00"}', '{"\\ufffd":"\\ufffd"}'],
    ['"\\ud83d\\ude00"', '"\\ud83d\\ude00"'],
    ['"\\uD83D\\ud83d\\uDE00"', '"\\ufffd\\ud83d\\uDE00"'],
    ['"\\ud83d\\n\\ude00"', '"\\ufffd\\n\\ufffd"'],
    ['"a\\u0000b\\u0001\\u202e"', '"a\\ufffdb\\u0001\\u202e"'],
    // A backslash, and after it letters.
    ['"\\\\u0000\\\\ud83d"', '"\\\\u0000\\\\ud83d"'],
  ] as const;
  for (const [json, expected] of cases) expect(storable(json)).toBe(expected);
  const units = fc.array(fc.oneof(fc.constantFrom(0, 0x5c, 0x75, 0xd83d, 0xde00), fc.integer({min: 0, max: 0xffff})));
  const property = fc.property(units, (codes) => {
    const text = String.fromCharCode(...codes);
    expect(JSON.parse(storable(JSON.stringify(text)))).toBe(text.toWellFormed().replaceAll('\0', '\ufffd'));
  });
  fc.assert(property, {numRuns: runs(300)});
});

test('whole numbers', () => {
  const edges = [0, 1, 9, 10, 99, 100, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 10 ** 15, 10 ** 15 - 1, Number.MAX_SAFE_INTEGER];
  for (const value of edges.flatMap((edge) => [edge, -edge])) {
    expect(written((writer) => writeInteger(writer, value))).toBe(JSON.stringify(value));
  }
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      expect(written((writer) => writeInteger(writer, value))).toBe(JSON.stringify(value));
    }),
    {numRuns: runs(200)},
  );
});

test('times: of one day and of others, before 1970, past the year 9999, between two milliseconds', () => {
  const times = new IsoTimes();
  const dayMs = 86_400_000;
  const edges = [
    0,
    dayMs - 1,
    dayMs,
    -1,
    -dayMs,
    951_782_400_000,
    253_402_300_800_000,
    -62_167_219_200_001,
    0.5,
    -0.25,
  ];
  const some = fc.oneof(fc.constantFrom(...edges), fc.integer({min: -1e14, max: 1e15}));
  const property = fc.property(fc.array(some), (all) => {
    for (const timeMs of [...edges, ...all])
      expect(written((writer) => times.write(writer, timeMs))).toBe(isoText(timeMs));
  });
  fc.assert(property, {numRuns: runs(200)});
});
