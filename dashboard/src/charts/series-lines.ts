// The lines of a trend: each series has one, or one for each row of its breakdown.
//   SL1. A row is compared with the row of the same value. Where the time before has none it is in `other`, and not known; without
//        `other` it is nothing.
//   SL2. Rows keep the order of the answer; those of several breakdowns stand by their totals, the largest first, after them what is
//        no value. Values get the colours of the palette; what is no value is faint.
import type {Measure} from '../../../src/asks/address.js';
import type {CountsAnswer} from '../../../src/edge/answers/counts.js';
import type {ReportMeta} from '../service/question-batches.js';
import type {AnsweredLine, Counted} from './charted.js';

type Row = NonNullable<CountsAnswer['breakdown']>['rows'][number];
export type RowName = Pick<Row, 'value' | 'kind' | 'values' | 'by'>;
type Name = Omit<RowName, 'by'>;

export interface SeriesLine extends AnsweredLine {
  /** Index of the series. */
  readonly series: number;
  /** Undefined: the series is not broken down. */
  readonly row: RowName | undefined;
  /** Number of the whole range; null where nothing was measured. */
  readonly total: number | null;
  readonly pastTotal: number | null | undefined;
}

interface AnsweredSeries {
  readonly label: string;
  readonly measure: Measure;
  readonly answer: CountsAnswer;
  readonly meta: ReportMeta | undefined;
  readonly past?: CountsAnswer | undefined;
}

/** Colours of the palette. */
export const tonesMax = 6;

const kindWords = {other: 'other', missing: 'not set', null: 'null', not_scalar: 'lists and objects'} as const;

/** `pro`, `(empty)`, `not set`, `other (12 values)`. */
function nameText({value, kind, values}: Name): string {
  if (kind === undefined) return value === '' ? '(empty)' : value!;
  return kind === 'other' ? `other (${values} value${values === 1 ? '' : 's'})` : kindWords[kind];
}

/** The names of a row, in each breakdown. */
const namesOf = ({by, ...name}: RowName): readonly Name[] => by ?? [name];
export const rowTexts = (row: RowName): readonly string[] => namesOf(row).map(nameText);
/** `pro`, `pro · DE`. */
export const rowText = (row: RowName): string => rowTexts(row).join(' · ');

/** Whether it has rows of several values, or of none. */
export const isKind = (row: RowName | undefined): boolean =>
  row !== undefined && namesOf(row).some(({kind}) => kind !== undefined);
export const hasOthers = (row: RowName): boolean => namesOf(row).some(({kind}) => kind === 'other');
/** Whether a breakdown has no value in the row. */
export const isUnset = (row: RowName | undefined, at: number): boolean =>
  row !== undefined && namesOf(row)[at]?.kind === 'missing';

export const rowKey = (row: RowName): string =>
  JSON.stringify(namesOf(row).map(({value, kind}) => (kind === undefined ? `=${value}` : kind)));
export const isSameRow = (a: RowName, b: RowName): boolean => rowKey(a) === rowKey(b);

type Numbers = Pick<Row, 'data' | 'total' | 'total_value'>;

/** SL1. `row` undefined: all of the answer. */
export function numbersIn(answer: CountsAnswer | undefined, row: RowName | undefined): Numbers | undefined {
  const rows = answer?.breakdown?.rows;
  if (answer === undefined || row === undefined) return answer;
  const found = rows?.find((one) => isSameRow(one, row));
  if (found !== undefined || rows === undefined || rows.some(hasOthers)) return found;
  return {data: answer.data.map(({date}) => ({date, count: 0, value: null})), total: 0, total_value: null};
}

const countedBy = ({data}: Numbers, measure: Measure): Counted =>
  measure === 'total' ? {data} : {data: data.map(({date, value}) => ({date, count: value ?? null}))};

const totalOf = (numbers: Numbers, measure: Measure): number | null =>
  measure === 'total' ? numbers.total : (numbers.total_value ?? null);

export function linesOf(all: readonly (AnsweredSeries | undefined)[]): SeriesLine[] {
  const isOne = all.length === 1;
  const lines = all.flatMap((series, index): Omit<SeriesLine, 'tone'>[] => {
    if (series === undefined) return [];
    const {label, measure, answer, meta, past} = series;
    const line = (name: string, row: RowName | undefined, now: Numbers, before: Numbers | undefined) => ({
      label: name,
      series: index,
      row,
      answer: countedBy(now, measure),
      meta,
      ...(before === undefined ? {} : {past: countedBy(before, measure)}),
      total: totalOf(now, measure),
      pastTotal: before === undefined ? undefined : totalOf(before, measure),
    });
    if (answer.breakdown === undefined) return [line(label, undefined, answer, past)];
    return inOrder(answer.breakdown.rows).map((row) => {
      const before = numbersIn(past, row);
      return line(isOne ? rowText(row) : `${label}: ${rowText(row)}`, row, row, before);
    });
  });
  if (lines.every(({row}) => row === undefined)) return lines.map((line) => ({...line, tone: line.series + 1}));
  let tone = 0;
  return lines.map((line) => ({...line, tone: !isKind(line.row) && tone < tonesMax ? ++tone : 0})); // SL2
}

/** SL2 */
const inOrder = (rows: readonly Row[]): readonly Row[] =>
  rows.every(({by}) => by === undefined)
    ? rows
    : [...rows].sort((a, b) => Number(isKind(a)) - Number(isKind(b)) || b.total - a.total);

/** Lines that a chart shows: each has a colour, or is what the values leave where they are of a single series, or are none. */
export function drawnOf(lines: readonly SeriesLine[]): readonly SeriesLine[] {
  const isRestDrawn = lines.every(({series}) => series === 0) || lines.every(({tone}) => tone === 0);
  return lines.filter(({tone, row}) => tone > 0 || (isKind(row) && isRestDrawn));
}
