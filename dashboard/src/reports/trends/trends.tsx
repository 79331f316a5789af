// Events over time: up to six series, each of one event, one measure and its own conditions, or the rows of a breakdown of them.
import {useState} from 'preact/hooks';
import {labelsOf, trendsForm, withSeries} from '../../address/trends-address';
import {type TrendsAsked, trendsAsked, trendsQuestions, trendsUntil} from '../../address/trends-asked';
import {wallMs} from '../../address/zone';
import {datesText} from '../../charts/format';
import type {SeriesLine} from '../../charts/series-lines';
import {useSuggestedEvent} from '../../controls/suggested-event';
import {useFirstDay} from '../../service/first-day';
import {oldest} from '../../service/freshness';
import {useReports} from '../../service/reports';
import {useAddress} from '../../service/use-address';
import type {Behind} from '../../shell/explained';
import {later} from '../../shell/later';
import {Question} from '../../shell/question';
import {ReportHead} from '../../shell/report-head';
import {FaultBox, Loading} from '../../shell/states';
import {todayIn} from '../../shell/zone-day';
import type {CommonFormProps} from './common-form';
import {LinesCard} from './lines-card';
import type {NoEventAskedProps} from './no-event-asked';
import type {NumbersCardProps} from './numbers-card';
import {SeriesForm} from './series-form';
import type {ExplainedColumn} from './series-table';
import {lineBehind, quotientOf} from './trends-behind';

import {useDrawnTrends} from './trends-drawn';
import '../../design/builder.css';
import './trends.css';

const CommonForm = later<CommonFormProps>(
  () => import('./common-form').then(({CommonForm: Part}) => Part),
  <div class="card">
    <Loading lines={4} />
  </div>,
);

const NumbersCard = later<NumbersCardProps>(() => import('./numbers-card').then(({NumbersCard: Part}) => Part));

const NoEventAsked = later<NoEventAskedProps>(() => import('./no-event-asked').then(({NoEventAsked: Part}) => Part));

const mostFrequent = (names: readonly string[]): string | undefined => names[0];

export function Trends() {
  const {question, problems, ask, suggest} = useAddress(trendsForm);
  const [isCleared, setCleared] = useState(false);
  const {zone} = question;
  const place = {zone, today: todayIn(zone)};
  const since = useFirstDay(wallMs, zone);
  const asked = trendsAsked(question, place.today, since);
  const {series, days, interval} = asked;
  const suggesting = useSuggestedEvent(
    series.length > 0 || isCleared,
    days,
    (event) => suggest({event: [event]}),
    mostFrequent,
  );

  const main = useReports<TrendsAsked>(asked, series.length === 0 ? undefined : trendsQuestions(asked));
  const {shown} = main;
  const asOfMs = shown?.freshness?.asOfMs;
  const wallAsOfMs = asOfMs === undefined ? undefined : wallMs(zone, asOfMs);
  const soFar = trendsUntil(asked, place.today, asOfMs);
  const until = useReports(soFar, soFar?.asks).shown;

  const drawn = useDrawnTrends(shown, question, asked);
  const {lines, divided, chart, moment, say} = drawn;
  const dates = datesText(drawn.asked.days, place.today);
  const behind = (line: SeriesLine, value: number, column: ExplainedColumn): Behind => {
    const quotient = divided.find((one) => one === line);
    if (quotient !== undefined) return quotientOf(quotient, say!(value), dates, shown!);
    if (column !== 'last') return lineBehind(shown!, line, {value, when: dates, isUsers: column === 'users'});
    const at = (chart.openFrom ?? chart.times.length) - 1;
    return lineBehind(shown!, line, {value, when: moment(chart.times[at]!), at});
  };
  return (
    <>
      <ReportHead
        title="Trends"
        freshness={oldest([shown?.freshness, until?.freshness])}
        problems={problems}
        range={question.range}
        interval={interval}
        compare={question.compare}
        since={since}
        place={place}
        ask={ask}
      />
      <div class="builder">
        <Question>
          <div class="builder-forms">
            <SeriesForm
              series={series}
              days={days}
              onChange={(changed) => {
                setCleared(changed.length === 0);
                // The others have other numbers then.
                ask({...withSeries(changed), ...(changed.length < series.length && {divide: null})});
              }}
            />
            <CommonForm
              common={question}
              labels={labelsOf(series)}
              event={series.length === 1 ? (series[0]!.event ?? undefined) : undefined}
              days={days}
              interval={interval}
              onChange={ask}
            />
          </div>
        </Question>
        <div class="row builder-result">
          <LinesCard
            question={question}
            main={main}
            drawn={drawn}
            asOfMs={wallAsOfMs}
            today={place.today}
            onRange={(from, to) =>
              ask({
                range: {kind: 'days', from: dayAt(from, drawn.asked.days.from), to: dayAt(to, drawn.asked.days.to)},
                every: null,
              })
            }
          >
            {suggesting.fault !== undefined ? (
              <FaultBox fault={suggesting.fault} onAgain={suggesting.again} />
            ) : isCleared || suggesting.isNone ? (
              <NoEventAsked dates={dates} />
            ) : (
              <Loading lines={8} />
            )}
          </LinesCard>
          {series.length > 0 && lines.length > 0 && (
            <NumbersCard
              shown={shown!}
              until={until}
              drawn={drawn}
              asOfMs={wallAsOfMs}
              today={place.today}
              behind={behind}
            />
          )}
        </div>
      </div>
    </>
  );
}

const dayAt = (seconds: number, fallback: number): number =>
  Number.isFinite(seconds) ? Math.floor(seconds / 86_400) : fallback;
