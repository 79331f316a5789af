// Values of a property as numbers, across all partitions of an answer: the rows of a breakdown.
//   VG1. Values with equal texts are one value. Missing values, null, and other non-scalars are kinds of their own.
//   VG2. A number is a group by itself, and so is a text that a number has: of tens of thousands of numbers, an answer prints few.
import type {ByteReader, ByteWriter} from '../../bytes/bytes.js';
import {each} from '../partials.js';
import {textOf} from './property-text.js';
import type {PropertyValue, PropertyValues} from './property-values.js';

/** Numbers of the kinds; those of values follow. */
export const missingGroup = 0;
export const nullGroup = 1;
export const notScalarGroup = 2;
export const firstValueGroup = 3;
/** Whole numbers below this one have their groups in an array, which takes 1 MiB at most. */
export const smallNumbersEnd = 2 ** 18;
const [minus, digit0, digit9] = [0x2d, 0x30, 0x39];

export class ValueGroups {
  /** Value of each group from `firstValueGroup` on. VG2 */
  private readonly values: (string | number)[] = [];
  private readonly groupsOfTexts = new Map<string, number>();
  /** Groups of numbers: those below `smallNumbersEnd` by the number, 0 where it has none; then the others. */
  private groupsOfSmall = new Uint32Array(0);
  private readonly groupsOfNumbers = new Map<number, number>();
  private chars = 0;
  /** Group of all further values, once there is one. */
  private rest: number | undefined;

  /** Estimated bytes of memory: up to two a character of text, and the maps. */
  get bytes(): number {
    const numbers = 32 * this.groupsOfNumbers.size + this.groupsOfSmall.byteLength;
    return 2 * this.chars + 64 * this.values.length + numbers;
  }

  /** The highest group + 1. */
  get count(): number {
    return firstValueGroup + this.values.length;
  }

  groupOf(value: PropertyValue): number {
    if (value === undefined) return missingGroup;
    if (value === null) return nullGroup;
    if (typeof value === 'number') return this.groupOfNumber(value);
    const text = textOf(value);
    return text === undefined ? notScalarGroup : this.groupOfText(text);
  }

  /** Writes the groups of numbers [start, end) to `into`. NaN: the property is missing. */
  readNumbers(numbers: Int32Array | Float64Array, start: number, end: number, into: Uint32Array): void {
    if (numbers instanceof Int32Array) this.readIntegers(numbers, start, end, into);
    else for (let i = start; i < end; i++) into[i - start] = this.groupOfNumber(numbers[i]);
  }

  private readIntegers(integers: Int32Array, start: number, end: number, into: Uint32Array): void {
    let known = this.groupsOfSmall;
    for (let i = start; i < end; i++) {
      const value = integers[i] >>> 0; // A negative integer becomes a large number, and so none of the small ones.
      let group = value < known.length ? known[value] : 0;
      if (group === 0) {
        group = this.groupOfNumber(integers[i]);
        known = this.groupsOfSmall;
      }
      into[i - start] = group;
    }
  }

  private groupOfNumber(value: number): number {
    if (Number.isNaN(value)) return missingGroup;
    const isSmall = value >>> 0 === value && value < smallNumbersEnd;
    const known = isSmall ? this.groupsOfSmall[value] : this.groupsOfNumbers.get(value);
    if (known !== undefined && known > 0) return known;
    const group = this.newGroup(value);
    if (isSmall) this.noteSmall(value, group);
    else this.groupsOfNumbers.set(value, group);
    return group;
  }

  private noteSmall(value: number, group: number): void {
    if (value >= this.groupsOfSmall.length) {
      const grown = new Uint32Array(Math.max(1_024, 2 ** Math.ceil(Math.log2(value + 1))));
      grown.set(this.groupsOfSmall);
      this.groupsOfSmall = grown;
    }
    this.groupsOfSmall[value] = group;
  }

  private groupOfText(text: string): number {
    const known = this.groupsOfTexts.get(text);
    if (known !== undefined) return known;
    const number = printedNumber(text);
    if (number !== undefined) return this.groupOfNumber(number);
    const group = this.newGroup(text);
    this.groupsOfTexts.set(text, group);
    this.chars += text.length;
    return group;
  }

  private newGroup(value: string | number): number {
    if (this.rest !== undefined) return this.rest;
    const group = this.count;
    this.values.push(value);
    return group;
  }

  /** Gives all values that have no group yet one for all of them. */
  close(): void {
    this.rest = this.newGroup('');
  }

  /** Writes the texts of the values, and yields between slices. */
  *write(to: ByteWriter): Generator<void, void, void> {
    const {values} = this;
    to.varint(values.length);
    yield* each(values.length, (i) => to.string(String(values[i])));
  }

  /** The groups of values that `write` wrote, by the groups that they had there; yields between slices. VG2 */
  *read(from: ByteReader): Generator<void, Uint32Array, void> {
    const groups = new Uint32Array(firstValueGroup + from.varint()).map((_, group) => group);
    yield* each(groups.length - firstValueGroup, (i) => {
      groups[firstValueGroup + i] = this.groupOfText(from.string());
    });
    return groups;
  }

