// JSON as bytes, beside JSON.stringify; times, beside isoText.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {ByteWriter, wtf8} from '../../../actors/bytes/bytes.js';
import {quotedBytes, writeInteger, writeJsonString} from '../../../actors/bytes/json-bytes.js';
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
      const json = wtf8(JSON.stringify({text}));
      expect(quotedBytes(json, 0, json.length)).toBe(Buffer.byteLength(JSON.stringify(JSON.stringify({text}))));
    },
  );
  fc.assert(property, {numRuns: runs(200)});
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
