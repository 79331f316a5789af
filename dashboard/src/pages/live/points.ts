// Rows of a second each as the points of a chart. Over more minutes a point covers more seconds.
//   PO1. Of rates a point has the mean, of everything else the worst: a peak of one second must not vanish.
//   PO2. A second without a number is a gap: no line is drawn over it.
import type {LoadRows} from '../../../../src/edge/dashboard/answers/load.js';

export const ranges = [
  {minutes: 1, seconds: 1},
  {minutes: 5, seconds: 2},
  {minutes: 15, seconds: 5},
] as const;
export type Minutes = (typeof ranges)[number]['minutes'];

export interface Points {
  /** Epoch seconds. */
  readonly times: readonly number[];
  readonly of: (column: string) => readonly (number | null)[];
}

type Value = number | null;

const isWorst = (column: string): boolean => /_(?:ms|bytes)$/.test(column) || column === 'open';

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

export function pointsOf({at, columns}: LoadRows, minutes: Minutes): Points {
  const {seconds} = ranges.find((range) => range.minutes === minutes)!;
  const end = Math.floor((at.at(-1) ?? 0) / 1_000 / seconds);
  const count = (minutes * 60) / seconds;
  const places = at.map((ms) => Math.floor(ms / 1_000 / seconds) - (end - count + 1));
  // Points before the first row would be a gap that says nothing.
  const first = Math.max(0, Math.min(count - 1, ...places.filter((place) => place >= 0).slice(0, 1)));
  const times = Array.from(
    {length: at.length === 0 ? 0 : count - first},
    (_, point) => (end - count + 1 + first + point) * seconds,
  );
  return {
    times,
    of: (column) => {
      const found: number[][] = times.map(() => []);
      for (const [row, value] of (columns[column] ?? []).entries()) {
        const point = places[row]! - first;
        if (value !== null && point >= 0) found[point]!.push(value);
      }
      return found.map((values) => {
        if (values.length === 0) return null; // PO2
        return isWorst(column) ? Math.max(...values) : mean(values);
      });
    },
  };
}

export const scaled = (values: readonly Value[], by: number): Value[] =>
  values.map((value) => (value === null ? null : value * by));

export const summed = (...columns: readonly (readonly Value[])[]): Value[] =>
  columns[0]!.map((_, at) => {
    const values = columns.map((column) => column[at] ?? null);
    return values.includes(null) ? null : (values as number[]).reduce((sum, value) => sum + value, 0);
  });

export const newest = (values: readonly Value[]): Value => values.at(-1) ?? null;

export function meanOf(values: readonly Value[]): Value {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : mean(known);
}

/** Bytes a second that the disk fills up by, over what is known; null for less than ten minutes of it. */
export function fillRate({at, columns}: LoadRows): Value {
  const free = columns.disk_free_bytes ?? [];
  const known = at.flatMap((ms, row) => (free[row] == null ? [] : [{ms, bytes: free[row]!}]));
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined || last.ms - first.ms < 600_000) return null;
  return (first.bytes - last.bytes) / ((last.ms - first.ms) / 1_000);
}
