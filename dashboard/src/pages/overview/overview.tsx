// The first page: how the product does, without anything to set up. It shows what is most frequent.

import type {NamesAnswer} from '../../../../src/edge/answers/lists.js';
import {comparedDays, pastSoFar} from '../../address/compared';
import {daysOf, type Range} from '../../address/range';
import {countsQuestion, intervalOf, namesMax, namesQuestion, overviewForm} from '../../address/report-address';
import {homeZone, wallMs} from '../../address/zone';
import {useFirstDay} from '../../service/first-day';
import {oldest} from '../../service/freshness';
import {useReports} from '../../service/reports';
import {useAddress} from '../../service/use-address';
import {later} from '../../shell/later';
import {ReportHead} from '../../shell/report-head';
import {Loading} from '../../shell/states';
import {todayIn} from '../../shell/zone-day';
import type {TilesProps} from './tiles';
import {useTiles} from './tiles-asked';
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

const Tiles = later<TilesProps>(
  () => import('./tiles').then(({Tiles: Part}) => Part),
  <div class="row tiles">
    {[0, 1, 2, 3].map((at) => (
      <section key={at} class="card tile span-3">
        <Loading lines={1} />
      </section>
    ))}
  </div>,
);

const trendMax = 3;

export function Overview() {
  const {question, problems, ask} = useAddress(overviewForm);
  const {not_segment} = question;
  const zone = question.zone ?? homeZone();
  const scope = {zone, not_segment};
  const today = todayIn(zone);
  const days = {...daysOf(question.range, today), ...scope};
  const interval = intervalOf(question.every, days);
  const since = useFirstDay(zone);
  const compared = comparedDays(days, interval, question.compare, since);
  const past = compared && {...compared, ...scope};
  const asked = {days, interval, past};

  const names = useReports(asked, [namesQuestion(days, namesMax)]);
  const listed = names.shown?.reports[0]?.value as NamesAnswer | undefined;
  const asOf = names.shown?.freshness?.asOfMs;
  const asOfMs = asOf === undefined ? undefined : wallMs(zone, asOf);

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

  const soFar = pastSoFar(past, days, today, asOfMs) ?? past;
  const isPastAsked = soFar !== undefined && asOfMs !== undefined;
  const pastNames = useReports(asked, isPastAsked ? [namesQuestion(soFar, namesMax)] : undefined);

  const tiles = useTiles(Math.min(days.to, today), today, since, scope);

  const zoom = (range: Range): void => ask({range, every: null});

  const isNothing = listed !== undefined && listed.data.length === 0 && !names.isOther && not_segment === null;
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
        place={{zone, today}}
        notSegment={not_segment}
        ask={ask}
      />
      {isNothing ? (
        <NoEvents days={days} />
      ) : (
        <>
          <Tiles tiles={tiles} />
          <div class="row">
            <TrendCard trend={trend} names={names} onRange={zoom} />
            <TopEvents
              names={names}
              pastNames={past && pastNames}
              range={question.range}
              zone={zone}
              notSegment={not_segment}
            />
          </div>
          <FirstBoard
            range={question.range}
            isChosen={question.range !== overviewForm.range.absent}
            every={interval}
            notSegment={not_segment}
            onRange={zoom}
          />
        </>
      )}
    </>
  );
}
