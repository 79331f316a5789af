// Large numbers that JSON.parse would change: it rounds 1234567890123456789 to a double, which prints as …800. They are refused,
// as the service stores what was sent. Only the text of the body has their digits.
//   II1. A number from 2^53 on is exact when JavaScript prints its double with the same digits, however it is spelled:
//        9223372036854776000 and 9.223372036854776e18 are. A smaller one keeps its whole part.
//   II2. Nearly all bodies have no run of `digitsMin` digits: reading one byte in `digitsMin` shows that.
import {batchEventsMax} from '../../actors/limits.js';
import {dot, lowerE, minus, upperE, zero} from './json-scanner.js';
import {JsonSyntax} from './json-syntax.js';

export interface InexactNumber {
  /** Path below the event, from its field on. */
  readonly path: readonly (string | number)[];
  readonly digits: string;
}

/** A number of fewer digits is always exact. */
const digitsMin = 16;
const nine = 0x39;
const plus = 0x2b;
const stored = new Set(['properties', 'context', 'traits', 'traitsOnce']);
const isStoredNatively = (field: string): boolean => stored.has(field);
/** Longest name of a stored field, with each letter as an escape. */
const fieldBytesMax = 6 * 'properties'.length + 1;

/**
 * The first inexact number that would be stored of the event or identify call in `bytes`. `isStored`: whether something of a field
 * is; a very long name counts as an empty one.
 */
export function inexactNumber(bytes: Buffer, isStored = isStoredNatively): InexactNumber | undefined {
  return mayHold(bytes) ? new NumberWalk(bytes, 0, isStored).found.get(0) : undefined;
}

/** The first inexact number of each event of the batch in `bytes`, by the event's index. */
export function inexactNumbers(bytes: Buffer): ReadonlyMap<number, InexactNumber> {
  return mayHold(bytes) ? new NumberWalk(bytes, 2, isStoredNatively).found : none;
}

const none: ReadonlyMap<number, InexactNumber> = new Map();

class NumberWalk extends JsonSyntax {
  readonly found = new Map<number, InexactNumber>();

  /** `level`: number of containers around an event. */
  constructor(
    bytes: Buffer,
    private readonly level: number,
    private readonly isStored: (field: string) => boolean,
  ) {
    super(bytes);
    this.isJson();
  }

  protected override tookNumber(start: number, end: number): void {
    if (end - start < digitsMin || isExact(this.bytes.toString('latin1', start, end))) return;
    const {level} = this;
    const index = level === 0 ? 0 : this.keyAt(0, fieldBytesMax) === 'events' ? this.indexAt(1) : undefined;
    if (index === undefined || index >= batchEventsMax || this.found.has(index)) return;
    if (!this.isStored(this.keyAt(level, fieldBytesMax) ?? '')) return;
    const path: (string | number)[] = [];
    for (let at = level; at < this.depth; at++) path.push(this.keyAt(at) ?? this.indexAt(at) ?? '');
    this.found.set(index, {path, digits: this.bytes.toString('latin1', start, end)});
  }
}

/** Whether the text of a JSON number has the digits that are stored. II1 */
function isExact(text: string): boolean {
  const value = Math.abs(Number(text));
  return value < 2 ** 53 || decimalOf(text) === decimalOf(String(value));
}

/** Significant digits of a number, and the power of ten of the last one: the same for all spellings. Undefined: no number. */
function decimalOf(text: string): string | undefined {
  const [, whole, fraction = '', exponent = '0'] = numberForm.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = whole + fraction;
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  return `${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

const numberForm = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** False when the text has no inexact number, in strings or outside. II2 */
function mayHold(bytes: Buffer): boolean {
  for (let at = digitsMin - 1; at < bytes.length; at += digitsMin) {
    if (!isOfDigits(bytes[at])) continue;
    let start = at;
    let end = at + 1;
    while (isOfDigits(bytes[start - 1])) start -= 1;
    while (isOfDigits(bytes[end])) end += 1;
    at = Math.max(at, end - ((end + 1) % digitsMin));
    if (end - start >= digitsMin && isInexact(bytes, start, end)) return true;
  }
  return false;
}

/** Whether `bytes[start, end)` are the digits of an inexact number. Most runs in strings have a quote or a letter next to them. */
function isInexact(bytes: Buffer, start: number, end: number): boolean {
  const isNegative = bytes[start - 1] === minus;
  if (!mayPrecede(bytes[isNegative ? start - 2 : start - 1])) return false;
  let last = end;
  if (bytes[end] === lowerE || bytes[end] === upperE) {
    last += bytes[end + 1] === minus || bytes[end + 1] === plus ? 2 : 1;
    while (isDigit(bytes[last])) last += 1;
  } else {
    let dotAt = start;
    while (isDigit(bytes[dotAt])) dotAt += 1;
    if (dotAt - start < digitsMin) return false; // Below 2^53: the usual double with a long fraction.
  }
  if (!mayFollow(bytes[last])) return false;
  const text = bytes.toString('latin1', start, last);
  return numberForm.test(text) && !isExact(text);
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= zero && byte <= nine;
const isOfDigits = (byte: number | undefined): boolean => isDigit(byte) || byte === dot;

/** Whether a number may follow the byte: white space, `:`, `,`, `[`, or no byte at all. */
const mayPrecede = (byte: number | undefined): boolean =>
  byte === undefined || byte <= 0x20 || byte === 0x3a || byte === 0x2c || byte === 0x5b;

/** Whether the byte may follow a number: white space, `,`, `]`, `}`, or no byte at all. */
const mayFollow = (byte: number | undefined): boolean =>
  byte === undefined || byte <= 0x20 || byte === 0x2c || byte === 0x5d || byte === 0x7d;
