// Reports and lists (list-table.ts) as tables, made of their JSON answers: a row for each bucket, step, cell or item. Totals and
// rates over all are left out.
import type {z} from 'zod';
import type {Measure} from '../../../actors/report/rows/measures.js';
import type {ReportQuery} from '../../asks/report.js';
import type {ActiveAnswer} from '../answers/active-users.js';
import type {CountsAnswer, seriesAnswer} from '../answers/counts.js';
import type {LifecycleAnswer, PathsAnswer, RetentionAnswer, StickinessAnswer} from '../answers/engagement.js';
import type {FunnelAnswer, FunnelStep, WalkedFunnelAnswer} from '../answers/funnels.js';
import {isListing, listTable} from './list-table.js';
import type {Cell, Column, Table} from './table.js';

type Row = readonly Cell[];
type EventCounts = CountsAnswer | ActiveAnswer | z.infer<typeof seriesAnswer>;
interface Named {
  readonly value?: string | undefined;
  readonly kind?: string | undefined;
}
type Group = Pick<CountsAnswer, 'data'> & Named & {readonly by?: readonly Named[] | undefined};
interface Series extends Pick<CountsAnswer, 'event' | 'data'> {
  readonly breakdown?:
    | {readonly properties?: readonly string[] | undefined; readonly rows: readonly Group[]}
    | undefined;
}

/** The table of a report's JSON text. */
export function tableOf(query: ReportQuery, json: string): Table {
  const answer: unknown = JSON.parse(json);
  if (isListing(query)) return listTable(query, answer);
  switch (query.report) {
    case 'counts':
      return eventTable(answer as EventCounts, query.measure);
    case 'active':
      return eventTable(answer as ActiveAnswer, undefined);
    case 'funnel':
      return funnelTable(answer as FunnelAnswer | WalkedFunnelAnswer);
    case 'retention':
      return retentionTable(answer as RetentionAnswer);
    case 'lifecycle':
      return lifecycleTable(answer as LifecycleAnswer);
    case 'stickiness':
      return stickinessTable(answer as StickinessAnswer);
    case 'paths':
      return pathTable(answer as PathsAnswer);
    default:
      throw new Error(`${query.report} is no table`);
  }
}

/** Columns for the name of a breakdown's row: the text of a value, or a kind that is none. */
const nameColumns: readonly Column[] = [
  ['value', 'text'],
  ['kind', 'text'],
];

/** Rows of event counts. The column of a measure has the measure's name. */
function eventTable(answer: EventCounts, measure: Measure | undefined): Table {
  const isList = 'series' in answer;
  const series: readonly Series[] = isList ? answer.series : [answer];
  const broken = series.find(({breakdown}) => breakdown !== undefined)?.breakdown;
  const names = broken === undefined ? 0 : (broken.properties?.length ?? 1);
  const columns: readonly Column[] = [
    ...(isList ? [['event', 'text'] as const] : []),
    ...Array.from({length: names}, (_, at) => nameColumns.map((column) => numbered(column, at))).flat(),
    ['date', 'bucket'],
    ['count', 'count'],
    ...(measure === undefined ? [] : [[measure, measure === 'users' ? 'count' : 'number'] as const]),
  ];
  const rows: Row[] = [];
  for (const {event, data, breakdown} of series) {
    const groups: readonly Group[] = breakdown?.rows ?? [{data}];
    for (const {by, data: buckets, ...name} of groups) {
      const cells = (by ?? [name]).flatMap(({value, kind}) => [value ?? null, kind ?? null]);
      const named = [...(isList ? [event ?? null] : []), ...cells.slice(0, 2 * names)];
      for (const {date, count, value: measured} of buckets)
        rows.push([...named, date, count, ...(measure === undefined ? [] : [measured ?? null])]);
    }
  }
  return {columns, rows};
}

/** `value`, `value_2`: of each breakdown. */
const numbered = ([name, form]: Column, at: number): Column => [at === 0 ? name : `${name}_${at + 1}`, form];

const stepColumns: readonly Column[] = [
  ['step', 'count'],
  ['event', 'text'],
  ['count', 'count'],
  ['conversion_rate', 'number'],
  ['step_conversion_rate', 'number'],
  ['drop_off', 'count'],
  ['median_seconds', 'number'],
];
const entryColumns: readonly Column[] = [
  ['date', 'bucket'],
  ['count', 'count'],
  ['converted', 'count'],
  ['conversion_rate', 'number'],
];

