// What the cards of the page draw of the shown answers: their lines, or those that formulas compute of them.
import {useMemo} from 'preact/hooks';
import {isFormula} from '../../../../src/asks/address.js';
import type {CountsAnswer} from '../../../../src/edge/answers/counts.js';
import {wallMs} from '../../address/zone';
import {type Charted, chartOf} from '../../charts/charted';
import {type ComputedLine, computedLines, computedText, isComputed} from '../../charts/computed';
import {bucketText} from '../../charts/format';
import {drawnOf, linesOf, numbersIn, rowKey, type SeriesLine} from '../../charts/series-lines';
import type {Fault} from '../../service/client';
import type {Shown} from '../../service/reports';
import type {TrendsAsked, trendsUntil} from './asked';
import {areCounts, labelsOf, measureOf, type TrendsDraft} from './series';

/** Tells the lines of a question apart, computed ones from what they are computed of, too. */
export const lineKey = (line: SeriesLine): string =>
  `${isComputed(line) ? `${line.formula} ` : ''}${line.series}/${line.row === undefined ? '' : rowKey(line.row)}`;

export interface DrawnTrends {
  /** The question of the shown answers; before the first answers the present one. */
  readonly asked: TrendsAsked;
  readonly lines: readonly SeriesLine[];
  readonly computed: readonly ComputedLine[];
  /** Lines that a chart can show; those of them that it shows. */
  readonly drawable: readonly SeriesLine[];
  readonly drawn: readonly SeriesLine[];
  /** Text of a computed value; undefined without a formula. */
  readonly say: ((value: number) => string) | undefined;
  readonly chart: Charted;
  readonly moment: (seconds: number) => string;
  readonly faults: readonly {readonly label: string; readonly fault: Fault}[];
}

export function useDrawnTrends(
  shown: Shown<TrendsAsked> | undefined,
  question: TrendsDraft,
  present: TrendsAsked,
  hidden: ReadonlySet<string>,
): DrawnTrends {
  const asked = shown?.question ?? present;
  const {interval, zone} = asked;
  const lines = useMemo(() => (shown === undefined ? [] : linesIn(shown)), [shown]);
  // Formulas are computed here: the service is asked the same question with and without them.
  const formulas = JSON.stringify(question.formulas ?? []);
  const computed = useMemo(() => {
    const series = shown?.question.series ?? [];
    const fitting = (JSON.parse(formulas) as NonNullable<TrendsDraft['formulas']>).filter(({is}) =>
      isFormula(is, series.length),
    );
    return computedLines(lines, fitting, labelsOf(series));
  }, [lines, formulas]);
  const drawable = useMemo(() => drawnOf(computed.length === 0 ? lines : computed), [lines, computed]);
  const drawn = useMemo(() => {
    const left = drawable.filter((line) => !hidden.has(lineKey(line)));
    return left.length === 0 ? drawable : left; // Those that were switched off may be all of another question.
  }, [drawable, hidden]);
  const say = computed.length === 0 ? undefined : computedText(computed, areCounts(asked.series));
  const chart = useMemo(() => chartOf(drawn, interval, (ms) => wallMs(zone, ms)), [drawn, interval, zone]);
  const moment = useMemo(() => {
    const hour = zone === 'UTC' ? 'UTC' : '';
    return (seconds: number): string => bucketText(seconds, interval, hour).trim();
  }, [interval, zone]);
  return {
    asked,
    lines,
    computed,
    drawable,
    drawn,
    say,
    chart,
    moment,
    faults: shown === undefined ? [] : faultsIn(shown),
  };
}

function linesIn({question, of}: Shown<TrendsAsked>): SeriesLine[] {
  const labels = labelsOf(question.series);
  return linesOf(
    question.series.map((one, at) => {
      const {value, meta} = of<CountsAnswer>(question.ask(one));
      const before = question.askPast(one);
      const past = before && of<CountsAnswer>(before).value;
      return value && {label: labels[at]!, measure: measureOf(one), answer: value, meta, past};
    }),
  );
}

function faultsIn({question: {series, ask}, of}: Shown<TrendsAsked>): DrawnTrends['faults'] {
  const labels = labelsOf(series);
  return series.flatMap((one, at) => {
    const {value, fault} = of(ask(one));
    return value === undefined && fault !== undefined ? [{label: labels[at]!, fault}] : [];
  });
}

/** Number of the compared range, up to the same moment; undefined where it is not known. */
export type BeforeOf = (line: SeriesLine) => number | undefined;

/** `until`: the compared range up to the same moment, while the range is not over. */
export const beforeIn =
  (shown: Shown<TrendsAsked> | undefined, until: Shown<ReturnType<typeof trendsUntil>> | undefined): BeforeOf =>
  ({series, row, meta, pastTotal}) => {
    if (!meta?.incomplete_from) return pastTotal ?? undefined;
    const one = shown?.question.series[series];
    const asked = one && until?.question?.askUntil(one);
    const numbers = asked && numbersIn(until!.of<CountsAnswer>(asked).value, row);
    return (measureOf(one!) === 'total' ? numbers?.total : numbers?.total_value) ?? undefined;
  };
