// The rows of a chunk that a selector chooses: by name, stretch of time, users and conditions.
//   RC1. Rows are listed by (time, row).
//   RC2. `candidates` reads columns of rows alone. Bodies of unsure candidates must be read before `passing`.
import {firstAt, type RowsView} from '../../chunk/rows.js';
import type {Stretch} from '../selection.js';
import {type Condition, isSkipped, passes} from './condition.js';
import type {Users} from './current-traits.js';
import type {PropertyValues} from './property-values.js';

/** The name and conditions that a row must meet. */
export interface Selector {
  /** Undefined: events of every name. */
  readonly event?: string;
  readonly where?: readonly Condition[];
}

/** Candidates of the chunk. `name`: its index in the partition; undefined: any name. `users` undefined: all users. RC1 */
export function candidates(
  rows: RowsView,
  {startMs, lastMs}: Stretch,
  name: number | undefined,
  users: Users | undefined,
): Uint16Array {
  const {order, names} = rows;
  const start = firstAt(rows, startMs);
  const within = order.subarray(start, firstAt(rows, lastMs + 1, start));
  if (name === undefined && users === undefined) return within;
  const chosen = new Uint16Array(within.length);
  let count = 0;
  for (let at = 0; at < within.length; at++) {
    const row = within[at];
    if (name !== undefined && names[row] !== name) continue;
    if (users === undefined || users.has(rows.users[row])) chosen[count++] = row;
  }
  return chosen.subarray(0, count);
}

const unknown = 0;
const no = 1;
const yes = 2;
const skipped = 3;

/** One condition, judged once for each key of a chunk. */
export class KeyJudge {
  readonly values: PropertyValues;
  /** Rows that a comparison of numbers could not judge (condition.ts CO3). */
  skipped = 0;
  private readonly condition: Condition;
  private verdicts = new Uint8Array(64);

  constructor(condition: Condition, values: PropertyValues) {
    this.condition = condition;
    this.values = values;
  }

  /** Judges the keys of the open chunk. Call it after `values.open` and `values.addBodies`. */
  open(): void {
    const {keyCount} = this.values;
    if (this.verdicts.length < keyCount) this.verdicts = new Uint8Array(keyCount * 2);
    else this.verdicts.fill(unknown, 0, keyCount);
  }

  /** The rows that pass, in order. */
  passing(rows: Uint16Array): Uint16Array {
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
