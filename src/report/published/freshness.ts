// Freshness of an answer: its headers, its tag, and whether a client has it already (docs/api/reports/README.md, Freshness).
//   FR1. Equal tags mean equal answers to the same question, whatever was published in between: the tag is made of both. The
//        other headers, also those of a 304, say how fresh the answer is.

import {createHash} from 'node:crypto';
import {isoText} from '../../../actors/calendar.js';
import type {Manifest} from '../../../actors/manifest.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import type {ReportAnswer, ReportQuery} from '../../asks/report.js';
import {positionOf} from './held-sets.js';

type ReportHeaders = Extract<ReportAnswer, {kind: 'report'}>['headers'];

/** Digest of the question and the manifests: equal origins have equal answers. */
export const originOf = (query: ReportQuery, manifests: readonly Manifest[]): string =>
  digest(`${positionOf(manifests)}\n${normalised(query)}`);

interface AnswerTimes {
  /** When the next publication is due. */
  readonly nextByMs: number;
  /** From when on events are kept; 0: none have expired. */
  readonly retainedFromMs: number;
}

export function headersOf(
  query: ReportQuery,
  manifests: readonly Manifest[],
  body: string,
  {nextByMs, retainedFromMs}: AnswerTimes,
): ReportHeaders {
  const asOfMs = asOf(manifests);
  const asksFurther = 'fromMs' in query && query.fromMs !== undefined && query.fromMs < retainedFromMs;
  const incomplete = incompleteFrom(query, asOfMs);
  return {
    'Report-As-Of': isoText(asOfMs),
    'Report-Log-Position': positionOf(manifests),
    'Report-Next-By': isoText(nextByMs),
    ETag: `"${digest(`${normalised(query)}\n${body}`)}"`,
    ...(incomplete === undefined ? {} : {'Report-Incomplete-From': incomplete}),
    ...(asksFurther && {'Report-Retained-From': isoText(retainedFromMs)}),
  };
}

/** The time that all partitions include: the oldest one. */
export function asOf(manifests: readonly Manifest[]): number {
  return Math.min(...manifests.map((manifest) => manifest.asOfMs));
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 27);

/** The question with its keys in a fixed order: equal questions have equal texts. */
const normalised = (query: ReportQuery): string => JSON.stringify(query, (_, value: unknown) => inKeyOrder(value));

const inKeyOrder = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** The first bucket that may still grow without a late event; undefined for questions without buckets. */
function incompleteFrom(query: ReportQuery, asOfMs: number): string | undefined {
  if (!('interval' in query) || query.interval === undefined) return undefined;
  const buckets = Buckets.of({...query, interval: query.interval});
  const open = buckets.firstOpen(completeUntil(query, asOfMs));
  return open === undefined ? undefined : buckets.label(open);
}

/** The time before which nothing more can count. Entries convert for as long as their window lasts. */
function completeUntil(query: ReportQuery, asOfMs: number): number {
  if (query.report !== 'funnel') return asOfMs;
  const isOver = query.range !== 'entry' && query.toMs < asOfMs;
  return isOver ? asOfMs : asOfMs - (query.windowMs ?? Number.POSITIVE_INFINITY);
}

/** `If-None-Match` (RFC 9110, 13.1.2): `*` or a list of tags, compared weakly. */
export function isNoneMatch(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const tags: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return tags.includes(etag);
}