  /** The text of a value's group. */
  text(group: number): string {
    return String(this.values[group - firstValueGroup]);
  }
}

/** The number that has this text; undefined: none has. VG2 */
function printedNumber(text: string): number | undefined {
  const first = text.charCodeAt(0);
  if (first !== minus && !(first >= digit0 && first <= digit9)) return undefined;
  const number = Number(text);
  return String(number) === text ? number : undefined;
}

/** The rows that a breakdown shows, and the row of each group. */
export interface ShownGroups {
  /** Groups with rows of their own, the most frequent first. */
  readonly top: readonly number[];
  /** The row of each group: the top values, then `other`, `missing`, `null`, `not_scalar`. */
  readonly rowOf: Uint32Array;
  /** Number of values in the row `other`. */
  readonly others: number;
}

export const kindsShown = ['other', 'missing', 'null', 'not_scalar'] as const;

/**
 * Chooses the most frequent values; equally frequent ones by the UTF-8 bytes of their texts. `read`: values that have any here are
 * shown, too, even if their total is 0.
 */
export function chooseGroups(
  groups: ValueGroups,
  totals: ArrayLike<number>,
  limit: number,
  read = totals,
): ShownGroups {
  const values: number[] = [];
  for (let group = firstValueGroup; group < groups.count; group++) if ((read[group] ?? 0) > 0) values.push(group);
  const totalOf = (group: number): number => totals[group] ?? 0;
  const top = mostFrequent(values, totalOf, limit)
    .sort((a, b) => totalOf(b) - totalOf(a) || compareTexts(groups.text(a), groups.text(b)))
    .slice(0, limit);
  return {top, rowOf: rowsOfGroups(groups, top), others: values.length - top.length};
}

/** The rows of values that were chosen already, over groups without any others. */
export function knownGroups(groups: ValueGroups, texts: readonly string[]): ShownGroups {
  const top = texts.map((text) => groups.groupOf(text));
  groups.close();
  return {top, rowOf: rowsOfGroups(groups, top), others: 0};
}

/** Row by group. */
function rowsOfGroups(groups: ValueGroups, top: readonly number[]): Uint32Array {
  const rowOf = new Uint32Array(groups.count).fill(top.length);
  rowOf[missingGroup] = top.length + 1;
  rowOf[nullGroup] = top.length + 2;
  rowOf[notScalarGroup] = top.length + 3;
  top.forEach((group, row) => {
    rowOf[group] = row;
  });
  return rowOf;
}

/** The values that are at least as frequent as the last one within the limit: sorting tens of thousands takes longer. */
function mostFrequent(values: number[], totalOf: (group: number) => number, limit: number): number[] {
  if (values.length <= limit) return values;
  const largest = new Float64Array(2 * limit);
  let count = 0;
  let least = Number.NEGATIVE_INFINITY;
  for (const group of values) {
    if (totalOf(group) <= least) continue;
    largest[count++] = totalOf(group);
    if (count < largest.length) continue;
    count = limit;
    least = largest.sort().copyWithin(0, limit)[0];
  }
  least = largest.subarray(0, count).sort()[count - limit];
  return values.filter((group) => totalOf(group) >= least);
}

/** Compares texts by their UTF-8 bytes. */
export function compareTexts(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let at = 0; at < end; at++) {
    if (a.charCodeAt(at) !== b.charCodeAt(at)) return utf8Rank(a.charCodeAt(at)) - utf8Rank(b.charCodeAt(at));
  }
  return a.length - b.length;
}

/** Rank of a code unit in UTF-8 order: surrogates stand for code points above all others. */
const utf8Rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/** Groups of one chunk's keys, each looked up once. */
export class KeyGroups {
  private readonly groups: ValueGroups;
  /** Group + 1 by key; 0: not looked up yet. */
  private places = new Uint32Array(64);

  constructor(groups: ValueGroups) {
    this.groups = groups;
  }

  /** Opens a chunk. */
  open({keyCount}: PropertyValues): void {
    if (this.places.length < keyCount) this.places = new Uint32Array(keyCount * 2);
    else this.places.fill(0, 0, keyCount);
  }

  of(values: PropertyValues, key: number): number {
    if (this.places[key] === 0) this.places[key] = this.groups.groupOf(values.valueOf(key)) + 1;
    return this.places[key] - 1;
  }

  /** Writes the groups of these rows to `into`. */
  read(values: PropertyValues, rows: Uint16Array, into: Uint32Array): void {
    const {places} = this;
    const {keys} = values;
    for (let i = 0; i < rows.length; i++) {
      const key = keys === undefined ? values.keyOf(rows[i]) : keys[rows[i]];
      const place = places[key];
      into[i] = place === 0 ? this.of(values, key) : place - 1;
    }
  }
}
