// Counts one event by UTC day over all time, and finds the days whose count changed between two publications.
//   DC1. Most days since 1970, the earliest possible event time, have no events: stretches are split until they are empty or single
//        days. Two questions find the days of some years; each is answered from the cells of hours.
import {isoText} from '../../actors/calendar.js';
import {dayMs} from '../../actors/limits.js';
import type {ReportQuery} from '../asks/report.js';

const piecesOf = 64;
/** Stretches of up to this many days are split into days. */
const daysAtOnce = 400;

/** Counts by number of the day since 1970-01-01; days without events are absent. */
export type DayCounts = ReadonlyMap<number, number>;

/** Days [first, end). */
interface Stretch {
  readonly first: number;
  readonly end: number;
}

/** Counts of all days before `endDay`; undefined as soon as `ask` has no answer. */
export async function dayCountsOf(
  event: string,
  endDay: number,
  ask: (query: ReportQuery) => Promise<unknown>,
): Promise<DayCounts | undefined> {
  const found = new Map<number, number>();
  for (let left: readonly Stretch[] = [{first: 0, end: endDay}]; left.length > 0; ) {
    const pieces = left.flatMap(split);
    const body = await ask(questionOf(event, pieces));
    if (body === undefined) return undefined;
    const counts = countsOf(pieces, body as CountsBody);
    const counted = pieces.filter((_, i) => counts[i]! > 0);
    for (const [i, {first, end}] of pieces.entries())
      if (end - first === 1 && counts[i]! > 0) found.set(first, counts[i]!);
    left = counted.filter(({first, end}) => end - first > 1);
  }
  return found;
}

function split({first, end}: Stretch): readonly Stretch[] {
  const days = end - first;
  const step = days <= daysAtOnce ? 1 : Math.ceil(days / piecesOf);
  const pieces: Stretch[] = [];
  for (let at = first; at < end; at += step) pieces.push({first: at, end: Math.min(at + step, end)});
  return pieces;
}

interface CountsBody {
  readonly data: readonly {readonly count: number}[];
}

const edgesOf = (pieces: readonly Stretch[]): readonly number[] =>
  [...new Set(pieces.flatMap(({first, end}) => [first, end]))].sort((a, b) => a - b);

/** The question for these pieces. The buckets between them are known to be empty. */
function questionOf(event: string, pieces: readonly Stretch[]): ReportQuery {
  const edges = edgesOf(pieces).map((day) => day * dayMs);
  const labels = edges.slice(1).map(String);
  return {
    report: 'counts',
    events: [event],
    fromMs: edges[0]!,
    toMs: edges.at(-1)! - 1,
    interval: 'day',
    buckets: {edges, labels},
  };
}

function countsOf(pieces: readonly Stretch[], {data}: CountsBody): readonly number[] {
  const edges = edgesOf(pieces);
  const bucketAt = new Map(edges.map((edge, i) => [edge, i]));
  return pieces.map(({first}) => data[bucketAt.get(first)!]!.count);
}

export interface ChangedDay {
  readonly date: string;
  readonly before: number;
  readonly after: number;
}

/** Days before `endDay` whose count changed, the oldest first. */
export function changedDays(before: DayCounts, after: DayCounts, endDay: number): readonly ChangedDay[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((day) => day < endDay && before.get(day) !== after.get(day))
    .sort((a, b) => a - b)
    .map((day) => ({
      date: isoText(day * dayMs).slice(0, 10),
      before: before.get(day) ?? 0,
      after: after.get(day) ?? 0,
    }));
}
