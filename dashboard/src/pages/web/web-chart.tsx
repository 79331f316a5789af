// The figures of the page over time.
import {useMemo, useState} from 'preact/hooks';
import {flatOf} from '../../../../src/asks/question/flat.js';
import type {Range} from '../../address/range';
import {homeZone, wallMs} from '../../address/zone';
import {type AnsweredLine, type Charted, csvRows} from '../../charts/charted';
import {linesNote, soFarText} from '../../charts/comparison';
import {bucketText} from '../../charts/format';
import {onCrosshair, useMarks} from '../../charts/marks';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import type {Asking} from '../../service/reports';
import {Card} from '../../shell/card';
import type {EmptyDaysProps} from '../../shell/empty-days';
import {later} from '../../shell/later';
import {ReportTools} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {type AskedWeb, ofFigures} from './web-drawn';

const EmptyDays = later<EmptyDaysProps>(() => import('../../shell/empty-days').then(({EmptyDays: Part}) => Part));

export function WebChart({
  main,
  lines,
  chart,
  today,
  onRange,
}: {
  readonly main: Asking<AskedWeb>;
  readonly lines: readonly AnsweredLine[];
  readonly chart: Charted;
  readonly today: number;
  /** Asks for these days, epoch seconds. */
  readonly onRange: (range: Range) => void;
}) {
  const [isTable, setTable] = useState(false);
  const {shown} = main;
  const asked = shown?.question;
  const {interval, zone} = {interval: asked?.interval ?? 'day', zone: asked?.days.zone ?? homeZone()} as const;
  const asOfMs = shown?.freshness && wallMs(zone, shown.freshness.asOfMs);
  const moment = useMemo(() => (seconds: number) => bucketText(seconds, interval, zone), [interval, zone]);
  const marks = useMarks(chart.times, asked?.days.to ?? 0, zone);
  const props = {...chart, label: 'Visits over time', clock: interval === 'hour', zone, moment};
  const isNothing = chart.series.every(({values, before = []}) => [...values, ...before].every((one) => !one));
  const isOpen = chart.openFrom !== undefined;
  return (
    <Card
      span={12}
      title="Visits over time"
      note={asked && linesNote({what: `by the ${interval}`, past: asked.past, isOpen, asOfMs, today, zone})}
      tools={
        lines.length > 0 && (
          <ReportTools
            paths={asked!.asks.map(flatOf)}
            csv={{file: 'web', rows: () => csvRows(lines)}}
            table={{isTable, onChange: setTable}}
          />
        )
      }
    >
      <ReportBody asking={main} reports={ofFigures(shown)} lines={8}>
        {() =>
          isNothing ? (
            <EmptyDays title="No page view in these days">
              Choose other days, another event, or take away what the page is narrowed to.
            </EmptyDays>
          ) : isTable ? (
            <TimeTable {...props} />
          ) : (
            <TimeChart
              {...props}
              isApart
              height={260}
              openText={soFarText(asOfMs)}
              marks={marks}
              onCrosshair={onCrosshair}
              onRange={onRange}
            />
          )
        }
      </ReportBody>
    </Card>
  );
}
