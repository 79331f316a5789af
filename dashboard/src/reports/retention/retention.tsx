// Retention: of those who began, how many came back, by the period in which they began.

import type {RetentionAnswer} from '../../../../src/edge/answers/engagement.js';
import {writeAddress} from '../../address/codec';
import {periodLengths, retentionForm, retentionQuestion, usualPeriod} from '../../address/engagement-address';
import {daysOf} from '../../address/range';
import {retentionRule} from '../../address/retention-rule';
import {wallMs} from '../../address/zone';
import {CohortTable, cohortName} from '../../charts/cohort-table';
import {cohortsOf} from '../../charts/cohorts';
import {count, datesText} from '../../charts/format';
import {useSuggestedEvent} from '../../controls/suggested-event';
import {useReports} from '../../service/reports';
import {useAddress} from '../../service/use-address';
import {Card} from '../../shell/card';
import type {EmptyDaysProps} from '../../shell/empty-days';
import type {Behind} from '../../shell/explained';
import {later} from '../../shell/later';
import type {PinProps} from '../../shell/pin-button';
import {Question} from '../../shell/question';
import {ReportBody} from '../../shell/report-body';
import {ReportHead} from '../../shell/report-head';
import {Empty, FaultBox, Loading} from '../../shell/states';
import {todayIn} from '../../shell/zone-day';
import type {CurveCardProps} from './curve-card';
import {RetentionForm} from './retention-form';
import {type RetentionAsked, retentionOf} from './retention-number';
import '../../design/reports.css';
import '../../design/builder.css';

const EmptyDays = later<EmptyDaysProps>(() => import('../../shell/empty-days').then(({EmptyDays: Part}) => Part));
const PinButton = later<PinProps>(() => import('../../shell/pin-button').then(({PinButton: Part}) => Part));

const CurveCard = later<CurveCardProps>(
  () => import('./curve-card').then(({CurveCard: Part}) => Part),
  <div class="card span-12">
    <Loading lines={6} />
  </div>,
);

export function Retention() {
  const {question, problems, ask, suggest} = useAddress(retentionForm);
  const place = {zone: question.zone, today: todayIn(question.zone)};
  const days = {...daysOf(question.range, place.today), zone: question.zone};
  const interval = question.every ?? usualPeriod(days);
  const {start} = question;
  const suggesting = useSuggestedEvent(start !== null, days, (name) => suggest({start: name}));
  const asking = useReports<RetentionAsked>(
    {question, days, interval},
    start === null ? undefined : [retentionQuestion(question, start, days, interval)],
  );
  const {shown} = asking;
  const report = shown?.reports[0];
  const answer = report?.value as RetentionAnswer | undefined;
  const shownInterval = shown?.question.interval ?? interval;
  const asOfMs = wallMs(shown?.question.question.zone ?? question.zone, shown?.freshness?.asOfMs ?? 0);
  const cohorts = answer && cohortsOf(answer, shownInterval, asOfMs);
  const behind = (value: number, size: number, cohort: number | undefined, period: number | undefined): Behind => {
    const row = cohort === undefined ? undefined : cohorts!.rows[cohort];
    const at = row && {
      at: answer!.cohorts.findIndex(({date}) => date === row.date),
      name: cohortName(row.date, shown!.question.interval),
    };
    return retentionOf(shown!, value, size, at, period);
  };
  const users = cohorts?.rows.reduce((all, {size}) => all + size, 0);
  return (
    <>
      <ReportHead
        title="Retention"
        freshness={shown?.freshness}
        problems={problems}
        range={question.range}
        place={place}
        interval={interval}
        offered={periodLengths}
        ask={({range, every}) => ask({...(range && {range}), ...(every === undefined ? {} : {every})})}
      />
      <div class="builder">
        <Question>
          <RetentionForm question={question} days={days} onChange={ask} />
        </Question>
        <div class="row builder-result">
          {start === null ? (
            <Card span={12} title="Retention">
              {suggesting.fault !== undefined ? (
                <FaultBox fault={suggesting.fault} onAgain={suggesting.again} />
              ) : suggesting.isNone ? (
                <EmptyDays title="No event in these days">Choose other days.</EmptyDays>
              ) : (
                <Loading lines={6} />
              )}
            </Card>
          ) : (
            <>
              <CurveCard
                title="Curve"
                asking={asking}
                interval={interval}
                tools={
                  <PinButton page="/retention" form={retentionForm} search={writeAddress(retentionForm, question)} />
                }
              />
              <Card
                span={12}
                title="Cohorts"
                note={`${users === undefined ? '' : `${count(users)} users, `}${datesText(days, place.today)}, ${question.zone}`}
              >
                <ReportBody asking={asking} reports={shown?.reports ?? []} lines={8}>
                  {() =>
                    cohorts!.rows.length === 0 ? (
                      <Empty title="Nobody began in these days">
                        No user did {shown!.question.question.start} for the first time {datesText(days, place.today)}.
                        Choose other days, another event, or count everybody who did it in these days again.
                      </Empty>
                    ) : (
                      <>
                        <CohortTable
                          cohorts={cohorts!}
                          overall={answer!.overall}
                          interval={shownInterval}
                          show={question.show}
                          behind={behind}
                        />
                        <p class="page-note under-chart">
                          {retentionRule(shown!.question.question, start, shownInterval)} Dashed: the period is not over
                          for everybody, so the number may still grow; it is not in the first row.
                          {cohorts!.leftOut > 0 &&
                            ` ${count(cohorts!.leftOut)} earlier ${cohorts!.leftOut === 1 ? 'cohort' : 'cohorts'} of nobody ${cohorts!.leftOut === 1 ? 'is' : 'are'} left out; the CSV has all.`}
                        </p>
                      </>
                    )
                  }
                </ReportBody>
              </Card>
            </>
          )}
        </div>
      </div>
    </>
  );
}
