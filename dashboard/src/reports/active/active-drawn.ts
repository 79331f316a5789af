// What the cards of the page draw of the shown answers: a line for each metric, and the stickiness that follows from two of them.
import {useMemo} from 'preact/hooks';
import type {FixedQuestion} from '../../../../src/asks/question/flat.js';
import type {ActiveAnswer} from '../../../../src/edge/answers/active-users.js';
import type {Draft} from '../../address/page-question';
import type {Interval, Past} from '../../address/range';
import {metrics, type Span} from '../../address/report-address';
import {wallMs} from '../../address/zone';
import {type AnsweredLine, type Charted, chartOf} from '../../charts/charted';
import {soFarText} from '../../charts/comparison';
import {bucketText} from '../../charts/format';
import {stickinessOf} from '../../charts/stickiness';
import type {Report, Shown} from '../../service/reports';
import {metricLabels} from './metrics';

/** The question of the page, with what was asked for it. */
export interface AskedActive {
  readonly question: Draft<'active'>;
  readonly dates: string;
  readonly days: Span;
  readonly interval: Interval;
  readonly past: Past | undefined;
  /** One for each metric, in the order of `metrics`. */
  readonly asks: readonly FixedQuestion[];
  readonly pastAsks: readonly FixedQuestion[];
  /** Words for the events that make a user active. */
  readonly what: string;
  readonly zone: string;
}

export interface DrawnActive {
  readonly lines: readonly AnsweredLine[];
  readonly chart: Charted;
  readonly interval: Interval;
  readonly zone: string;
  readonly moment: (seconds: number) => string;
  /** Wall clock of the zone up to which the numbers are exact. */
  readonly asOfMs: number | undefined;
  readonly openText: string;
  /** Share of the monthly users per bucket; undefined until every metric is answered. */
  readonly sticky: readonly (number | null)[] | undefined;
  /** No line has a user. */
  readonly isNobody: boolean;
}

export function useDrawnActive(shown: Shown<AskedActive> | undefined, asked: AskedActive): DrawnActive {
  const {interval, zone} = shown?.question ?? asked;
  const asOfMs = shown?.freshness && wallMs(zone, shown.freshness.asOfMs);
  const lines = useMemo(() => (shown === undefined ? [] : linesOf(shown)), [shown]);
  const chart = useMemo(() => chartOf(lines, interval, (ms) => wallMs(zone, ms)), [lines]);
  const moment = useMemo(() => (seconds: number) => bucketText(seconds, interval, zone), [interval, zone]);
  const sticky = useMemo(
    () =>
      lines.length === metrics.length ? stickinessOf(chart.series[0]!.values, chart.series[2]!.values) : undefined,
    [chart],
  );
  const isNobody = chart.series.every(({values, before = []}) => [...values, ...before].every((users) => !users));
  return {lines, chart, interval, zone, moment, asOfMs, openText: soFarText(asOfMs), sticky, isNobody};
}

const linesOf = ({question: {asks, pastAsks}, of}: Shown<AskedActive>): AnsweredLine[] =>
  asks.flatMap((one, at): AnsweredLine[] => {
    const {value, meta} = of<ActiveAnswer>(one);
    const before = pastAsks[at];
    const past = before && of<ActiveAnswer>(before).value;
    return value === undefined ? [] : [{label: metricLabels[value.metric], tone: at + 1, answer: value, meta, past}];
  });

/** Reports of the metrics, without those of the compared range. */
export const ofMetrics = (shown: Shown<AskedActive> | undefined): readonly Report<unknown>[] =>
  shown?.reports.slice(0, metrics.length) ?? [];
