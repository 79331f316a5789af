// The lower bound of a body's compact size: never above the truth, and above the bound for what is meant to cost.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {eventBytesMax} from '../../actors/limits.js';
import {compactBytesMin} from '../../src/ingest/compact-size.js';

const bytes = (text: string): Buffer => Buffer.from(text);
const compactBytes = (text: string): number => Buffer.byteLength(JSON.stringify(JSON.parse(text)));

const escaped = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"/g, (string) =>
    JSON.stringify(JSON.parse(string)).replace(
      /[^"\\]|\\(?!u)./g,
      (part) => `\\u${(JSON.parse(`"${part}"`) as string).charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
const spaced = (text: string): string => JSON.stringify(JSON.parse(text), null, 7);

test('it is never above the size of the compact JSON, however the text is written', () => {
  fc.assert(
    fc.property(fc.json({maxDepth: 4}), (text) => {
      for (const form of [text, spaced(text), escaped(text)]) {
        expect(compactBytesMin(bytes(form))).toBeLessThanOrEqual(compactBytes(form));
      }
    }),
  );
});

test.each(['{"a":1.50000e+00,"b":-0.0,"c":true,"d":null}', '"\\/\\u00e9\\""', '[1,-2,3e4]', '{"\\u0061":"\\ud800"}'])(
  '%s',
  (text) => {
    expect(compactBytesMin(bytes(text))).toBeLessThanOrEqual(compactBytes(text));
  },
);

test('text without escapes and long numbers is counted to the byte', () => {
  const text = JSON.stringify({event: 'näme', userId: 'ada', properties: {a: [1, 2, 'x'], b: null, c: 'é😀'}});
  expect(compactBytesMin(bytes(text))).toBe(compactBytes(text));
  expect(compactBytesMin(bytes(spaced(text)))).toBe(compactBytes(text));
});

test('an event of 60,000 keys is seen to be too long', () => {
  const keys = Array.from({length: 60_000}, (_, i) => `"${i.toString(36)}":1`).join();
  expect(compactBytesMin(bytes(`{"event":"x","userId":"y","properties":{${keys}}}`))).toBeGreaterThan(eventBytesMax);
});

test.each(['', '"', '"\\', '"\\u', '{"a":"\\u00', '\0\0', '"'.repeat(99)])(
  'text that is no JSON is counted too: %j',
  (text) => {
    expect(compactBytesMin(bytes(text))).toBeLessThanOrEqual(text.length + 1);
  },
);
