// The card with daily users as a share of monthly ones.
import {useState} from 'preact/hooks';
import {percent} from '../../charts/format';
import {shareText} from '../../charts/share-text';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import type {Asking} from '../../service/reports';
import {Card} from '../../shell/card';
import {ReportTools} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {Empty} from '../../shell/states';
import {type AskedActive, type DrawnActive, ofMetrics} from './active-drawn';

export interface StickinessCardProps {
  readonly main: Asking<AskedActive>;
  readonly drawn: DrawnActive;
}

export function StickinessCard({
  main,
  drawn: {lines, chart, interval, zone, moment, openText, sticky},
}: StickinessCardProps) {
  const [isTable, setTable] = useState(false);
  const isWeek = interval === 'week';
  /** Users of buckets that are no shorter than a month are all monthly ones. */
  const isLong = interval === 'month' || interval === 'quarter' || interval === 'year';
  const props = {
    label: 'Stickiness',
    times: chart.times,
    openFrom: chart.openFrom,
    clock: interval === 'hour',
    zone,
    moment,
    series: [{label: isWeek ? 'Weekly of monthly' : 'Daily of monthly', tone: 4, values: sticky ?? []}],
    say: (share: number) => percent(share),
  };
  return (
    <Card
      span={7}
      title="Stickiness"
      note={`${isWeek ? 'weekly' : 'daily'} users as a share of monthly ones`}
      tools={
        sticky !== undefined &&
        !isLong && (
          <ReportTools
            csv={{
              file: 'stickiness',
              rows: () => [
                ['date', 'stickiness'],
                ...lines[0]!.answer.data.map(({date}, at) => [date, sticky[at] ?? null]),
              ],
            }}
            table={{isTable, onChange: setTable}}
          />
        )
      }
    >
      <ReportBody asking={main} reports={ofMetrics(main.shown)}>
        {() =>
          isLong ? (
            <Empty title={`A ${interval} has no stickiness`}>
              Choose days or weeks: it compares them with a month.
            </Empty>
          ) : isTable ? (
            <TimeTable {...props} />
          ) : (
            <TimeChart {...props} height={210} format={shareText} openText={openText} />
          )
        }
      </ReportBody>
    </Card>
  );
}
