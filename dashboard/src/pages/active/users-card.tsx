// The card with the lines of daily, weekly and monthly users, and the users in all.
import {useState} from 'preact/hooks';
import type {ActiveAnswer} from '../../../../src/edge/answers/active-users.js';
import {type ActiveQuestion, activeQuestionForm} from '../../address/active-address';
import {isShared} from '../../address/base';
import {writeAddress} from '../../address/codec';
import {csvRows} from '../../charts/charted';
import {linesNote} from '../../charts/comparison';
import {count} from '../../charts/format';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import type {Asking, Shown} from '../../service/reports';
import {Card} from '../../shell/card';
import {ChangeText} from '../../shell/change-text';
import {Explained, explaining} from '../../shell/explained';
import {later} from '../../shell/later';
import {CsvButton, CurlButton, TableButton} from '../../shell/page-tools';
import type {PinProps} from '../../shell/pin-button';
import {ReportBody} from '../../shell/report-body';
import {allOf, pointOf} from './active-behind';
import {type AskedActive, type DrawnActive, ofMetrics} from './active-drawn';
import {countedHow} from './metrics';

const PinButton = later<PinProps>(() => import('../../shell/pin-button').then(({PinButton: Part}) => Part));

export function UsersCard({
  question,
  main,
  until,
  drawn,
  today,
  onRange,
}: {
  readonly question: ActiveQuestion;
  readonly main: Asking<AskedActive>;
  /** The compared range up to the same moment, while a bucket is open. */
  readonly until: Shown<unknown> | undefined;
  readonly drawn: DrawnActive;
  readonly today: number;
  /** Asks for these days, epoch seconds. */
  readonly onRange: (from: number, to: number) => void;
}) {
  const [isTable, setTable] = useState(false);
  const {shown} = main;
  const {lines, chart, interval, zone, moment, asOfMs, openText, sticky} = drawn;
  const props = {...chart, label: 'Active users', clock: interval === 'hour', zone, moment};
  return (
    <Card
      span={12}
      title="Active users"
      note={shown && linesNote({past: shown.question.past, isOpen: chart.openFrom !== undefined, asOfMs, today, zone})}
      sum={shown && <Total shown={shown} until={until} isOpen={chart.openFrom !== undefined} />}
      tools={
        sticky !== undefined && (
          <>
            <CurlButton paths={shown!.question.paths} />
            <PinButton page="/active" form={activeQuestionForm} search={writeAddress(activeQuestionForm, question)} />
            <CsvButton file="active-users" rows={() => csvRows(lines)} />
            <TableButton isTable={isTable} onChange={setTable} />
          </>
        )
      }
    >
      <ReportBody asking={main} reports={ofMetrics(shown)} lines={9}>
        {() => (
          <>
            {isTable ? (
              <TimeTable
                {...props}
                onNumber={(at, index) =>
                  (explaining.value = pointOf(shown!, lines[index]!, index, at, moment(chart.times[at]!)))
                }
              />
            ) : (
              <TimeChart {...props} isApart height={330} openText={openText} {...(!isShared && {onRange})} />
            )}
            <p class="page-note under-chart">
              {countedHow[interval]} A user is active with at least one {shown?.question.what}. The users in all are
              each counted once for the whole range: they are not the sum of the points.
            </p>
          </>
        )}
      </ReportBody>
    </Card>
  );
}

/** Users in all, with the change against the compared range. */
function Total({
  shown,
  until,
  isOpen,
}: {
  readonly shown: Shown<AskedActive>;
  readonly until: Shown<unknown> | undefined;
  readonly isOpen: boolean;
}) {
  const totalIn = (reports: Shown<unknown>['reports'] | undefined): number | undefined =>
    (reports?.[0]?.value as ActiveAnswer | undefined)?.total;
  const {past, pastPaths} = shown.question;
  const total = totalIn(shown.reports);
  const before = isOpen ? totalIn(until?.reports) : totalIn(pastPaths.slice(0, 1).map((path) => shown.of(path)));
  if (total === undefined) return null;
  return (
    <>
      <b>
        <Explained text={count(total)} of="distinct users in all" behind={allOf(shown, total)} />
      </b>{' '}
      distinct users in all
      {past !== undefined && (
        <>
          {' · '}
          <ChangeText now={total} before={before} isMoreBetter />
        </>
      )}
    </>
  );
}
