// The first page: how the product does, without anything to set up. It shows what is most frequent.
import type {NamesAnswer} from '../../../../src/edge/answers/lists.js';
import {comparedDays, pastSoFar} from '../../address/compared';
import {daysOf, type Range} from '../../address/range';
import {countsQuestion, intervalOf, namesMax, namesQuestion, overviewForm} from '../../address/report-address';
import {useFirstDay} from '../../service/first-day';
import {oldest} from '../../service/freshness';
import {useReports} from '../../service/reports';
import {today} from '../../service/today';
import {useAddress} from '../../service/use-address';
import {later} from '../../shell/later';
import {ReportHead} from '../../shell/report-head';
import {Loading} from '../../shell/states';
import {Tiles, useTiles} from './tiles';
import type {TopEventsProps} from './top-events';
import {TrendCard} from './trend-card';
import './overview.css';

const NoEvents = later(() => import('./no-events').then(({NoEvents: Part}) => Part), <Loading lines={6} />);

const FirstBoard = later(() => import('./first-board').then(({FirstBoard: Part}) => Part), <Loading lines={8} />);

const TopEvents = later<TopEventsProps>(
  () => import('./top-events').then(({TopEvents: Part}) => Part),
  <div class="card span-4">
    <Loading lines={8} />
  </div>,
);

const trendMax = 3;

export function Overview() {
  const {question, problems, ask} = useAddress(overviewForm);
  const days = daysOf(question.range, today.value);
  const interval = intervalOf(question.every, days);
  const since = useFirstDay();
  const past = comparedDays(days, interval, question.compare, since);
  const asked = {days, interval, past};

  const names = useReports(asked, [namesQuestion(days, namesMax)]);
  const listed = names.shown?.reports[0]?.value as NamesAnswer | undefined;
  const asOfMs = names.shown?.freshness?.asOfMs;

  const trendNames = listed?.data.slice(0, trendMax).map(({name}) => name) ?? [];
  const lines = trendNames.map((event) => ({
    event,
    asks: countsQuestion(event, days, interval),
    asksPast: past && countsQuestion(event, past, interval),
  }));
  const trend = useReports(
    {...asked, lines},
    lines.length === 0 ? undefined : lines.flatMap(({asks, asksPast}) => (asksPast ? [asks, asksPast] : [asks])),
  );

  const soFar = pastSoFar(past, days, today.value, asOfMs) ?? past;
  const isPastAsked = soFar !== undefined && asOfMs !== undefined;
  const pastNames = useReports(asked, isPastAsked ? [namesQuestion(soFar, namesMax)] : undefined);

  const tiles = useTiles(Math.min(days.to, today.value), since);

  const zoom = (range: Range): void => ask({range, every: null});

  const isNothing = listed !== undefined && listed.data.length === 0 && !names.isOther;
  return (
    <>
      <ReportHead
        title="Overview"
        isQuestion={false}
        freshness={oldest([names, trend, pastNames, ...tiles.asking].map(({shown}) => shown?.freshness))}
        problems={problems}
        range={question.range}
        interval={interval}
        compare={question.compare}
        since={since}
        ask={ask}
      />
      {isNothing ? (
        <NoEvents days={days} />
      ) : (
        <>
          <Tiles tiles={tiles} />
          <div class="row">
            <TrendCard trend={trend} names={names} onRange={zoom} />
            <TopEvents names={names} pastNames={past && pastNames} range={question.range} />
          </div>
          <FirstBoard
            range={question.range}
            isChosen={question.range !== overviewForm.range.absent}
            every={interval}
            onRange={zoom}
          />
        </>
      )}
    </>
  );
}
