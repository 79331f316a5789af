// The JSON texts of series and names, field by field in the order in which docs/api/reports shows them.
//   RA1. Texts equal those of JSON.stringify. Series are built by hand: an object for each bucket took as long as all the rest
//        of an answer that is looked up.
import {isoText} from '../../calendar.js';
import type {Buckets} from './buckets.js';

/** `"data":[…],"total":n` */
export function activeFields(labels: readonly string[], counts: Float64Array, total: number): string {
  const data = labels.map((label, bucket) => `{"date":"${label}","count":${counts[bucket]}}`);
  return `"data":[${data.join()}],"total":${total}`;
}

/** The fields that begin an answer with buckets: the interval, and the time zone if the question named one. */
export function intervalText({interval, zone}: Buckets): string {
  return `"interval":"${interval}"${zone === undefined ? '' : `,"timezone":${JSON.stringify(zone)}`}`;
}

interface NameLine {
  readonly name: string;
  readonly count: number;
  /** Distinct users, if the question asked for them. */
  readonly users?: number | undefined;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Whether the name is hidden; set only where hidden names are listed, too. */
  readonly isHidden?: boolean | undefined;
}

export function namesAnswer(names: readonly NameLine[], hasMore: boolean, cursor: string | null): string {
  const data = names.map(({name, count, users, firstMs, lastMs, isHidden}) => ({
    name,
    count,
    ...(users === undefined ? {} : {users}),
    first_seen: isoText(firstMs),
    last_seen: isoText(lastMs),
    ...(isHidden ? {hidden: true} : {}),
  }));
  return JSON.stringify({data, has_more: hasMore, next_cursor: cursor});
}
