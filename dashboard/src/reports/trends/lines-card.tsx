// The card with the lines, in the look that is chosen: as a chart, as numbers, or as a table.
import {useState} from 'preact/hooks';
import {flatOf} from '../../../../src/asks/question/flat.js';
import {isShared} from '../../address/base';
import {BarChart} from '../../charts/bar-chart';
import {tickText} from '../../charts/bars';
import {csvRows} from '../../charts/charted';
import {ChosenPoints} from '../../charts/chosen-points';
import {linesNote, soFarText} from '../../charts/comparison';
import {isComputed} from '../../charts/computed';
import {datesText} from '../../charts/format';
import {onCrosshair, useMarks} from '../../charts/marks';
import type {SeriesLine} from '../../charts/series-lines';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import type {Asking, Report} from '../../service/reports';
import {Card} from '../../shell/card';
import {type Behind, explaining} from '../../shell/explained';
import {ReportTools} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {Empty, FaultBox} from '../../shell/states';
import type {ResultProps} from '../report';
import type {TrendsAsked} from './asked';
import {computedBehind} from './behind';
import {canLook, isStack, lookOf} from './look';
import type {TrendsDraft} from './series';
import {Totals} from './totals';
import {lineBehind} from './trends-behind';
import {type BeforeOf, type DrawnTrends, lineKey} from './trends-drawn';

export function LinesCard({
  main,
  drawn: {asked, lines, computed, drawn, say, chart, moment, faults},
  asOfMs,
  today,
  tile,
  tools,
  onRange,
  question,
  beforeOf,
  behind,
}: Pick<ResultProps<TrendsDraft>, 'today' | 'tile' | 'tools' | 'onRange' | 'question'> & {
  readonly main: Asking<TrendsAsked>;
  readonly drawn: DrawnTrends;
  readonly beforeOf: BeforeOf;
  readonly behind: (line: SeriesLine, value: number, column: 'total') => Behind;
  /** Wall clock of the zone up to which the numbers are exact. */
  readonly asOfMs: number | undefined;
}) {
  const look = lookOf(
    question,
    chart.series.map(({values}) => values),
  );
  const [table, setTable] = useState({look, is: look === 'table'});
  const isTable = table.look === look ? table.is : look === 'table';
  const {shown} = main;
  const {interval, past, zone} = asked;
  const marks = useMarks(chart.times, asked.days.to, zone);
  const shownLines = computed.length === 0 ? lines : computed;
  const note = [
    look === 'number'
      ? datesText(asked.days, today)
      : linesNote({
          what: `by the ${interval}`,
          past: isStack(look) ? undefined : past,
          isOpen: chart.openFrom !== undefined,
          today,
          asOfMs,
          zone,
        }),
    drawn.length < shownLines.length && `${drawn.length} of ${shownLines.length} lines are shown`,
  ];
  const props = {
    ...chart,
    label: tile?.title ?? 'Events',
    clock: interval === 'hour',
    zone,
    moment,
    ...(say && {say, format: say}),
  };
  const keys = drawn.map(lineKey);
  const totals = shownLines.filter((line) => keys.includes(lineKey(line)));
  const onNumber = (at: number, index: number): void => {
    const line = drawn[index]!;
    const value = chart.series[index]!.values[at]!;
    const when = moment(chart.times[at]!);
    explaining.value = isComputed(line)
      ? () => computedBehind({...line, parts: undefined}, say!(value), `${when} (${zone})`, shown!.freshness)
      : lineBehind(shown!, line, {value, when, at});
  };
  return (
    <Card
      span={12}
      title={tile?.title ?? 'Trend'}
      address={tile?.address}
      note={shown && note.filter(Boolean).join(', ')}
      tools={
        <>
          {tools}
          {lines.length > 0 && (
            <ReportTools
              paths={asked.series.map(asked.ask).map(flatOf)}
              csv={{file: 'trends', rows: () => csvRows([...lines, ...computed])}}
              table={{isTable, onChange: (is) => setTable({look, is})}}
            />
          )}
        </>
      }
    >
      {tile?.before}
      <ReportBody asking={main} reports={shownOf(shown?.reports ?? [], lines.length > 0)} lines={8}>
        {() =>
          lines.length === 0 ? (
            <Empty title="No event matches">Choose other days, or fewer filters.</Empty>
          ) : isTable ? (
            <TimeTable {...props} onNumber={onNumber} />
          ) : look === 'number' ? (
            <Totals lines={totals} say={say} beforeOf={beforeOf} behind={behind} />
          ) : isStack(look) ? (
            <BarChart
              label={props.label}
              height={320}
              bars={chart.times.length}
              series={chart.series.map((one) => ({...one, values: one.values.map((value) => value ?? 0)}))}
              openFrom={chart.openFrom}
              openText={soFarText(asOfMs)}
              tick={(at) => tickText(chart.times[at]!, interval)}
              moment={(at) => moment(chart.times[at]!)}
              areAreas={look === 'stacked' && chart.times.length > 1}
              hasSum={chart.series.length > 1}
              onNumber={isShared ? undefined : onNumber}
            />
          ) : (
            <ChosenPoints lines={chart} onNumber={onNumber}>
              <TimeChart
                {...props}
                isApart
                height={320}
                hasSum={canLook(question, 'stacked')}
                openText={soFarText(asOfMs)}
                marks={marks}
                onCrosshair={onCrosshair}
                onRange={onRange}
              />
            </ChosenPoints>
          )
        }
      </ReportBody>
      {lines.length > 0 &&
        faults.map(({label, fault}) => (
          <div key={label}>
            <FaultBox fault={{...fault, message: `${label}: ${fault.message}`}} onAgain={main.again} />
          </div>
        ))}
    </Card>
  );
}

/** The reports that the lines are of; while there is no line, the first of those that are asked for. */
const shownOf = (reports: readonly Report<unknown>[], isDrawn: boolean): readonly Report<unknown>[] =>
  isDrawn ? reports.filter(({value}) => value !== undefined) : reports.slice(0, 1);
