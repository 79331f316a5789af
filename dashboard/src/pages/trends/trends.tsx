// Events by name over time: up to six lines, each of one name and perhaps one property.

import {useMemo, useState} from 'preact/hooks';
import type {CountsAnswer} from '../../../../src/edge/answers.js';
import {writeAddress} from '../../address/codec';
import {daysOf} from '../../address/range';
import {intervalOf} from '../../address/report-address';
import {type AskedSeries, labelsOf, seriesOf, seriesPath, trendsForm, withSeries} from '../../address/trends-address';
import {useAddress} from '../../address/use-address';
import {type AnsweredLine, chartOf, csvRows, momentOf} from '../../charts/charted';
import {comparedDays, linesNote, pastSoFar, perInterval, soFarText} from '../../charts/comparison';
import {datesText} from '../../charts/format';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import {oldest} from '../../service/freshness';
import {useReports} from '../../service/reports';
import {Card} from '../../shell/card';
import {CsvButton, CurlButton, TableButton} from '../../shell/page-tools';
import {PinButton} from '../../shell/pin-button';
import {ReportBody} from '../../shell/report-body';
import {ReportHead} from '../../shell/report-head';
import {Empty, FaultBox} from '../../shell/states';
import {today} from '../../shell/today';
import {SeriesForm} from './series-form';
import {type SeriesRow, SeriesTable} from './series-table';
import './trends.css';

export function Trends() {
  const {question, problems, ask} = useAddress(trendsForm);
  const [isTable, setTable] = useState(false);
  const days = daysOf(question.range, today.value);
  const interval = intervalOf(question.every, days);
  const past = comparedDays(days, interval, question.compare);
  const asked = {series: seriesOf(question), days, interval, past};
  const pathOf = (series: AskedSeries): string => seriesPath(series, question, days, interval);
  const pastPathOf = (series: AskedSeries): string | undefined => past && seriesPath(series, question, past, interval);
  const usersPathOf = (series: AskedSeries): string =>
    seriesPath({...series, measure: 'users', property: ''}, question, days, interval);
  const paths = asked.series.flatMap((series) =>
    [pathOf(series), pastPathOf(series), usersPathOf(series)].filter((path) => path !== undefined),
  );
  const main = useReports({...asked, pathOf, pastPathOf, usersPathOf}, paths.length === 0 ? undefined : paths);
  const {shown} = main;
  const soFar = pastSoFar(past, days, today.value, shown?.freshness?.asOfMs);
  const untilPathOf = (series: AskedSeries): string | undefined =>
    soFar && seriesPath(series, question, soFar, interval);
  const untilPaths = asked.series.map(untilPathOf).filter((path) => path !== undefined);
  const until = useReports({untilPathOf}, untilPaths.length === 0 ? undefined : untilPaths);

  const rows = shown === undefined ? [] : rowsOf(shown, until.shown);
  const lines = rows.filter((row) => row.line !== undefined).map(({line}) => line!);
  const chart = useMemo(() => chartOf(lines, shown?.question.interval ?? interval), [shown]);
  const shownDays = shown?.question.days ?? days;
  const shownInterval = shown?.question.interval ?? interval;
  const shownPast = shown?.question.past;
  const asOfMs = shown?.freshness?.asOfMs;
  const moment = useMemo(() => momentOf(shownInterval), [shownInterval]);
  const props = {...chart, label: 'Events', clock: shownInterval === 'hour', moment};
  return (
    <>
      <ReportHead
        title="Trends"
        freshness={oldest([shown?.freshness, until.shown?.freshness])}
        problems={problems}
        range={question.range}
        interval={interval}
        compare={question.compare}
        ask={ask}
      />
      <div class="builder">
        <SeriesForm series={asked.series} days={days} onChange={(series) => ask(withSeries(series))} />
        <div class="row builder-result">
          <Card
            span={12}
            title="Trend"
            note={
              shown === undefined
                ? undefined
                : linesNote({
                    what: `events ${perInterval(shownInterval)}`,
                    past: shownPast,
                    isOpen: chart.openFrom !== undefined,
                    today: today.value,
                    asOfMs,
                  })
            }
            tools={
              lines.length > 0 && (
                <>
                  <CurlButton paths={lines.map((_, at) => shown!.question.pathOf(shown!.question.series[at]!))} />
                  <PinButton page="/trends" search={writeAddress(trendsForm, question)} />
                  <CsvButton file="trends" rows={() => csvRows(lines)} />
                  <TableButton isTable={isTable} onChange={setTable} />
                </>
              )
            }
          >
            {asked.series.length === 0 ? (
              <Empty title="Choose an event">
                Add one at the left, and see how often it came {datesText(days, today.value)}. Up to six can stand
                beside each other, each narrowed to a property if you like.
              </Empty>
            ) : (
              <ReportBody asking={main} reports={lines.length > 0 ? [] : (shown?.reports.slice(0, 1) ?? [])} lines={8}>
                {() =>
                  isTable ? (
                    <TimeTable {...props} />
                  ) : (
                    <TimeChart
                      {...props}
                      height={320}
                      openText={soFarText(asOfMs)}
                      onRange={(from, to) =>
                        ask({
                          range: {kind: 'days', from: dayAt(from, shownDays.from), to: dayAt(to, shownDays.to)},
                          every: null,
                        })
                      }
                    />
                  )
                }
              </ReportBody>
            )}
            {rows.map(
              ({key, label, fault}) =>
                fault !== undefined &&
                lines.length > 0 && (
                  <div key={key}>
                    <FaultBox fault={{...fault, message: `${label}: ${fault.message}`}} onAgain={main.again} />
                  </div>
                ),
            )}
          </Card>
          {rows.length > 0 && (
            <Card
              span={12}
              title="In numbers"
              note={soFar !== undefined ? 'changes against the time before until the same moment' : undefined}
            >
              <SeriesTable rows={rows} interval={shownInterval} isCompared={shownPast !== undefined} />
            </Card>
          )}
        </div>
      </div>
    </>
  );
}

