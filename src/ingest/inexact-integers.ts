// Integers that JSON.parse would change: it rounds 1234567890123456789 to a double, which prints as …800. They are refused, as
// the service stores what was sent. Only the text of the body has their digits.
//   II1. An integer is exact when JavaScript prints its double with the same digits: 9223372036854776000 is.
//   II2. Nearly all bodies have no run of `digitsMin` digits: reading one byte in `digitsMin` shows that.
import {batchEventsMax} from '../../actors/limits.js';
import {dot, lowerE, minus, upperE, zero} from './json-scanner.js';
import {JsonSyntax} from './json-syntax.js';

export interface InexactInteger {
  /** Path below the event, from its field on. */
  readonly path: readonly (string | number)[];
  readonly digits: string;
}

/** An integer of fewer digits is always exact. */
const digitsMin = 16;
const nine = 0x39;
const stored = new Set(['properties', 'context', 'traits']);
/** Longest name of a stored field, with each letter as an escape. */
const fieldBytesMax = 6 * 'properties'.length + 1;

/** The first inexact integer that would be stored of the event or identify call in `bytes`. */
export function inexactInteger(bytes: Buffer): InexactInteger | undefined {
  return mayHold(bytes) ? new IntegerWalk(bytes, 0).found.get(0) : undefined;
}

/** The first inexact integer of each event of the batch in `bytes`, by the event's index. */
export function inexactIntegers(bytes: Buffer): ReadonlyMap<number, InexactInteger> {
  return mayHold(bytes) ? new IntegerWalk(bytes, 2).found : none;
}

const none: ReadonlyMap<number, InexactInteger> = new Map();

class IntegerWalk extends JsonSyntax {
  readonly found = new Map<number, InexactInteger>();

  /** `level`: number of containers around an event. */
  constructor(
    bytes: Buffer,
    private readonly level: number,
  ) {
    super(bytes);
    this.isJson();
  }

  protected override tookInteger(start: number, end: number): void {
    if (end - start < digitsMin || isExact(this.bytes, start, end)) return;
    const {level} = this;
    const index = level === 0 ? 0 : this.keyAt(0, fieldBytesMax) === 'events' ? this.indexAt(1) : undefined;
    if (index === undefined || index >= batchEventsMax || this.found.has(index)) return;
    if (!stored.has(this.keyAt(level, fieldBytesMax) ?? '')) return;
    const path: (string | number)[] = [];
    for (let at = level; at < this.depth; at++) path.push(this.keyAt(at) ?? this.indexAt(at) ?? '');
    this.found.set(index, {path, digits: this.bytes.toString('latin1', start, end)});
  }
}

/** II1 */
function isExact(bytes: Buffer, start: number, end: number): boolean {
  const digits = bytes.toString('latin1', start, end);
  return String(Number(digits)) === digits;
}

/** False when the text has no inexact integer, in strings or outside. II2 */
function mayHold(bytes: Buffer): boolean {
  for (let at = digitsMin - 1; at < bytes.length; at += digitsMin) {
    if (!isDigit(bytes[at])) continue;
    let start = at;
    let end = at + 1;
    while (isDigit(bytes[start - 1])) start -= 1;
    while (isDigit(bytes[end])) end += 1;
    at = Math.max(at, end - ((end + 1) % digitsMin));
    if (end - start >= digitsMin && isInteger(bytes, start, end) && !isExact(bytes, start, end)) return true;
  }
  return false;
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= zero && byte <= nine;

/** Whether a run of digits may be a whole integer: most runs in strings have a quote or a letter next to them. */
function isInteger(bytes: Buffer, start: number, end: number): boolean {
  const before = bytes[bytes[start - 1] === minus ? start - 2 : start - 1];
  return mayPrecede(before) && mayFollow(bytes[end]);
}

/** Whether a number may follow the byte: white space, `:`, `,`, `[`, or no byte at all. */
const mayPrecede = (byte: number | undefined): boolean =>
  byte === undefined || byte <= 0x20 || byte === 0x3a || byte === 0x2c || byte === 0x5b;

/** No letter, quote, fraction or exponent. */
const mayFollow = (byte: number | undefined): boolean =>
  byte !== dot &&
  byte !== lowerE &&
  byte !== upperE &&
  (byte === undefined || byte <= 0x20 || byte === 0x2c || byte === 0x5d || byte === 0x7d);
