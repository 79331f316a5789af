// Reports and lists (list-csv.ts) as CSV (`format=csv`), made of their JSON answers: a row for each bucket, step, cell or item.
// Totals and rates over all are left out.
//   RC1. A CSV has the tag of its JSON answer with an end of its own: two representations of one answer (RFC 9110, 8.8.3.3).
import type {z} from 'zod';
import type {Measure} from '../../../actors/report/rows/measures.js';
import type {ReportQuery} from '../../asks/report.js';
import type {ActiveAnswer} from '../answers/active-users.js';
import type {CountsAnswer, seriesAnswer} from '../answers/counts.js';
import type {LifecycleAnswer, PathsAnswer, RetentionAnswer, StickinessAnswer} from '../answers/engagement.js';
import type {FunnelAnswer, FunnelStep, WalkedFunnelAnswer} from '../answers/funnels.js';
import {optional, word} from '../query/parameters.js';
import {type Cell, csvOf} from './csv.js';
import {isListing, listRows} from './list-csv.js';

export const csvType = 'text/csv; charset=utf-8';

export const formatForm = {
  format: optional(word(['json', 'csv']), {
    description:
      '`csv`: RFC 4180 with a row of titles, a row for each bucket, step, cell or item of a list (of a breakdown for those of each value). A text ' +
      "that a spreadsheet would compute gets a `'` before it. Default: `json`.",
  }),
};

type Row = readonly Cell[];
type EventCounts = CountsAnswer | ActiveAnswer | z.infer<typeof seriesAnswer>;
interface Named {
  readonly value?: string | undefined;
  readonly kind?: string | undefined;
}
type Group = Pick<CountsAnswer, 'data'> & Named;
interface Series extends Pick<CountsAnswer, 'event' | 'data'> {
  readonly breakdown?: {readonly rows: readonly Group[]} | undefined;
}

/** The CSV of a report's JSON text. */
export function reportCsv(query: ReportQuery, json: string): string {
  const answer: unknown = JSON.parse(json);
  return csvOf(rowsOf(query, answer));
}

function rowsOf(query: ReportQuery, answer: unknown): readonly Row[] {
  if (isListing(query)) return listRows(query, answer);
  switch (query.report) {
    case 'counts':
      return eventRows(answer as EventCounts, query.measure);
    case 'active':
      return eventRows(answer as ActiveAnswer, undefined);
    case 'funnel':
      return funnelRows(answer as FunnelAnswer | WalkedFunnelAnswer);
    case 'retention':
      return retentionRows(answer as RetentionAnswer);
    case 'lifecycle':
      return lifecycleRows(answer as LifecycleAnswer);
    case 'stickiness':
      return stickinessRows(answer as StickinessAnswer);
    case 'paths':
      return pathRows(answer as PathsAnswer);
    default:
      throw new Error(`${query.report} has no CSV`);
  }
}

/** Titles for the name of a breakdown's row: the text of a value, or a kind that is none. */
const nameTitles = ['value', 'kind'];

/** Rows of event counts. The column of a measure has the measure's name. */
function eventRows(answer: EventCounts, measure: Measure | undefined): Row[] {
  const isList = 'series' in answer;
  const series: readonly Series[] = isList ? answer.series : [answer];
  const isBroken = series.some(({breakdown}) => breakdown !== undefined);
  const titles = [
    ...(isList ? ['event'] : []),
    ...(isBroken ? nameTitles : []),
    'date',
    'count',
    ...(measure === undefined ? [] : [measure]),
  ];
  const rows: Row[] = [titles];
  for (const {event, data, breakdown} of series) {
    const groups: readonly Group[] = breakdown?.rows ?? [{data}];
    for (const {value, kind, data: buckets} of groups) {
      const named = [...(isList ? [event ?? null] : []), ...(isBroken ? [value ?? null, kind ?? null] : [])];
      for (const {date, count, value: measured} of buckets)
        rows.push([...named, date, count, ...(measure === undefined ? [] : [measured ?? null])]);
    }
  }
  return rows;
}

const stepTitles = ['step', 'event', 'count', 'conversion_rate', 'step_conversion_rate', 'drop_off', 'median_seconds'];

