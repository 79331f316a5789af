// What says how fresh an answer is: its headers, its tag, and whether a client has it already (API.md, freshness).
//   F1. Equal tags mean equal bytes: the tag covers everything that the answer is computed from.

import {createHash} from 'node:crypto';
import {isoText} from '../../actors/calendar.js';
import type {Manifest} from '../../actors/manifest.js';
import {Buckets} from '../../actors/report/buckets.js';
import type {ReportAnswer, ReportQuery} from '../asks.js';
import {positionText} from '../log-position.js';

/** Goes up whenever the same snapshots would give other bytes. F1 */
const reportCodeVersion = 1;

export type ReportHeaders = Extract<ReportAnswer, {kind: 'report'}>['headers'];

export function headersOf(query: ReportQuery, manifests: readonly Manifest[]): ReportHeaders {
  const asOfMs = asOf(manifests);
  const position = manifests.map(({partition, position}) => positionText({partition, ...position})).join(',');
  const incomplete = incompleteFrom(query, asOfMs);
  return {
    'Report-As-Of': isoText(asOfMs),
    'Report-Log-Position': position,
    ETag: `"${digest(`${reportCodeVersion}\n${position}\n${normalised(query)}`)}"`,
    ...(incomplete === undefined ? {} : {'Report-Incomplete-From': incomplete}),
  };
}

/** The time that all partitions include: the oldest one. */
export function asOf(manifests: readonly Manifest[]): number {
  return Math.min(...manifests.map((manifest) => manifest.asOfMs));
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 27);

/** Every field that decides the answer, in an order of ours: equal questions have equal texts. */
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
  }
}

/** The first bucket that may still grow without any late event. Funnels have no buckets. */
function incompleteFrom(query: ReportQuery, asOfMs: number): string | undefined {
  if (query.report === 'funnel') return undefined;
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
