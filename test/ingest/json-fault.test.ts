// What a client is told of a body that is no JSON.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {jsonFault} from '../../src/ingest/json-fault.js';
import {runs} from '../support/runs.js';

const begin = 'the body is not JSON in UTF-8: ';

test.each([
  ['', 'unexpected end at byte offset 0'],
  ['{"a":', 'unexpected end at byte offset 5'],
  ['{"a":"b', 'unexpected end at byte offset 7'],
  ['{"a":NaN}', 'unexpected NaN at byte offset 5'],
  ['{"ü":NaN}', 'unexpected NaN at byte offset 6'],
  ['{"a": -Infinity }', 'unexpected -Infinity at byte offset 6'],
  ['{"a":1,}', 'unexpected } after a comma at byte offset 7'],
  ['[1, ]', 'unexpected ] after a comma at byte offset 4'],
  ['{"a":01}', 'unexpected 01 at byte offset 5'],
  ['{"a":1.}', 'unexpected 1. at byte offset 5'],
  ['{a:1}', 'unexpected a at byte offset 1'],
  ["{'a':1}", "unexpected ' at byte offset 1"],
  ['{"a" 1}', 'unexpected 1 at byte offset 5'],
  ['{"a":1 "b":2}', 'unexpected " at byte offset 7'],
  ['{"a":"x\ny"}', 'unexpected control character 0x0a at byte offset 7'],
  ['{"a":"\\q"}', 'unexpected \\ at byte offset 6'],
  ['{} {}', 'unexpected { at byte offset 3'],
  ['\ufeff{}', 'unexpected character U+FEFF at byte offset 0'],
  ['{\u00a0"a":1}', 'unexpected character U+00A0 at byte offset 1'],
  ['[\u{e0001}]', 'unexpected character U+E0001 at byte offset 1'],
  ['[\u007f]', 'unexpected character U+007F at byte offset 1'],
  ['\u001b[31m', 'unexpected control character 0x1b at byte offset 0'],
  [`{"a":${'x'.repeat(500)}}`, `unexpected ${'x'.repeat(40)}… at byte offset 5`],
  ['{"events":[{"a":[1,2]},{"a":[[NaN]]}]}', 'unexpected NaN at byte offset 30, in event 1'],
  ['{"sentAt":[0,{}],"events":[{},{},]}', 'unexpected ] after a comma at byte offset 33, in event 2'],
  ['{"events":{"events":[0,NaN]}}', 'unexpected NaN at byte offset 23'],
  ['{"other":[0,NaN]}', 'unexpected NaN at byte offset 12'],
])('%j: %s', (text, message) => {
  expect(jsonFault(Buffer.from(text))).toBe(begin + message);
});

test.each([
  ['7b22a022', 'the byte 0xa0 at byte offset 2 is not UTF-8'],
  ['22c3', 'the byte 0xc3 at byte offset 1 is not UTF-8'],
  ['22efbfbd2220ff', 'the byte 0xff at byte offset 6 is not UTF-8'],
])('the bytes %s: %s', (hex, message) => {
  expect(jsonFault(Buffer.from(hex, 'hex'))).toBe(begin + message);
});

test('any bytes: a short sentence that no terminal obeys', () => {
  fc.assert(
    fc.property(fc.uint8Array({maxLength: 60}), (bytes) => {
      const message = jsonFault(Buffer.from(bytes));
      expect(message.length).toBeLessThan(160);
      expect(message).not.toMatch(/\p{Cc}|\p{Cf}/u);
    }),
    {numRuns: runs(2_000)},
  );
});
