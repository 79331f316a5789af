// Timestamps against temporal-polyfill, which knows the calendar and the grammar independently of us.
import fc from 'fast-check';
import {Temporal} from 'temporal-polyfill';
import {describe, expect, test} from 'vitest';
import {parseTimestamp} from '../../../actors/log/timestamp.js';
import {runs} from '../../support/runs.js';

const grammar = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|z|[+-]\d{2}:?\d{2})?)?$/;

/** The oracle: the grammar of docs/api/events.md by a regular expression, the calendar by Temporal. */
function expected(text: string): number {
  const match = grammar.exec(text);
  if (match === null) return Number.NaN;
  const [, date, clock = '00:00', second = '00', fraction = '', zone = 'Z'] = match;
  if (Number(second) > 59) return Number.NaN; // Temporal takes :60 for :59.
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`;
  try {
    const iso = `${date}T${clock}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`;
    return Temporal.Instant.from(iso).epochMilliseconds;
  } catch {
    return Number.NaN;
  }
}

const two = (max: number): fc.Arbitrary<string> => fc.integer({min: 0, max}).map((n) => String(n).padStart(2, '0'));
const date = fc
  .tuple(fc.integer({min: 0, max: 9999}), two(13), two(32))
  .map(([year, month, day]) => `${String(year).padStart(4, '0')}-${month}-${day}`);
const fraction = fc.string({unit: fc.constantFrom(...'0123456789'), maxLength: 12}).map((digits) => `.${digits}`);
const zone = fc.oneof(
  fc.constantFrom('', 'Z', 'z', '+00:00', '-00:00'),
  fc.tuple(fc.constantFrom('+', '-'), two(25), fc.constantFrom('', ':'), two(61)).map((parts) => parts.join('')),
);
const time = fc
  .tuple(fc.constantFrom('T', 't', ' '), two(25), two(61), fc.option(two(61)), fc.option(fraction), zone)
  .map(([sep, h, m, s, f, z]) => `${sep}${h}:${m}${s === null ? '' : `:${s}${f ?? ''}`}${z}`);
const timestamp = fc.tuple(date, fc.option(time, {nil: ''})).map((parts) => parts.join(''));

describe('parseTimestamp', () => {
  test('agrees with Temporal on well-formed texts, real dates or not', () => {
    fc.assert(
      fc.property(timestamp, (text) => {
        expect(parseTimestamp(text)).toBe(expected(text));
      }),
      {numRuns: runs(1_000)},
    );
  });

  test('agrees with Temporal when one character is changed, added or taken away', () => {
    const edit = fc.tuple(fc.nat(40), fc.nat(1), fc.constantFrom('', '0', '9', ':', '-', '+', 'Z', '.', ' ', 'T', '٣'));
    fc.assert(
      fc.property(timestamp, edit, (text, [at, removed, added]) => {
        const changed = text.slice(0, at) + added + text.slice(at + removed);
        expect(parseTimestamp(changed)).toBe(expected(changed));
      }),
      {numRuns: runs(1_000)},
    );
  });

  test.each([
    ['1969-12-31T23:59:00-00:01', '1970-01-01T00:00:00.000Z'],
    ['2000-02-29T23:59:59.999', '2000-02-29T23:59:59.999Z'],
    ['2024-01-31T10:20', '2024-01-31T10:20:00.000Z'],
    ['2024-01-31T10:20:30.4', '2024-01-31T10:20:30.400Z'],
    ['2024-01-31T10:20:30.456999999Z', '2024-01-31T10:20:30.456Z'],
    ['2024-01-31t10:20:30z', '2024-01-31T10:20:30.000Z'],
    ['2024-01-31 10:20+0530', '2024-01-31T04:50:00.000Z'],
    ['2024-03-01T00:00:00+14:00', '2024-02-29T10:00:00.000Z'],
  ])('%s is %s', (text, instant) => expect(parseTimestamp(text)).toBe(Date.parse(instant)));

  test.each([
    ...['', ' ', 'now', '2024', '2024-01', '20240131', '1704067200000', '2024-W05-3', '2024-031', '+002024-01-31'],
    ...['2023-02-29', '1900-02-29', '2024-00-31', '2024-01-32', '2024-01-31T24:00:00Z', '2016-12-31T23:59:60Z'],
    ...['2024-01-31T', '2024-01-31T10', '2024-01-31T1020', '2024-01-31T10:20:30.Z', '2024-01-31T10:20:30,5Z'],
    ...['2024-01-31T10:20.5', '2024-01-31T10:20:30+01', '2024-01-31T10:20:30+24:00', '2024-01-31T10:20:30ZZ'],
    ...['2024-01-31T10:20:30\u221201:00', '2024-01-31Z', '2024-01-31\n', 'Wed, 31 Jan 2024 10:20:30 GMT'],
  ])('%j is refused', (text) => expect(parseTimestamp(text)).toBeNaN());
});
