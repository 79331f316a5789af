// The card with the lines, as a chart or as a table.
import type {ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';
import {flatOf} from '../../../../src/asks/question/flat.js';
import {isShared} from '../../address/base';
import {writeAddress} from '../../address/codec';
import {labelsOf, type TrendsQuestion, trendsForm} from '../../address/trends-address';
import type {TrendsAsked} from '../../address/trends-asked';
import {csvRows} from '../../charts/charted';
import {ChosenPoints} from '../../charts/chosen-points';
import {linesNote, soFarText} from '../../charts/comparison';
import {onCrosshair, useMarks} from '../../charts/marks';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import type {Asking, Report} from '../../service/reports';
import {Card} from '../../shell/card';
import {explaining} from '../../shell/explained';
import {later} from '../../shell/later';
import {CsvButton, CurlButton, TableButton} from '../../shell/page-tools';
import type {PinProps} from '../../shell/pin-button';
import {ReportBody} from '../../shell/report-body';
import {Empty, FaultBox} from '../../shell/states';
import {lineBehind} from './trends-behind';
import type {DrawnTrends} from './trends-drawn';

const AnnotationsButton = later<{readonly zone: string; readonly isHour: boolean}>(() =>
  import('../../shell/annotations-button').then(({AnnotationsButton: Part}) => Part),
);

const PinButton = later<PinProps>(() => import('../../shell/pin-button').then(({PinButton: Part}) => Part));

export function LinesCard({
  question,
  main,
  drawn: {asked, lines, divisor, divided, drawn, say, chart, moment, faults},
  asOfMs,
  today,
  onRange,
  children,
}: {
  readonly question: TrendsQuestion;
  readonly main: Asking<TrendsAsked>;
  readonly drawn: DrawnTrends;
  /** Wall clock of the zone up to which the numbers are exact. */
  readonly asOfMs: number | undefined;
  readonly today: number;
  /** Asks for these days, epoch seconds. */
  readonly onRange: (from: number, to: number) => void;
  /** Stands in place of the lines while no event is asked for. */
  readonly children: ComponentChildren;
}) {
  const [isTable, setTable] = useState(false);
  const {shown} = main;
  const {interval, past, zone} = asked;
  const marks = useMarks(chart.times, asked.days.to, zone);
  const isAsked = question.event.length > 0;
  const note = [
    linesNote({what: `by the ${interval}`, past, isOpen: chart.openFrom !== undefined, today, asOfMs, zone}),
    divisor === undefined
      ? drawn.length < lines.length && `${drawn.length} of ${lines.length} lines are drawn`
      : `divided by ${labelsOf(asked.series)[divisor]}`,
  ];
  const props = {
    ...chart,
    label: 'Events',
    clock: interval === 'hour',
    zone,
    moment,
    ...(say && {say, format: say}),
  };
  // A table has no title that names the divisor.
  const by = divisor === undefined ? '' : ` / ${labelsOf(asked.series)[divisor]}`;
  const inTable = chart.series.map((one) => ({...one, label: one.label + by}));
  // A point of a quotient opens no dialog: the table "In numbers" says what is divided by what.
  const behind = divisor === undefined && {
    onNumber(at: number, index: number): void {
      const value = chart.series[index]!.values[at]!;
      explaining.value = lineBehind(shown!, drawn[index]!, {value, when: moment(chart.times[at]!), at});
    },
  };
  return (
    <Card
      span={12}
      title="Trend"
      note={shown && isAsked ? note.filter(Boolean).join(', ') : undefined}
      tools={
        lines.length > 0 && (
          <>
            <CurlButton paths={asked.series.map(asked.ask).map(flatOf)} />
            <PinButton page="/trends" form={trendsForm} search={writeAddress(trendsForm, question)} />
            {!isShared && <AnnotationsButton zone={zone} isHour={interval === 'hour'} />}
            <CsvButton file="trends" rows={() => csvRows([...lines, ...divided])} />
            <TableButton isTable={isTable} onChange={setTable} />
          </>
        )
      }
    >
      {isAsked ? (
        <ReportBody asking={main} reports={shownOf(shown?.reports ?? [], lines.length > 0)} lines={8}>
          {() =>
            lines.length === 0 ? (
              <Empty title="No event matches">Choose other days, or fewer filters.</Empty>
            ) : isTable ? (
              <TimeTable {...props} series={inTable} {...behind} />
            ) : (
              <ChosenPoints lines={chart} {...behind}>
                <TimeChart
                  {...props}
                  isApart
                  height={320}
                  openText={soFarText(asOfMs)}
                  marks={marks}
                  onCrosshair={onCrosshair}
                  {...(!isShared && {onRange})}
                />
              </ChosenPoints>
            )
          }
        </ReportBody>
      ) : (
        children
      )}
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
