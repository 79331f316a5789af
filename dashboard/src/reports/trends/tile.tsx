// A pinned trend.
import type {CountsAnswer} from '../../../../src/edge/answers/counts.js';
import {pageAddress} from '../../address/base';
import {readAddress, writeAddress} from '../../address/codec';
import {
  type AskedSeries,
  areCounts,
  divisorIn,
  labelsOf,
  seriesOf,
  seriesQuestion,
  trendsForm,
} from '../../address/trends-address';
import {type DividedLine, dividedBy, isQuotient, quotientText} from '../../charts/divided';
import {drawnOf, linesOf, type SeriesLine} from '../../charts/series-lines';
import type {Shown} from '../../service/reports';
import {Card} from '../../shell/card';
import {Lost, NoEventNamed} from '../lost';
import {type TileProps, useTile} from '../tile';
import {asksOf, TrendCard, type TrendQuestion} from './trend-card';

export function PinnedTrend({search, range, days, interval, past, tools, onRange, onFresh}: TileProps) {
  const asked = readAddress(trendsForm, search);
  const series = seriesOf(asked.question);
  const labels = labelsOf(series);
  const divisor = divisorIn(asked.question, series);
  const lines = series.map((one, at) => ({
    event: labels[at]!,
    asks: seriesQuestion(one, asked.question, days, interval),
    asksPast: past && seriesQuestion(one, asked.question, past, interval),
  }));
  const trend = useTile(onFresh, {days, interval, past, lines}, lines.length === 0 ? undefined : asksOf(lines));
  const quotients = (trend.shown === undefined ? [] : measuredLines(trend.shown, series, divisor)).filter(isQuotient);
  const say = divisor === undefined ? undefined : quotientText(quotients, areCounts(...series));
  const title =
    divisor === undefined
      ? labels.join(', ')
      : `${labels.filter((_, at) => at !== divisor).join(', ')} / ${labels[divisor]}`;
  const address = pageAddress('/trends') + writeAddress(trendsForm, {...asked.question, range});
  if (series.length === 0)
    return (
      <Card span={12} title="Trend" tools={tools('Trend')}>
        <Lost problems={asked.problems} />
        <NoEventNamed />
      </Card>
    );
  return (
    <TrendCard
      span={12}
      linesOf={(shown) => measuredLines(shown, series, divisor)}
      say={say}
      behind={({quotientBehind, trendBehind}, drawn, _, value, {at, text}, shown) => {
        const line = drawn as SeriesLine | DividedLine;
        const {freshness, question} = shown;
        const when = `${text} (UTC)`;
        if (isQuotient(line)) return quotientBehind({...line, parts: undefined}, say!(value), when, freshness);
        const one = series[line.series]!;
        return trendBehind({
          value,
          series: one,
          measure: one.measure,
          common: asked.question,
          row: line.row,
          answer: shown.of<CountsAnswer>(question.lines[line.series]!.asks).value,
          days: question.days,
          bucket: {dates: line.answer.data.map(({date}) => date), at, interval: question.interval},
          when,
          freshness,
        });
      }}
      before={<Lost problems={asked.problems} />}
      title={title}
      address={address}
      file="trend"
      trend={trend}
      tools={tools(title)}
      onRange={onRange}
    />
  );
}

function measuredLines(
  {question, of}: Shown<TrendQuestion>,
  series: readonly AskedSeries[],
  divisor: number | undefined,
): readonly (SeriesLine | DividedLine)[] {
  const answered = question.lines.map(({event, asks, asksPast}, at) => {
    const {value, meta} = of<CountsAnswer>(asks);
    const past = asksPast && of<CountsAnswer>(asksPast).value;
    return value && {label: event, measure: series[at]!.measure, answer: value, meta, past};
  });
  const lines = linesOf(answered);
  return drawnOf(divisor === undefined ? lines : dividedBy(lines, divisor));
}