const dayAt = (seconds: number, fallback: number): number =>
  Number.isFinite(seconds) ? Math.floor(seconds / 86_400) : fallback;

interface Paths {
  readonly series: readonly AskedSeries[];
  readonly pathOf: (series: AskedSeries) => string;
  readonly pastPathOf: (series: AskedSeries) => string | undefined;
  readonly usersPathOf: (series: AskedSeries) => string;
}

type Main = NonNullable<ReturnType<typeof useReports<Paths>>['shown']>;
type Until = ReturnType<typeof useReports<{untilPathOf: (series: AskedSeries) => string | undefined}>>['shown'];

function rowsOf({question, of}: Main, until: Until): SeriesRow[] {
  const labels = labelsOf(question.series);
  return question.series.map((series, at) => {
    const label = labels[at]!;
    const {value, headers, fault} = of<CountsAnswer>(question.pathOf(series));
    const pastPath = question.pastPathOf(series);
    const pastAnswer = pastPath === undefined ? undefined : of<CountsAnswer>(pastPath).value;
    const untilPath = until?.question.untilPathOf(series);
    const untilTotal = untilPath === undefined ? undefined : until!.of<CountsAnswer>(untilPath).value?.total;
    const isOpen = headers?.has('Report-Incomplete-From') === true;
    const line: AnsweredLine | undefined =
      value === undefined ? undefined : {label, tone: at + 1, answer: value, headers, past: pastAnswer};
    return {
      key: `${at}/${label}`,
      label,
      tone: at + 1,
      line,
      users: of<CountsAnswer>(question.usersPathOf(series)).value?.total_value ?? undefined,
      before: isOpen ? untilTotal : pastAnswer?.total,
      fault: value === undefined ? fault : undefined,
    };
  });
}