/** A level of steps in any order has no event. */
function stepCells(step: Omit<FunnelStep, 'event'> & {readonly event?: string | undefined}, i: number): Row {
  const {count, conversion_rate: rate, step_conversion_rate: stepRate, drop_off, median_seconds: median} = step;
  return [i + 1, step.event ?? null, count, rate, stepRate, drop_off, median];
}

type WalkedSeries = Pick<WalkedFunnelAnswer, 'steps' | 'data'> & Named;

const ofPercentiles = ['p75_seconds', 'p90_seconds', 'p95_seconds'] as const;

const funnelTable = (answer: FunnelAnswer | WalkedFunnelAnswer): Table =>
  answer.steps.every((step) => 'mean_seconds' in step)
    ? walkedFunnelTable(answer as WalkedFunnelAnswer)
    : {columns: stepColumns, rows: answer.steps.map(stepCells)};

/** A row for each bucket where there are any, else for each step. */
function walkedFunnelTable({steps, data, breakdown}: WalkedFunnelAnswer): Table {
  const isBroken = breakdown !== undefined;
  const percentiles = steps.some(({p75_seconds: p75}) => p75 !== undefined) ? ofPercentiles : [];
  const timeColumns = ['mean_seconds', ...percentiles].map((title): Column => [title, 'number']);
  const series: readonly WalkedSeries[] = breakdown?.rows ?? [{steps, ...(data && {data})}];
  const rows: Row[] = [];
  for (const one of series) {
    const named = isBroken ? [one.value ?? null, one.kind ?? null] : [];
    const cells =
      one.data?.map(({date, count, converted, conversion_rate: rate}): Row => [date, count, converted, rate]) ??
      one.steps.map(
        (step, i): Row => [
          ...stepCells(step, i),
          step.mean_seconds,
          ...percentiles.map((title) => step[title] ?? null),
        ],
      );
    rows.push(...cells.map((row) => [...named, ...row]));
  }
  const columns = data === undefined ? [...stepColumns, ...timeColumns] : entryColumns;
  return {columns: [...(isBroken ? nameColumns : []), ...columns], rows};
}

function retentionTable({cohorts, breakdown}: RetentionAnswer): Table {
  const groups: readonly (Named & Pick<RetentionAnswer, 'cohorts'>)[] = breakdown?.rows ?? [{cohorts}];
  const isBroken = breakdown !== undefined;
  const rows: Row[] = [];
  for (const {value, kind, cohorts} of groups) {
    const named = isBroken ? [value ?? null, kind ?? null] : [];
    for (const {date, size, cells} of cohorts) {
      for (const [period, {count, incomplete}] of cells.entries())
        rows.push([...named, date, size, period, count, incomplete ?? null]);
    }
  }
  const columns: readonly Column[] = [
    ...(isBroken ? nameColumns : []),
    ['date', 'bucket'],
    ['size', 'count'],
    ['period', 'count'],
    ['count', 'count'],
    ['incomplete', 'flag'],
  ];
  return {columns, rows};
}

const lifecycleTable = ({data}: LifecycleAnswer): Table => ({
  columns: [
    ['date', 'bucket'],
    ['new', 'count'],
    ['returning', 'count'],
    ['resurrecting', 'count'],
    ['dormant', 'count'],
  ],
  rows: data.map(({date, new: fresh, returning, resurrecting, dormant}) => [
    date,
    fresh,
    returning,
    resurrecting,
    dormant,
  ]),
});

const stickinessTable = ({data}: StickinessAnswer): Table => ({
  columns: [
    ['buckets', 'count'],
    ['users', 'count'],
  ],
  rows: data.map(({buckets, users}) => [buckets, users]),
});

const pathTable = ({edges}: PathsAnswer): Table => ({
  columns: [
    ['step', 'count'],
    ['from', 'text'],
    ['from_kind', 'text'],
    ['to', 'text'],
    ['to_kind', 'text'],
    ['users', 'count'],
  ],
  rows: edges.map(({step, from, to, users}) => [
    step,
    from.event ?? null,
    from.kind ?? null,
    to.event ?? null,
    to.kind ?? null,
    users,
  ]),
});
