// Active days of a person, derived from their newest events.
//   AC1. What was not read is not known: days before the oldest event that was read have no count, unless there is none older.
import {dayMs} from '../../../actors/limits.js';

interface ActivityDay {
  /** Days since 1970-01-01. */
  readonly day: number;
  /** Null: not known. AC1 */
  readonly count: number | null;
}

/** `timesMs` newest first; `isAll`: there are no older ones. @returns `length` days that end with `last`. */
export function activityOf(timesMs: readonly number[], isAll: boolean, last: number, length: number): ActivityDay[] {
  const counts = new Map<number, number>();
  for (const ms of timesMs) {
    const day = Math.floor(ms / dayMs);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  const oldest = timesMs.length === 0 ? undefined : Math.floor(timesMs.at(-1)! / dayMs);
  return Array.from({length}, (_, at) => {
    const day = last - length + 1 + at;
    const isKnown = isAll || (oldest !== undefined && day > oldest); // Some events of the oldest day may be missing.
    return {day, count: isKnown ? (counts.get(day) ?? 0) : null};
  });
}
