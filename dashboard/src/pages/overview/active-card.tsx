// Users active within 1, 7 and 30 days, over time.

import {useMemo, useState} from 'preact/hooks';
import type {ActiveAnswer} from '../../../../src/edge/answers.js';
import {pageAddress} from '../../address/base';
import type {Interval} from '../../address/range';
import {chartOf, csvRows, momentOf} from '../../charts/charted';
import {soFarText} from '../../charts/comparison';
import {count} from '../../charts/format';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import type {Asking} from '../../service/reports';
import {Card} from '../../shell/card';
import {CsvButton, CurlButton, TableButton} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {metricLabels} from '../active/metrics';

export function ActiveCard({
  active,
}: {
  readonly active: Asking<{readonly interval: Interval; readonly activePaths: readonly string[]}>;
}) {
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
  const props = {...chart, label: 'Active users', clock: interval === 'hour', moment};
  const total = (shown?.reports[0]?.value as ActiveAnswer | undefined)?.total;
  return (
    <Card
      span={8}
      title="Active users"
      note={<a href={pageAddress('/active')}>within 1, 7 and 30 days</a>}
      sum={
        total !== undefined && (
          <>
            <b>{count(total)}</b> users in all
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
          isTable ? <TimeTable {...props} /> : <TimeChart {...props} height={250} openText={soFarText(asOfMs)} />
        }
      </ReportBody>
    </Card>
  );
}
