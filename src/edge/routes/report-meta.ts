// What an answer says of itself (src/edge/answers/report-meta.ts), made of the headers of the report role's answer.
import type {ReportAnswer, ReportQuery} from '../../asks/report.js';
import type {Meta} from '../answers/report-meta.js';
import {isListing} from '../tables/list-table.js';

type Report = Extract<ReportAnswer, {kind: 'report'}>;

/** `ofEdge`: hints, which come before those of the report. */
export function metaOf(query: ReportQuery, {headers, body}: Report, ofEdge: readonly string[]): Meta {
  const hints = [...ofEdge, headers['Report-Hint']].filter((one) => one !== undefined);
  // A report has this text as a member alone: in a text of a client the quotes are escaped. Lists have members of clients.
  const skipped = isListing(query) ? undefined : /"skipped":(\d+)/.exec(body!)?.[1];
  return {
    as_of: headers['Report-As-Of'],
    log_position: headers['Report-Log-Position'],
    next_by: headers['Report-Next-By'],
    incomplete_from: headers['Report-Incomplete-From'] ?? null,
    ...(headers['Report-Retained-From'] !== undefined && {retained_from: headers['Report-Retained-From']}),
    hint: hints.length === 0 ? null : hints.join('; '),
    skipped: skipped === undefined ? null : Number(skipped),
  };
}

/** The text of an answer with `meta` as its last member. `body`: text of an object that is not empty. */
export const withMeta = (body: string, meta: Meta): string => `${body.slice(0, -1)},"meta":${JSON.stringify(meta)}}`;
