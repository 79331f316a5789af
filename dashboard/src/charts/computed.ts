// Lines computed from others by formulas: refunds by orders, sign-ups less those who left.
//   CM1. A bucket in which a part is not known, or a division is by zero, has no value (formula.ts FO1). A total is computed from totals.
//   CM2. Of a breakdown the rows of the same value are computed together. `other` is not: its values are not the same everywhere.
import {labelAt} from '../../../src/asks/address.js';
import {type Formula, labelsIn, readFormula, valueOfFormula} from '../../../src/asks/question/formula.js';
import type {Counted} from './charted.js';
import {count, percent} from './format.js';
import {
  hasOthers,
  isKind,
  isSameRow,
  type RowName,
  rowKey,
  rowText,
  type SeriesLine,
  tonesMax,
} from './series-lines.js';

export interface ComputedLine extends SeriesLine {
  /** As it is written, `A / B`. */
  readonly formula: string;
  /** What it is computed from. */
  readonly parts: readonly {readonly label: string; readonly total: number | null}[];
}

export interface NamedFormula {
  readonly as: string;
  readonly is: string;
}

export const isComputed = (line: SeriesLine): line is ComputedLine => 'parts' in line;

/** `A / B` with the names of the series: `refunds / orders`. `labels`: of all series. */
export const formulaWords = (is: string, labels: readonly string[]): string =>
  is.replace(/[A-Za-z]\w*/g, (label) => labels.find((_, at) => labelAt(at) === label) ?? label);

/** The name that somebody gave it, or else the formula in words. */
export const formulaLabel = ({as, is}: NamedFormula, labels: readonly string[]): string =>
  as === is ? formulaWords(is, labels) : as;

/** `labels`: of all series. CM1, CM2 */
export function computedLines(
  lines: readonly SeriesLine[],
  formulas: readonly NamedFormula[],
  labels: readonly string[],
): ComputedLine[] {
  const rows = lines.flatMap(({row}) => (row === undefined ? [] : [row]));
  const different = [...new Map(rows.map((row) => [rowKey(row), row])).values()].filter((row) => !hasOthers(row));
  let tone = 0;
  return formulas.flatMap((named, index) =>
    (rows.length === 0 ? [undefined] : different).flatMap((row): ComputedLine[] => {
      const formula = readFormula(named.is)!;
      const ofRow = lines.filter((line) => isOfRow(line, row));
      const partOf = (label: string): SeriesLine | undefined => ofRow.find(({series}) => labelAt(series) === label);
      const parts = [...new Set(labelsIn(formula))].map(partOf);
      const known = parts.filter((part) => part !== undefined);
      if (known.length < parts.length || lines.length === 0) return [];
      const name = formulaLabel(named, labels);
      const pastOf = (label: string): Counted | undefined => partOf(label)!.past;
      const hasPast = known.length > 0 && known.every(({past}) => past !== undefined);
      return [
        {
          label: row === undefined ? name : formulas.length === 1 ? rowText(row) : `${name}: ${rowText(row)}`,
          series: index,
          row,
          tone: !isKind(row) && tone < tonesMax ? ++tone : 0,
          meta: (known[0] ?? lines[0]!).meta,
          formula: named.is,
          answer: computedOf(formula, lines[0]!.answer, (label) => partOf(label)!.answer),
          ...(hasPast && {past: computedOf(formula, pastOf(labelsIn(formula)[0]!)!, (label) => pastOf(label)!)}),
          total: valueOfFormula(formula, (label) => partOf(label)!.total),
          pastTotal: hasPast ? valueOfFormula(formula, (label) => partOf(label)!.pastTotal ?? null) : undefined,
          parts: known.map(({label, total}) => ({label, total})),
        },
      ];
    }),
  );
}

const isOfRow = (line: SeriesLine, row: RowName | undefined): boolean =>
  row === undefined ? line.row === undefined : line.row !== undefined && isSameRow(line.row, row);

/** Bucket by bucket. CM1 */
const computedOf = (formula: Formula, buckets: Counted, partOf: (label: string) => Counted): Counted => ({
  data: buckets.data.map(({date}, at) => ({
    date,
    count: valueOfFormula(formula, (label) => partOf(label).data[at]?.count ?? null),
  })),
});

const decimals = new Intl.NumberFormat('en-US', {maximumFractionDigits: 4});

/** Whether it is one number divided by another one, and nowhere above all of it. */
const isShare = ({formula, answer, total}: ComputedLine): boolean => {
  const read = readFormula(formula)!;
  return (
    read.is === '/' &&
    read.left.is === 'label' &&
    read.right.is === 'label' &&
    (total ?? 0) <= 1 &&
    answer.data.every(({count: value}) => (value ?? 0) <= 1)
  );
};

/** Text of a value: of counts of which each is a part of the other a share, of anything else a number. */
export function computedText(lines: readonly ComputedLine[], isOfCounts: boolean): (value: number) => string {
  if (isOfCounts && lines.every(isShare)) return (value) => percent(value);
  return (value) => (Math.abs(value) < 1_000 ? decimals.format(value) : count(value));
}