/** A level of steps in any order has no event. */
function stepCells(step: Omit<FunnelStep, 'event'> & {readonly event?: string | undefined}, i: number): Row {
  const {count, conversion_rate: rate, step_conversion_rate: stepRate, drop_off, median_seconds: median} = step;
  return [i + 1, step.event ?? null, count, rate, stepRate, drop_off, median];
}

type WalkedSeries = Pick<WalkedFunnelAnswer, 'steps' | 'data'> & Named;

const ofPercentiles = ['p75_seconds', 'p90_seconds', 'p95_seconds'] as const;

const funnelRows = (answer: FunnelAnswer | WalkedFunnelAnswer): Row[] =>
  answer.steps.every((step) => 'mean_seconds' in step)
    ? walkedFunnelRows(answer as WalkedFunnelAnswer)
    : [stepTitles, ...answer.steps.map(stepCells)];

/** A row for each bucket where there are any, else for each step. */
function walkedFunnelRows({steps, data, breakdown}: WalkedFunnelAnswer): Row[] {
  const isBroken = breakdown !== undefined;
  const ofBuckets = ['date', 'count', 'converted', 'conversion_rate'];
  const percentileTitles = steps.some(({p75_seconds: p75}) => p75 !== undefined) ? ofPercentiles : [];
  const titles = data === undefined ? [...stepTitles, 'mean_seconds', ...percentileTitles] : ofBuckets;
  const series: readonly WalkedSeries[] = breakdown?.rows ?? [{steps, ...(data && {data})}];
  const rows: Row[] = [[...(isBroken ? nameTitles : []), ...titles]];
  for (const one of series) {
    const named = isBroken ? [one.value ?? null, one.kind ?? null] : [];
    const cells =
      one.data?.map(({date, count, converted, conversion_rate: rate}): Row => [date, count, converted, rate]) ??
      one.steps.map(
        (step, i): Row => [
          ...stepCells(step, i),
          step.mean_seconds,
          ...percentileTitles.map((title) => step[title] ?? null),
        ],
      );
    rows.push(...cells.map((row) => [...named, ...row]));
  }
  return rows;
}

function retentionRows({cohorts, breakdown}: RetentionAnswer): Row[] {
  const groups: readonly (Named & Pick<RetentionAnswer, 'cohorts'>)[] = breakdown?.rows ?? [{cohorts}];
  const isBroken = breakdown !== undefined;
  const rows: Row[] = [[...(isBroken ? nameTitles : []), 'date', 'size', 'period', 'count', 'incomplete']];
  for (const {value, kind, cohorts} of groups) {
    const named = isBroken ? [value ?? null, kind ?? null] : [];
    for (const {date, size, cells} of cohorts) {
      for (const [period, {count, incomplete}] of cells.entries())
        rows.push([...named, date, size, period, count, incomplete ? 'true' : null]);
    }
  }
  return rows;
}

const lifecycleRows = ({data}: LifecycleAnswer): Row[] => [
  ['date', 'new', 'returning', 'resurrecting', 'dormant'],
  ...data.map(({date, new: fresh, returning, resurrecting, dormant}) => [
    date,
    fresh,
    returning,
    resurrecting,
    dormant,
  ]),
];

const stickinessRows = ({data}: StickinessAnswer): Row[] => [
  ['buckets', 'users'],
  ...data.map(({buckets, users}) => [buckets, users]),
];

const pathRows = ({edges}: PathsAnswer): Row[] => [
  ['step', 'from', 'from_kind', 'to', 'to_kind', 'users'],
  ...edges.map(({step, from, to, users}) => [
    step,
    from.event ?? null,
    from.kind ?? null,
    to.event ?? null,
    to.kind ?? null,
    users,
  ]),
];

// -- tags. RC1 --

const tagEnd = '-csv"';

export const csvTag = (etag: string): string => etag.slice(0, -1) + tagEnd;

/** The tags of JSON answers whose CSV the client has; undefined: none. */
export function jsonTags(ifNoneMatch: string | undefined): string | undefined {
  if (ifNoneMatch === undefined || ifNoneMatch.trim() === '*') return ifNoneMatch;
  const tags: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  const ofCsv = tags.filter((tag) => tag.endsWith(tagEnd)).map((tag) => `${tag.slice(0, -tagEnd.length)}"`);
  return ofCsv.length === 0 ? undefined : ofCsv.join(', ');
}
