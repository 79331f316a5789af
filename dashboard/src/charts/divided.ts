// Lines divided by those of another series: refunds by orders, revenue by buyers.
//   DV1. A bucket in which the divisor is zero, or one of both is not known, has no quotient. A total is a quotient of totals.
//   DV2. Of a breakdown each row is divided by the row of the same value. `other` is not: its values are not the same in both.
import type {Counted} from './charted.js';
import {count, percent} from './format.js';
import {isSameRow, type SeriesLine} from './series-lines.js';

export interface DividedLine extends SeriesLine {
  /** Label of the line that is divided. */
  readonly dividend: string;
  /** Totals of both lines. */
  readonly parts: readonly [dividend: number | null, divisor: number | null];
}

export const isQuotient = (line: SeriesLine): line is DividedLine => 'parts' in line;

const quotient = (of: number | null | undefined, by: number | null | undefined): number | null =>
  of == null || by == null || by === 0 ? null : of / by;

const divideBuckets = (of: Counted, by: Counted): Counted => ({
  data: of.data.map(({date, count: value}, at) => ({date, count: quotient(value, by.data[at]?.count)})),
});

const divisorOf = (line: SeriesLine, lines: readonly SeriesLine[], by: number): SeriesLine | undefined =>
  lines.find(
    ({series, row}) =>
      series === by &&
      (row === undefined ? line.row === undefined : line.row !== undefined && isSameRow(row, line.row)),
  );

/** `by`: index of the series that all others are divided by. DV1, DV2 */
export function dividedBy(lines: readonly SeriesLine[], by: number): DividedLine[] {
  return lines.flatMap((line): DividedLine[] => {
    const divisor = line.series === by || line.row?.kind === 'other' ? undefined : divisorOf(line, lines, by);
    if (divisor === undefined) return [];
    const {past, ...rest} = line;
    return [
      {
        ...rest,
        label: `${line.label} / ${divisor.label}`,
        dividend: line.label,
        answer: divideBuckets(line.answer, divisor.answer),
        ...(past === undefined || divisor.past === undefined ? {} : {past: divideBuckets(past, divisor.past)}),
        total: quotient(line.total, divisor.total),
        pastTotal: line.pastTotal === undefined ? undefined : quotient(line.pastTotal, divisor.pastTotal),
        parts: [line.total, divisor.total],
      },
    ];
  });
}

const decimals = new Intl.NumberFormat('en-US', {maximumFractionDigits: 4});

const isAtMostOne = ({answer, total}: DividedLine): boolean =>
  (total ?? 0) <= 1 && answer.data.every(({count: value}) => (value ?? 0) <= 1);

/** Text of a quotient: of counts of which none is larger than the divisor a share, of anything else a number. */
export function quotientText(lines: readonly DividedLine[], isOfCounts: boolean): (value: number) => string {
  if (isOfCounts && lines.every(isAtMostOne)) return (value) => percent(value);
  return (value) => (Math.abs(value) < 1_000 ? decimals.format(value) : count(value));
}

/** The lines as a chart names them, whose title has the divisor. */
export const withoutDivisor = (lines: readonly DividedLine[]): DividedLine[] =>
  lines.map((line) => ({...line, label: line.dividend}));
