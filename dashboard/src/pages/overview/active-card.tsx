// Users active within 1, 7 and 30 days, over time.

import {useMemo, useState} from 'preact/hooks';
import type {ActiveAnswer} from '../../../../src/edge/answers/active-users.js';
import {pageAddress} from '../../address/base';
import type {Days, Interval} from '../../address/range';
import {chartOf, csvRows, momentOf} from '../../charts/charted';
import {soFarText} from '../../charts/comparison';
import {count} from '../../charts/format';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import {onCrosshair, useMarks} from '../../service/marks';
import type {Asking} from '../../service/reports';
import {Card} from '../../shell/card';
import {type Behind, Explained, explaining} from '../../shell/explained';
import {CsvButton, CurlButton, TableButton} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {today} from '../../shell/today';
import {metricLabels} from '../active/metrics';

export interface ActiveCardProps {
  readonly active: Asking<{
    readonly days: Days;
    readonly interval: Interval;
    readonly activePaths: readonly string[];
  }>;
}

export function ActiveCard({active}: ActiveCardProps) {
  const [isTable, setTable] = useState(false);
  const {shown} = active;
  const lines = useMemo(
    () =>
      (shown?.question.activePaths ?? []).flatMap((path, at) => {
        const {value, headers} = shown!.of<ActiveAnswer>(path);
        return value === undefined ? [] : [{label: metricLabels[value.metric], tone: at + 1, answer: value, headers}];
      }),
    [shown],
  );
  const chart = useMemo(() => chartOf(lines, shown?.question.interval ?? 'day'), [lines]);
  const interval = shown?.question.interval ?? 'day';
  const moment = useMemo(() => momentOf(interval), [interval]);
  const asOfMs = shown?.freshness?.asOfMs;
  const marks = useMarks(chart.times, shown?.question.days.to ?? 0);
  const props = {...chart, label: 'Active users', clock: interval === 'hour', moment};
  const total = (shown?.reports[0]?.value as ActiveAnswer | undefined)?.total;
  const behind =
    (index: number, bucket?: {readonly at: number; readonly text: string}): Behind =>
    ({activeUsers}) => {
      const {question: asked, reports, freshness} = shown!;
      const ofDays = {days: asked.days, today: today.peek(), freshness};
      return activeUsers(reports[index]!.value as ActiveAnswer, ofDays, bucket);
    };
  return (
    <Card
      span={8}
      title="Active users"
      note={<a href={pageAddress('/active')}>within 1, 7 and 30 days</a>}
      sum={
        total !== undefined && (
          <>
            <b>
              <Explained text={count(total)} of="users in all" behind={behind(0)} />
            </b>{' '}
            users in all
          </>
        )
      }
      tools={
        lines.length > 0 && (
          <>
            <CurlButton paths={shown!.question.activePaths} />
            <CsvButton file="active-users" rows={() => csvRows(lines)} />
            <TableButton isTable={isTable} onChange={setTable} />
          </>
        )
      }
    >
      <ReportBody asking={active} reports={shown?.reports ?? []} lines={7}>
        {() =>
          isTable ? (
            <TimeTable
              {...props}
              onNumber={(at, index) => (explaining.value = behind(index, {at, text: moment(chart.times[at]!)}))}
            />
          ) : (
            <TimeChart {...props} height={250} openText={soFarText(asOfMs)} marks={marks} onCrosshair={onCrosshair} />
          )
        }
      </ReportBody>
    </Card>
  );
}
