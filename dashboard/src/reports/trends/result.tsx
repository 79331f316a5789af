// What Trends answers: the lines, and on its page the same in numbers.
import {useState} from 'preact/hooks';
import {isShared} from '../../address/base';
import {wallMs} from '../../address/zone';
import {datesText} from '../../charts/format';
import type {SeriesLine} from '../../charts/series-lines';
import {oldest} from '../../service/freshness';
import {useReports} from '../../service/reports';
import type {Behind} from '../../shell/explained';
import {type ResultProps, useFresh} from '../report';
import {linesQuestions, type TrendsAsked, trendsAsked, trendsQuestions, trendsUntil} from './asked';
import {computedBehind} from './behind';
import {LinesCard} from './lines-card';
import {NumbersCard} from './numbers-card';
import type {TrendsDraft} from './series';
import type {ExplainedColumn} from './series-table';
import {lineBehind} from './trends-behind';
import {beforeIn, lineKey, useDrawnTrends} from './trends-drawn';
import './trends.css';

export function Result(props: ResultProps<TrendsDraft>) {
  const {question, today, since, tile} = props;
  const asked = trendsAsked(question, today, since);
  const main = useReports<TrendsAsked>(asked, tile ? linesQuestions(asked) : trendsQuestions(asked));
  const {shown} = main;
  const asOfMs = shown?.freshness?.asOfMs;
  const isCompared = !tile || (question.view?.look === 'number' && !isShared);
  const soFar = isCompared ? trendsUntil(asked, today, asOfMs) : undefined;
  const until = useReports(soFar, soFar?.asks).shown;
  useFresh(props, oldest([shown?.freshness, until?.freshness]));
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const drawn = useDrawnTrends(shown, question, asked, hidden);
  const {lines, computed, chart, moment, say} = drawn;
  const dates = datesText(drawn.asked.days, today);
  const behind = (line: SeriesLine, value: number, column: ExplainedColumn): Behind => {
    const own = computed.find((one) => one === line);
    if (own !== undefined) return () => computedBehind(own, say!(value), dates, shown!.freshness);
    if (column !== 'last') return lineBehind(shown!, line, {value, when: dates, isUsers: column === 'users'});
    const at = (chart.openFrom ?? chart.times.length) - 1;
    return lineBehind(shown!, line, {value, when: moment(chart.times[at]!), at});
  };
  const switches = {
    drawable: drawn.drawable.map(lineKey),
    drawn: drawn.drawn.map(lineKey),
    onSwitch: (key: string): void =>
      setHidden(new Set(hidden.has(key) ? [...hidden].filter((one) => one !== key) : [...hidden, key])),
  };
  const beforeOf = beforeIn(shown, until);
  const wallAsOfMs = asOfMs === undefined ? undefined : wallMs(asked.zone, asOfMs);
  return (
    <>
      <LinesCard {...props} main={main} drawn={drawn} asOfMs={wallAsOfMs} beforeOf={beforeOf} behind={behind} />
      {!tile && lines.length > 0 && (
        <NumbersCard
          shown={shown!}
          beforeOf={beforeOf}
          drawn={drawn}
          asOfMs={wallAsOfMs}
          today={today}
          behind={behind}
          switches={switches}
        />
      )}
    </>
  );
}
