// Pinned paths.
import type {PathsAnswer} from '../../../../src/edge/answers/engagement.js';
import {pageAddress} from '../../address/base';
import {readAddress, writeAddress} from '../../address/codec';
import {pathsForm, pathsQuestion} from '../../address/engagement-address';
import {count, datesText} from '../../charts/format';
import {pathCsv} from '../../charts/path-columns';
import {today} from '../../service/today';
import {Card} from '../../shell/card';
import {Explained} from '../../shell/explained';
import {CsvButton, CurlButton} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {Lost, NoEventNamed} from '../lost';
import {type TileProps, useTile} from '../tile';
import {Columns, type PathsAsked, placeOf} from './columns';

export function PinnedPaths({search, range, days, tools, onFresh}: TileProps) {
  const {question, problems} = readAddress(pathsForm, search);
  const {event, direction} = question;
  const asked: PathsAsked = {question, days, dates: datesText(days, today.value)};
  const asking = useTile(onFresh, asked, event === null ? undefined : [pathsQuestion(question, event, days)]);
  const {shown} = asking;
  const report = shown?.reports[0];
  const answer = report?.value as PathsAnswer | undefined;
  const users = answer?.steps[0]?.[0]?.users ?? 0;
  const title = event === null ? 'Paths' : `Paths ${direction} ${event}`;
  const address = pageAddress('/paths') + writeAddress(pathsForm, {...question, range});
  return (
    <Card
      span={12}
      title={title}
      note="one path a user"
      address={address}
      sum={
        answer !== undefined && (
          <>
            <b>
              <Explained
                text={count(users)}
                of="users"
                behind={placeOf(shown!, {users, total: users, step: 1, name: shown!.question.question.event!})}
              />
            </b>{' '}
            users
          </>
        )
      }
      tools={
        <>
          {answer !== undefined && (
            <>
              <CurlButton paths={[report!.path]} />
              <CsvButton file="paths" rows={() => pathCsv(answer)} />
            </>
          )}
          {tools(title)}
        </>
      }
    >
      <Lost problems={problems} />
      {event === null ? (
        <NoEventNamed />
      ) : (
        <ReportBody asking={asking} reports={shown?.reports ?? []} lines={8}>
          {() => <Columns key={report!.path} answer={answer!} shown={shown!} />}
        </ReportBody>
      )}
    </Card>
  );
}
