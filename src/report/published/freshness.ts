// Freshness of an answer: its headers, its tag, and whether a client has it already (docs/api.md, freshness).
//   FR1. Equal tags mean equal answers to the same question, whatever was published in between: the tag is made of both. The
//        other headers, also those of a 304, say how fresh the answer is.

import {createHash} from 'node:crypto';
import {isoText} from '../../../actors/calendar.js';
import type {Manifest} from '../../../actors/manifest.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import type {ReportAnswer, ReportQuery} from '../../asks.js';
import {positionText} from '../../log-position.js';

type ReportHeaders = Extract<ReportAnswer, {kind: 'report'}>['headers'];

const positionOf = (manifests: readonly Manifest[]): string =>
  manifests.map(({partition, position}) => positionText({partition, ...position})).join(',');

/** Digest of the question and the manifests: equal origins have equal answers. */
export const originOf = (query: ReportQuery, manifests: readonly Manifest[]): string =>
  digest(`${positionOf(manifests)}\n${normalised(query)}`);

/** `refreshMs`: longest time from an ack until every report has the event. */
export function headersOf(
  query: ReportQuery,
  manifests: readonly Manifest[],
  body: string,
  refreshMs: number,
): ReportHeaders {
  const asOfMs = asOf(manifests);
  const incomplete = incompleteFrom(query, asOfMs);
  return {
    'Report-As-Of': isoText(asOfMs),
    'Report-Log-Position': positionOf(manifests),
    // By then reports have events that were acknowledged right after the oldest partition's tick.
    'Report-Next-By': isoText(asOfMs + refreshMs),
    ETag: `"${digest(`${normalised(query)}\n${body}`)}"`,
    ...(incomplete === undefined ? {} : {'Report-Incomplete-From': incomplete}),
  };
}

/** The time that all partitions include: the oldest one. */
export function asOf(manifests: readonly Manifest[]): number {
  return Math.min(...manifests.map((manifest) => manifest.asOfMs));
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 27);

/** Every field that decides the answer, in a fixed order: equal questions have equal texts. */
function normalised(query: ReportQuery): string {
  const {report, fromMs, toMs} = query;
  switch (report) {
    case 'events': {
      const {event, interval, filter} = query;
      return JSON.stringify([report, fromMs, toMs, interval, event, filter?.property, filter?.value]);
    }
    case 'users':
      return JSON.stringify([report, fromMs, toMs, query.interval, query.metric]);
    case 'funnel':
      return JSON.stringify([report, fromMs, toMs, query.windowMs, ...query.steps]);
    case 'names': {
      const {prefix, limit, after} = query;
      return JSON.stringify([report, fromMs, toMs, prefix, limit, after?.count, after?.name]);
    }
  }
}

/** The first bucket that may still grow without a late event. Funnels and names have no buckets. */
function incompleteFrom(query: ReportQuery, asOfMs: number): string | undefined {
  if (query.report === 'funnel' || query.report === 'names') return undefined;
  const buckets = new Buckets(query.fromMs, query.toMs, query.interval);
  const open = buckets.firstOpen(asOfMs);
  return open === undefined ? undefined : buckets.label(open);
}

/** `If-None-Match` (RFC 9110, 13.1.2): `*` or a list of tags, compared weakly. */
export function isNoneMatch(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const tags: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return tags.includes(etag);
}
