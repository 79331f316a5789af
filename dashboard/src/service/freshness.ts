// Freshness of a report (docs/api/reports/README.md, Freshness).
import type {ReportMeta} from './question-batches.js';

export interface Freshness {
  /** The answer has every event that was acknowledged before. Epoch ms. */
  readonly asOfMs: number;
  readonly nextByMs: number;
  /** Position in the log of each partition: `0:1.17,1:1.20`. */
  readonly position: string;
  /** Earlier events have expired, and the question asks for earlier ones. ISO text. */
  readonly keptFrom: string | undefined;
}

export const freshnessOf = (meta: ReportMeta | undefined): Freshness | undefined =>
  meta && {
    asOfMs: Date.parse(meta.as_of),
    nextByMs: Date.parse(meta.next_by),
    position: meta.log_position ?? '',
    keptFrom: meta.retained_from,
  };

/** Freshness of an answer to GET. Undefined for one that is no report. */
export function freshnessIn(headers: Headers): Freshness | undefined {
  const asOf = headers.get('Report-As-Of');
  if (asOf === null) return undefined;
  return freshnessOf({
    as_of: asOf,
    next_by: headers.get('Report-Next-By') ?? asOf,
    log_position: headers.get('Report-Log-Position') ?? '',
    incomplete_from: null,
  });
}

/** The oldest freshness, which holds for all answers together. */
export function oldest(all: readonly (Freshness | undefined)[]): Freshness | undefined {
  return all
    .filter((one) => one !== undefined)
    .reduce<Freshness | undefined>(
      (least, one) => (least === undefined || one.asOfMs < least.asOfMs ? one : least),
      undefined,
    );
}

/** Index of the first bucket that is not over; undefined when all of them are. */
export function openFrom(data: readonly {readonly date: string}[], meta: ReportMeta | undefined): number | undefined {
  const from = meta?.incomplete_from;
  const at = from == null ? -1 : data.findIndex(({date}) => date === from);
  return at < 0 ? undefined : at;
}
