// What Paths answers: its steps as columns.
import type {PathsAnswer} from '../../../../src/edge/answers/engagement.js';
import {askedOver, type Draft} from '../../address/page-question';
import {count, datesText} from '../../charts/format';
import {pathCsv} from '../../charts/path-columns';
import {useReports} from '../../service/reports';
import {Card} from '../../shell/card';
import {Explained} from '../../shell/explained';
import {ReportTools} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {type ResultProps, useFresh} from '../report';
import {turnOf} from './behind';
import {Columns, type PathsAsked, placeOf} from './columns';

export function Result(props: ResultProps<Draft<'paths'>>) {
  const {question, days, today, tile, tools} = props;
  const dates = datesText(days, today);
  const asking = useReports<PathsAsked>({question, days, dates}, [askedOver(question, days)]);
  const {shown} = asking;
  useFresh(props, shown?.freshness);
  const report = shown?.reports[0];
  const answer = report?.value as PathsAnswer | undefined;
  const users = answer?.steps[0]?.[0]?.users ?? 0;
  return (
    <Card
      span={12}
      title={tile?.title ?? 'Paths'}
      note={`one path a user${tile ? '' : `, ${dates}, ${days.zone}`}`}
      address={tile?.address}
      sum={
        answer !== undefined && (
          <>
            <b>
              <Explained
                text={count(users)}
                of="users"
                behind={placeOf(shown!, {users, total: users, step: 1, name: turnOf(shown!.question.question).event})}
              />
            </b>{' '}
            users
          </>
        )
      }
      tools={
        <>
          {tools}
          {answer !== undefined && (
            <ReportTools paths={[report!.path]} csv={{file: 'paths', rows: () => pathCsv(answer)}} />
          )}
        </>
      }
    >
      {tile?.before}
      <ReportBody asking={asking} reports={shown?.reports ?? []} lines={8}>
        {() => <Columns key={report!.path} answer={answer!} shown={shown!} />}
      </ReportBody>
    </Card>
  );
}
