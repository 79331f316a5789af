// The rows of a chunk that a selector chooses: by name, stretch of time, users and conditions.
//   RC1. Rows are listed by (time, row), or in the order of the log: rows of equal time are in the order of the log in both.
//   RC2. `candidates` reads columns of rows alone. Bodies of unsure candidates must be read before `passing`.
import {firstAt, type RowsView} from '../../chunk/rows.js';
import type {Stretch} from '../selection.js';
import {type Condition, comparesNumbers, isSkipped, passes} from './condition.js';
import type {Users} from './current-traits.js';
import {type PropertyValues, valuesOfText} from './property-values.js';
import type {RowFinder} from './row-finder.js';

/** The name and conditions that a row must meet. */
export interface Selector {
  /** Undefined: events of every name. */
  readonly event?: string;
  readonly where?: readonly Condition[];
}

/** Equal for equal selectors. */
export const textOfSelector = ({event, where = []}: Selector): string => JSON.stringify([event, ...where]);

/** Whether the selector counts rows that it cannot judge (condition.ts CO3). */
export const skipsRows = ({where}: Selector): boolean => where?.some(({op}) => comparesNumbers(op)) ?? false;

/** Requirements that make a row a candidate. */
export interface Wanted {
  readonly stretch: Stretch;
  /** Index of the name in the partition; undefined: any name. */
  readonly name: number | undefined;
  /** Undefined: all users. */
  readonly users: Users | undefined;
}

/** Candidates of the chunk. `finder` undefined: by (time, row). RC1 */
export function candidates(rows: RowsView, {stretch, name, users}: Wanted, finder?: RowFinder): Uint16Array {
  const {order, names, count} = rows;
  const start = firstAt(rows, stretch.startMs);
  const within = order.subarray(start, firstAt(rows, stretch.lastMs + 1, start));
  let named = within;
  // Erased rows have the name 0 in their columns, and are not in `order`.
  if (name !== undefined) {
    const isSearched = finder !== undefined && within.length === count;
    named = isSearched ? finder.find(names, name).slice() : rowsNamed(within, names, name);
  }
  return users === undefined ? named : rowsOfUsers(named, rows.users, users);
}

function rowsNamed(rows: Uint16Array, names: RowsView['names'], name: number): Uint16Array {
  const chosen = new Uint16Array(rows.length);
  let count = 0;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at];
    if (names[row] === name) chosen[count++] = row;
  }
  return chosen.subarray(0, count);
}

function rowsOfUsers(rows: Uint16Array, userOf: RowsView['users'], users: Users): Uint16Array {
  const chosen = new Uint16Array(rows.length);
  let count = 0;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at];
    if (users.has(userOf[row])) chosen[count++] = row;
  }
  return chosen.subarray(0, count);
}

/** Verdicts on a key. A row passes where the bit of `yes` is set. */
const unknown = 0;
const yes = 1;
const no = 2;
const skipped = 4;
/** Keys are judged before the rows where they are fewer than this share of them. */
const fewKeysShare = 1 / 4;
/** Texts whose values are searched among those of a chunk, in place of judging each of these. */
const searchedTextsMax = 2;

/** One condition, judged once for each key of a chunk. */
export class KeyJudge {
  readonly values: PropertyValues;
  /** Rows that a comparison of numbers could not judge (condition.ts CO3). */
  skipped = 0;
  private readonly condition: Condition;
  private verdicts = new Uint8Array(64);
  /** Encoded values that pass, of a condition that few values pass: the codes of a chunk that have them are found by bytes. */
  private readonly searched: readonly Uint8Array[] | undefined;

  constructor(condition: Condition, values: PropertyValues) {
    const isOfTexts = condition.op === 'eq' || condition.op === 'in';
    this.condition = condition;
    this.values = values;
    this.searched =
      isOfTexts && condition.values.length <= searchedTextsMax ? condition.values.flatMap(valuesOfText) : undefined;
  }

  /** Judges the keys of the open chunk. Call it after `values.open` and `values.addBodies`. */
  open(): this {
    const {keyCount} = this.values;
    if (this.verdicts.length < keyCount) this.verdicts = new Uint8Array(keyCount * 2);
    else this.verdicts.fill(unknown, 0, keyCount);
    if (this.searched !== undefined) this.search(this.searched);
    return this;
  }

  /** Judges all codes. Values in bodies are judged one by one. */
  private search(searched: readonly Uint8Array[]): void {
    const {verdicts, values} = this;
    verdicts.fill(no, 0, values.codeCount + 1);
    const found: number[] = [];
    for (const value of searched) values.findCodes(value, found);
    for (const code of found) verdicts[code] = yes;
  }

  /** The rows that pass, in order. */
  passing(rows: Uint16Array): Uint16Array {
    const {values, verdicts, condition} = this;
    const {keys, keyCount} = values;
    if (keys !== undefined && this.searched !== undefined) return rowsWithYes(rows, keys, verdicts);
    if (keys === undefined || comparesNumbers(condition.op) || keyCount > rows.length * fewKeysShare)
      return this.passingOneByOne(rows);
    for (let key = 0; key < keyCount; key++) verdicts[key] = this.judge(key);
    return rowsWithYes(rows, keys, verdicts);
  }

  private passingOneByOne(rows: Uint16Array): Uint16Array {
    const {values, verdicts} = this;
    const chosen = new Uint16Array(rows.length);
    let count = 0;
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at];
      const key = values.keyOf(row);
      let verdict = verdicts[key];
      if (verdict === unknown) verdict = verdicts[key] = this.judge(key);
      if (verdict === yes) chosen[count++] = row;
      else if (verdict === skipped) this.skipped += 1;
    }
    return chosen.subarray(0, count);
  }

  private judge(key: number): number {
    const value = this.values.valueOf(key);
    if (isSkipped(this.condition, value)) return skipped;
    return passes(this.condition, value) ? yes : no;
  }
}

function rowsWithYes(rows: Uint16Array, keys: Uint8Array | Uint16Array, verdicts: Uint8Array): Uint16Array {
  const chosen = new Uint16Array(rows.length);
  let count = 0;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at];
    chosen[count] = row;
    count += verdicts[keys[row]] & yes;
  }
  return chosen.subarray(0, count);
}
