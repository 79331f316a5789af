// The card with the lines of daily, weekly and monthly users, and the users in all.
import type {ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';
import {flatOf} from '../../../../src/asks/question/flat.js';
import type {ActiveAnswer} from '../../../../src/edge/answers/active-users.js';
import {csvRows} from '../../charts/charted';
import {ChosenPoints} from '../../charts/chosen-points';
import {linesNote} from '../../charts/comparison';
import {count} from '../../charts/format';
import {onCrosshair, useMarks} from '../../charts/marks';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import type {Asking, Shown} from '../../service/reports';
import {Card} from '../../shell/card';
import {ChangeText} from '../../shell/change-text';
import type {EmptyDaysProps} from '../../shell/empty-days';
import {Explained, explaining} from '../../shell/explained';
import {later} from '../../shell/later';
import {ReportTools} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import type {ResultProps} from '../report';
import {allOf, pointOf} from './active-behind';
import {type AskedActive, type DrawnActive, ofMetrics} from './active-drawn';

const EmptyDays = later<EmptyDaysProps>(() => import('../../shell/empty-days').then(({EmptyDays: Part}) => Part));

export function UsersCard({
  main,
  until,
  drawn,
  today,
  tile,
  tools,
  children,
  onRange,
}: Pick<ResultProps<unknown>, 'today' | 'tile' | 'tools' | 'onRange'> & {
  readonly main: Asking<AskedActive>;
  /** The compared range up to the same moment, while a bucket is open. */
  readonly until: Shown<unknown> | undefined;
  readonly drawn: DrawnActive;
  /** Stands below the chart. */
  readonly children: ComponentChildren;
}) {
  const title = tile?.title ?? 'Active users';
  const [isTable, setTable] = useState(false);
  const {shown} = main;
  const {lines, chart, interval, zone, moment, asOfMs, openText, sticky, isNobody} = drawn;
  const marks = useMarks(chart.times, shown?.question.days.to ?? 0, zone);
  const props = {...chart, label: title, clock: interval === 'hour', zone, moment};
  const isOpen = chart.openFrom !== undefined;
  const {events = [], where = [], users} = shown?.question.question ?? {};
  const isNarrow = events.length + where.length + (users?.where ?? []).length > 0;
  const explainPoint = (at: number, index: number): void => {
    explaining.value = pointOf(shown!, lines[index]!, index, at, moment(chart.times[at]!));
  };
  return (
    <Card
      span={12}
      title={title}
      address={tile?.address}
      note={shown && linesNote({what: `by the ${interval}`, past: shown.question.past, isOpen, asOfMs, today, zone})}
      sum={shown && <Total shown={shown} until={until} isOpen={isOpen} />}
      tools={
        <>
          {tools}
          {sticky !== undefined && (
            <ReportTools
              paths={shown!.question.asks.map(flatOf)}
              csv={{file: 'active-users', rows: () => csvRows(lines)}}
              table={{isTable, onChange: setTable}}
            />
          )}
        </>
      }
    >
      {tile?.before}
      <ReportBody asking={main} reports={ofMetrics(shown)} lines={9}>
        {() => (
          <>
            {isNobody ? (
              <EmptyDays title="Nobody was active in these days">
                Choose other days{isNarrow && ', any event or fewer filters'}.
              </EmptyDays>
            ) : isTable ? (
              <TimeTable {...props} onNumber={explainPoint} />
            ) : (
              <ChosenPoints lines={chart} onNumber={explainPoint}>
                <TimeChart
                  {...props}
                  isApart
                  height={tile ? 250 : 330}
                  openText={openText}
                  marks={marks}
                  onCrosshair={onCrosshair}
                  onRange={onRange}
                />
              </ChosenPoints>
            )}
            {children}
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
  const {past, pastAsks} = shown.question;
  const total = totalIn(shown.reports);
  const before = isOpen ? totalIn(until?.reports) : totalIn(pastAsks.slice(0, 1).map((one) => shown.of(one)));
  if (total === undefined) return null;
  return (
    <>
      <b>
        <Explained text={count(total)} of="distinct users in all" behind={allOf(shown, total)} />
      </b>{' '}
      distinct users in all
      {past !== undefined && before !== undefined && (
        <>
          {' · '}
          <ChangeText now={total} before={before} isMoreBetter />
        </>
      )}
    </>
  );
}
