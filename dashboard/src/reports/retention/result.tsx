// What Retention answers: the curve, and on its page the cohorts.
import {usualPeriod} from '../../../../src/asks/question/usual.js';
import type {RetentionAnswer} from '../../../../src/edge/answers/engagement.js';
import {askedOver, type Draft} from '../../address/page-question';
import type {Interval} from '../../address/range';
import {wallMs} from '../../address/zone';
import {CohortTable, cohortName} from '../../charts/cohort-table';
import {cohortsOf} from '../../charts/cohorts';
import {count, datesText} from '../../charts/format';
import {type Asking, useReports} from '../../service/reports';
import {Card} from '../../shell/card';
import type {Behind} from '../../shell/explained';
import {ReportBody} from '../../shell/report-body';
import {Empty} from '../../shell/states';
import {type ResultProps, useFresh} from '../report';
import {retentionRule} from './behind';
import {CurveCard} from './curve-card';
import {type RetentionAsked, retentionOf} from './retention-number';

export function Result(props: ResultProps<Draft<'retention'>>) {
  const {question, days, tile, tools} = props;
  const interval = question.interval ?? usualPeriod(days);
  const asked = [askedOver(question, days, interval)];
  const asking = useReports<RetentionAsked>({question, days, interval}, asked);
  useFresh(props, asking.shown?.freshness);
  return (
    <>
      <CurveCard asking={asking} interval={interval} tile={tile} tools={tools} />
      {!tile && <Cohorts {...props} asking={asking} interval={interval} />}
    </>
  );
}

function Cohorts({
  question,
  days,
  today,
  asking,
  ...asked
}: Pick<ResultProps<Draft<'retention'>>, 'question' | 'days' | 'today'> & {
  readonly asking: Asking<RetentionAsked>;
  readonly interval: Interval;
}) {
  const {shown} = asking;
  const answer = shown?.reports[0]?.value as RetentionAnswer | undefined;
  const interval = shown?.question.interval ?? asked.interval;
  const asOfMs = wallMs((shown?.question.days ?? days).zone, shown?.freshness?.asOfMs ?? 0);
  const cohorts = answer && cohortsOf(answer, interval, asOfMs);
  const behind = (value: number, size: number, cohort: number | undefined, period: number | undefined): Behind => {
    const row = cohort === undefined ? undefined : cohorts!.rows[cohort];
    const at = row && {
      at: answer!.cohorts.findIndex(({date}) => date === row.date),
      name: cohortName(row.date, shown!.question.interval),
    };
    return retentionOf(shown!, value, size, at, period);
  };
  const users = cohorts?.rows.reduce((all, {size}) => all + size, 0);
  const dates = datesText(days, today);
  return (
    <Card
      span={12}
      title="Cohorts"
      note={`${users === undefined ? '' : `${count(users)} users, `}${dates}, ${days.zone}`}
    >
      <ReportBody asking={asking} reports={shown?.reports ?? []} lines={8}>
        {() =>
          cohorts!.rows.length === 0 ? (
            <Empty title="Nobody began in these days">
              No user did {shown!.question.question.start.event} for the first time {dates}. Choose other days, another
              event, or count everybody who did it in these days again.
            </Empty>
          ) : (
            <>
              <CohortTable
                cohorts={cohorts!}
                overall={answer!.overall}
                interval={interval}
                show={question.view?.show ?? 'share'}
                behind={behind}
              />
              <p class="page-note under-chart">
                {retentionRule(shown!.question.question, question.start.event, interval)} Dashed: the period is not over
                for everybody, so the number may still grow; it is not in the first row.
                {cohorts!.leftOut > 0 &&
                  ` ${count(cohorts!.leftOut)} earlier ${cohorts!.leftOut === 1 ? 'cohort' : 'cohorts'} of nobody ${cohorts!.leftOut === 1 ? 'is' : 'are'} left out; the CSV has all.`}
              </p>
            </>
          )
        }
      </ReportBody>
    </Card>
  );
}
