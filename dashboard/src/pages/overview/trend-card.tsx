// The most frequent events over time, in a card.
import {useMemo, useState} from 'preact/hooks';
import {type FixedQuestion, flatOf} from '../../../../src/asks/question/flat.js';
import type {CountsAnswer} from '../../../../src/edge/answers/counts.js';
import type {Days, Interval, Past, Range} from '../../address/range';
import {homeZone, wallMs} from '../../address/zone';
import {type AnsweredLine, chartOf, csvRows, momentOf} from '../../charts/charted';
import {linesNote, soFarText} from '../../charts/comparison';
import {onCrosshair, useMarks} from '../../charts/marks';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import type {Asking, Shown} from '../../service/reports';
import {Card} from '../../shell/card';
import {explaining} from '../../shell/explained';
import {later} from '../../shell/later';
import {ReportTools} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {todayIn} from '../../shell/zone-day';
import {plainNumbers} from './plain-numbers';

const AnnotationsButton = later(() =>
  import('../../shell/annotations-button').then(({AnnotationsButton: Part}) => Part),
);

export interface TrendQuestion {
  readonly days: Days & {readonly zone: string};
  readonly interval: Interval;
  readonly past: Past | undefined;
  readonly lines: readonly {
    readonly event: string;
    readonly asks: FixedQuestion;
    /** Undefined: it is compared with nothing. */
    readonly asksPast: FixedQuestion | undefined;
  }[];
}

export function TrendCard({
  trend,
  names,
  onRange,
}: {
  readonly trend: Asking<TrendQuestion>;
  /** Names to choose the lines from; they are asked for first. */
  readonly names: Asking<unknown>;
  readonly onRange: (range: Range) => void;
}) {
  const [isTable, setTable] = useState(false);
  const {shown} = trend;
  const asking = names.shown?.reports[0]?.value === undefined ? names : trend;
  const question = shown?.question;
  const zone = question?.days.zone ?? homeZone();
  const lines = useMemo(() => (shown === undefined ? [] : linesOf(shown)), [shown]);
  const chart = useMemo(() => chartOf(lines, question?.interval ?? 'day', (ms) => wallMs(zone, ms)), [lines]);
  const interval = question?.interval ?? 'day';
  const moment = useMemo(() => momentOf(interval), [interval]);
  const asOfMs = shown?.freshness && wallMs(zone, shown.freshness.asOfMs);
  const marks = useMarks(chart.times, question?.days.to ?? 0, zone);
  const props = {...chart, label: 'Trend', clock: interval === 'hour', moment};
  const note = linesNote({
    what: `by the ${interval}`,
    past: question?.past,
    isOpen: chart.openFrom !== undefined,
    today: todayIn(zone),
    zone,
    asOfMs,
  });
  const explain = (at: number, index: number): void => {
    const {days, interval, lines: asked} = question!;
    const dates = lines[index]!.answer.data.map(({date}) => date);
    const bucket = {at, text: moment(chart.times[at]!), dates, interval};
    const value = chart.series[index]!.values[at]!;
    const of = {days, today: todayIn(days.zone), freshness: shown!.freshness};
    explaining.value = async () => (await plainNumbers()).eventsNamed(asked[index]!.event, value, of, bucket);
  };
  return (
    <Card
      span={8}
      title="Trend"
      note={question && note}
      tools={
        <>
          <AnnotationsButton zone={zone} isHour={interval === 'hour'} />
          {lines.length > 0 && (
            <ReportTools
              paths={question!.lines.map(({asks}) => flatOf(asks))}
              csv={{file: 'most-frequent-events', rows: () => csvRows(lines)}}
              table={{isTable, onChange: setTable}}
            />
          )}
        </>
      }
    >
      <ReportBody asking={asking} reports={asking.shown?.reports ?? []} lines={8}>
        {() =>
          isTable ? (
            <TimeTable {...props} onNumber={explain} />
          ) : (
            <TimeChart
              {...props}
              isApart
              height={318}
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

const linesOf = ({question, of}: Shown<TrendQuestion>): AnsweredLine[] =>
  question.lines.flatMap(({event, asks, asksPast}, at): AnsweredLine[] => {
    const {value, meta} = of<CountsAnswer>(asks);
    const past = asksPast && of<CountsAnswer>(asksPast).value;
    return value === undefined ? [] : [{label: event, tone: at + 1, answer: value, meta, past}];
  });
