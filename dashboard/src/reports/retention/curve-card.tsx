// The share that returned by period, over all cohorts whose period is complete, in a card.
import type {RetentionAnswer} from '../../../../src/edge/answers/engagement.js';
import type {Interval} from '../../address/range';
import {cohortCsv} from '../../charts/cohorts';
import {percent} from '../../charts/format';
import {RetentionCurve} from '../../charts/retention-curve';
import type {Asking} from '../../service/reports';
import {Card} from '../../shell/card';
import {Explained} from '../../shell/explained';
import {ReportTools} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import type {ResultProps} from '../report';
import {type RetentionAsked, retentionOf} from './retention-number';

export function CurveCard({
  asking,
  interval,
  tile,
  tools,
}: Pick<ResultProps<unknown>, 'tile' | 'tools'> & {
  readonly asking: Asking<RetentionAsked>;
  /** Of the question that is asked now. */
  readonly interval: Interval;
}) {
  const {shown} = asking;
  const report = shown?.reports[0];
  const answer = report?.value as RetentionAnswer | undefined;
  const period = shown?.question.interval ?? interval;
  const note = `share that returned, by ${period}s after the start`;
  const first = answer?.overall[1];
  return (
    <Card
      span={12}
      title={tile?.title ?? 'Curve'}
      note={note}
      address={tile?.address}
      sum={
        answer !== undefined && (
          <>
            <b>
              {first?.rate == null ? (
                '–'
              ) : (
                <Explained
                  text={percent(first.rate)}
                  of={`return in ${period} 1`}
                  behind={retentionOf(shown!, first.count, first.size, undefined, 1)}
                />
              )}
            </b>{' '}
            return in {period} 1
          </>
        )
      }
      tools={
        <>
          {tools}
          {answer !== undefined && (
            <ReportTools paths={[report!.path]} csv={{file: 'retention', rows: () => cohortCsv(answer)}} />
          )}
        </>
      }
    >
      {tile?.before}
      <ReportBody asking={asking} reports={shown?.reports ?? []} lines={6}>
        {() => (
          <RetentionCurve
            label={`Retention of ${shown!.question.question.start.event}`}
            rates={answer!.overall.map(({rate}) => rate)}
          />
        )}
      </ReportBody>
    </Card>
  );
}
