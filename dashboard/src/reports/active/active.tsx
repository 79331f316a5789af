// Active users: daily, weekly and monthly in one chart and one table, and the stickiness of the product.
import {activeQuestionForm} from '../../address/active-address';
import {activeAsked, activeUntilQuestion} from '../../address/active-asked';
import {isShared} from '../../address/base';
import {writeAddress} from '../../address/codec';
import {wallMs} from '../../address/zone';
import {datesText} from '../../charts/format';
import {useFirstDay} from '../../service/first-day';
import {oldest} from '../../service/freshness';
import {useReports} from '../../service/reports';
import {useAddress} from '../../service/use-address';
import {Card} from '../../shell/card';
import {later} from '../../shell/later';
import type {PinProps} from '../../shell/pin-button';
import {Question} from '../../shell/question';
import {ReportBody} from '../../shell/report-body';
import {ReportHead} from '../../shell/report-head';
import {todayIn} from '../../shell/zone-day';
import {rowOf} from './active-behind';
import {type AskedActive, ofMetrics, useDrawnActive} from './active-drawn';
import {ActiveForm} from './active-form';
import type {ByValueProps} from './by-value';
import {countedHow} from './metrics';
import {Numbers} from './numbers';
import {StickinessCard} from './stickiness-card';
import {UsersCard} from './users-card';
import '../../design/builder.css';
import './active.css';

const ByValue = later<ByValueProps>(() => import('./by-value').then(({ByValue: Part}) => Part));

const AnnotationsButton = later<{readonly zone: string; readonly isHour: boolean}>(() =>
  import('../../shell/annotations-button').then(({AnnotationsButton: Part}) => Part),
);
const PinButton = later<PinProps>(() => import('../../shell/pin-button').then(({PinButton: Part}) => Part));

const dayOf = (seconds: number): number => Math.floor(seconds / 86_400);

export function ActiveUsers() {
  const {question, problems, ask} = useAddress(activeQuestionForm);
  const {zone} = question;
  const place = {zone, today: todayIn(zone)};
  const since = useFirstDay(wallMs, zone);
  const onDay = activeAsked(question, place.today, since);
  const {days, interval, past, asks, pastAsks} = onDay;
  const what = `${question.event ?? 'event'}${question.where.length === 0 ? '' : ' that passes the filters'}`;
  const dates = datesText(days, place.today);
  const asked: AskedActive = {question, dates, days, interval, past, asks, pastAsks, what, zone};
  const main = useReports(asked, [...asks, ...pastAsks]);
  const {shown} = main;
  const asksUntil = activeUntilQuestion(question, onDay, place.today, shown?.freshness?.asOfMs);
  const until = useReports(undefined, asksUntil && [asksUntil]).shown;
  const drawn = useDrawnActive(shown, asked);
  const {lines, chart, moment} = drawn;
  return (
    <>
      <ReportHead
        title="Active users"
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
          <ActiveForm question={question} days={days} onChange={ask} />
        </Question>
        <div class="builder-result active-result">
          <div class="row">
            <UsersCard
              main={main}
              until={until}
              drawn={drawn}
              today={place.today}
              tools={
                drawn.sticky !== undefined && (
                  <>
                    <PinButton
                      page="/active"
                      form={activeQuestionForm}
                      search={writeAddress(activeQuestionForm, question)}
                    />
                    {!isShared && <AnnotationsButton zone={drawn.zone} isHour={drawn.interval === 'hour'} />}
                  </>
                )
              }
              onRange={(from, to) => ask({range: {kind: 'days', from: dayOf(from), to: dayOf(to)}, every: null})}
            >
              <p class="page-note under-chart">
                {countedHow[drawn.interval]} A user is active with at least one {shown?.question.what}. The users in all
                are each counted once for the whole range: they are not the sum of the points.
              </p>
            </UsersCard>
          </div>
          {(shown === undefined || !drawn.isNobody) && (
            <div class="row">
              <StickinessCard main={main} drawn={drawn} />
              <Card span={5} title="In numbers" note={`by the ${drawn.interval}`}>
                <ReportBody asking={main} reports={ofMetrics(shown)}>
                  {() => <Numbers lines={lines} shown={shown!} moment={(at) => moment(chart.times[at]!)} />}
                </ReportBody>
              </Card>
            </div>
          )}
          {question.by !== null && (
            <div class="row">
              <ByValue question={question} by={question.by} days={days} interval={interval} behind={rowOf(asked)} />
            </div>
          )}
        </div>
      </div>
    </>
  );
}
