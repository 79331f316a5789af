// What is JSON, held against JSON.parse.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {isJson} from '../../src/ingest/json-syntax.js';
import {runs} from '../support/runs.js';

function isJsonParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function expectSame(text: string): void {
  expect(isJson(Buffer.from(text)), text).toBe(isJsonParsed(text));
}

const strange = fc.constantFrom(
  ...[...' \n\t\r\f\u00a0\ufeff"\\[]{},:0-+.e\u007f\u0000ü😀'],
  ...String.raw`\u \u12 \ud800 \/ \x 00 E5 1e+ 1.5 -0 true nul null`.split(' '),
);

test('texts of JSON are', () => {
  fc.assert(
    fc.property(fc.json({maxDepth: 6}), (text) => expectSame(text)),
    {numRuns: runs(1_000)},
  );
});

test('texts with something strange in them are as JSON.parse says', () => {
  fc.assert(
    fc.property(
      fc.json({maxDepth: 4}),
      fc.array(fc.tuple(fc.nat(), fc.nat(2), strange), {maxLength: 3}),
      (text, changes) => {
        let changed = text;
        for (const [place, length, what] of changes) {
          const at = place % (changed.length + 1);
          changed = changed.slice(0, at) + what + changed.slice(at + length);
        }
        expectSame(changed.toWellFormed());
      },
    ),
    {numRuns: runs(5_000)},
  );
});

test('so are pieces in any order', () => {
  fc.assert(
    fc.property(fc.array(strange, {maxLength: 8}), (pieces) => expectSame(pieces.join(''))),
    {numRuns: runs(5_000)},
  );
});

test('however deep they nest', () => {
  const levels = 1_000_000;
  expect(isJson(Buffer.from(`${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`))).toBe(true);
  expect(isJson(Buffer.from(`${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels - 1)}]`))).toBe(false);
});
