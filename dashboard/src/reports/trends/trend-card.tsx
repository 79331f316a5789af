// Events by name over time, in a card: the most frequent ones, or those of a pin.

import type {ComponentChildren} from 'preact';
import {useMemo, useState} from 'preact/hooks';
import {type FixedQuestion, flatOf} from '../../../../src/asks/question/flat.js';
import type {CountsAnswer} from '../../../../src/edge/answers/counts.js';
import type {Days, Interval, Past} from '../../address/range';
import {type AnsweredLine, chartOf, csvRows, momentOf} from '../../charts/charted';
import {linesNote, soFarText} from '../../charts/comparison';
import {onCrosshair, useMarks} from '../../charts/marks';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import type {Explanation} from '../../explained/explanation';
import type {Words} from '../../explained/words';
import type {Asking, Shown} from '../../service/reports';
import {today} from '../../service/today';
import {Card} from '../../shell/card';
import {explaining} from '../../shell/explained';
import {CsvButton, CurlButton, TableButton} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';

export interface TrendQuestion {
  readonly days: Days;
  readonly interval: Interval;
  readonly past: Past | undefined;
  readonly lines: readonly Line[];
}

interface Line {
  readonly event: string;
  readonly asks: FixedQuestion;
  /** Undefined: it is compared with nothing. */
  readonly asksPast: FixedQuestion | undefined;
}

/** All that the lines ask. */
export const asksOf = (lines: readonly Line[]): FixedQuestion[] =>
  lines.flatMap(({asks, asksPast}) => (asksPast === undefined ? [asks] : [asks, asksPast]));

type BehindNumber = (
  words: Words,
  line: AnsweredLine,
  index: number,
  value: number,
  bucket: {readonly at: number; readonly text: string},
  shown: Shown<TrendQuestion>,
) => Explanation;

export function TrendCard({
  span,
  title,
  address,
  file,
  trend,
  names,
  tools,
  before,
  linesOf = countedLines,
  behind = countedBehind,
  say,
  onRange,
}: {
  readonly span: 6 | 8 | 12;
  readonly title: string;
  /** Address of the trend on its own page. */
  readonly address?: string;
  readonly file: string;
  readonly trend: Asking<TrendQuestion>;
  /** Names to choose the lines from; they are asked for first. */
  readonly names?: Asking<unknown>;
  readonly tools?: ComponentChildren;
  /** Stands above the chart. */
  readonly before?: ComponentChildren;
  readonly linesOf?: (shown: Shown<TrendQuestion>) => readonly AnsweredLine[];
  /** Explanation of the number of a line in a bucket. */
  readonly behind?: BehindNumber;
  /** Text of a value; absent: a number. */
  readonly say?: ((value: number) => string) | undefined;
  readonly onRange: (from: number, to: number) => void;
}) {
  const [isTable, setTable] = useState(false);
  const {shown} = trend;
  const choosing = names !== undefined && names.shown?.reports[0]?.value === undefined ? names : undefined;
  const question = shown?.question;
  const lines = useMemo(() => (shown === undefined ? [] : linesOf(shown)), [shown]);
  const chart = useMemo(() => chartOf(lines, question?.interval ?? 'day'), [lines]);
  const interval = question?.interval ?? 'day';
  const moment = useMemo(() => momentOf(interval), [interval]);
  const asOfMs = shown?.freshness?.asOfMs;
  const marks = useMarks(chart.times, question?.days.to ?? 0);
  const props = {...chart, label: title, clock: interval === 'hour', moment, ...(say && {say, format: say})};
  const note = linesNote({
    what: `by the ${interval}`,
    past: question?.past,
    isOpen: chart.openFrom !== undefined,
    today: today.value,
    asOfMs,
  });
  return (
    <Card
      span={span}
      title={title}
      note={question === undefined ? undefined : note}
      address={address}
      tools={
        <>
          {lines.length > 0 && (
            <>
              <CurlButton paths={question!.lines.map(({asks}) => flatOf(asks))} />
              <CsvButton file={file} rows={() => csvRows(lines)} />
              <TableButton isTable={isTable} onChange={setTable} />
            </>
          )}
          {tools}
        </>
      }
    >
      {before}
      <ReportBody asking={choosing ?? trend} reports={(choosing ?? trend).shown?.reports ?? []} lines={8}>
        {() =>
          isTable ? (
            <TimeTable
              {...props}
              onNumber={(at, index) => {
                const value = chart.series[index]!.values[at]!;
                const bucket = {at, text: moment(chart.times[at]!)};
                explaining.value = (words) => behind(words, lines[index]!, index, value, bucket, shown!);
              }}
            />
          ) : (
            <TimeChart
              {...props}
              isApart
              height={318}
              openText={soFarText(asOfMs)}
              marks={marks}
              onCrosshair={onCrosshair}
              onRange={(from, to) => onRange(Math.floor(from / 86_400), Math.floor(to / 86_400))}
            />
          )
        }
      </ReportBody>
    </Card>
  );
}

const countedLines = ({question, of}: Shown<TrendQuestion>): AnsweredLine[] =>
  question.lines.flatMap(({event, asks, asksPast}, at): AnsweredLine[] => {
    const {value, meta} = of<CountsAnswer>(asks);
    const past = asksPast && of<CountsAnswer>(asksPast).value;
    return value === undefined ? [] : [{label: event, tone: at + 1, answer: value, meta, past}];
  });

const countedBehind: BehindNumber = ({eventsNamed}, {answer}, index, value, bucket, {question, freshness}) => {
  const {days, interval, lines} = question;
  const dates = answer.data.map(({date}) => date);
  const ofDays = {days, today: today.peek(), freshness};
  return eventsNamed(lines[index]!.event, value, ofDays, {...bucket, dates, interval});
};
