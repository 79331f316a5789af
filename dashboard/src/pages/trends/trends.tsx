// Events over time: up to six series, each of one event, one measure and its own conditions, or the rows of a breakdown of them.

import {useMemo, useState} from 'preact/hooks';
import type {CountsAnswer} from '../../../../src/edge/answers/counts.js';
import {isShared} from '../../address/base';
import {writeAddress} from '../../address/codec';
import {areCounts, divisorIn, labelsOf, trendsForm, withSeries} from '../../address/trends-address';
import {type TrendsAsked, trendsAsked, trendsPaths, trendsUntil} from '../../address/trends-asked';
import {useAddress} from '../../address/use-address';
import {wallMs} from '../../address/zone';
import {chartOf, csvRows} from '../../charts/charted';
import {linesNote, soFarText} from '../../charts/comparison';
import {type DividedLine, dividedBy, quotientText, withoutDivisor} from '../../charts/divided';
import {bucketText, datesText} from '../../charts/format';
import {drawnOf, linesOf, numbersIn, type SeriesLine} from '../../charts/series-lines';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import {useSuggestedEvent} from '../../controls/suggested-event';
import {oldest} from '../../service/freshness';
import {onCrosshair, useMarks} from '../../service/marks';
import {type Shown, useReports} from '../../service/reports';
import {Card} from '../../shell/card';
import {type Behind, explaining} from '../../shell/explained';
import {later} from '../../shell/later';
import {CsvButton, CurlButton, TableButton} from '../../shell/page-tools';
import type {PinProps} from '../../shell/pin-button';
import {Question} from '../../shell/question';
import {ReportBody} from '../../shell/report-body';
import {ReportHead} from '../../shell/report-head';
import {Empty, FaultBox, Loading} from '../../shell/states';
import {todayIn} from '../../shell/zone-day';
import type {CommonFormProps} from './common-form';
import {SeriesForm} from './series-form';
import type {SeriesRow, SeriesTableProps} from './series-table';
import './trends.css';

const CommonForm = later<CommonFormProps>(
  () => import('./common-form').then(({CommonForm: Part}) => Part),
  <div class="card">
    <Loading lines={4} />
  </div>,
);

const SeriesTable = later<SeriesTableProps>(
  () => import('./series-table').then(({SeriesTable: Part}) => Part),
  <Loading lines={3} />,
);

const AnnotationsButton = later<{readonly zone: string; readonly isHour: boolean}>(() =>
  import('../../shell/annotations-button').then(({AnnotationsButton: Part}) => Part),
);

const PinButton = later<PinProps>(() => import('../../shell/pin-button').then(({PinButton: Part}) => Part));

const mostFrequent = (names: readonly string[]): string | undefined => names[0];

export function Trends() {
  const {question, problems, ask} = useAddress(trendsForm);
  const [isTable, setTable] = useState(false);
  const [isCleared, setCleared] = useState(false);
  const {zone} = question;
  const place = {zone, today: todayIn(zone)};
  const asked = trendsAsked(question, place.today);
  const {series, days, interval} = asked;
  const suggesting = useSuggestedEvent(
    series.length > 0 || isCleared,
    days,
    (event) => ask({event: [event]}, true),
    mostFrequent,
  );

  const main = useReports<TrendsAsked>(asked, series.length === 0 ? undefined : trendsPaths(asked));
  const {shown} = main;
  const asOfMs = shown?.freshness?.asOfMs;
  const wallAsOfMs = asOfMs === undefined ? undefined : wallMs(zone, asOfMs);
  const soFar = trendsUntil(asked, place.today, asOfMs);
  const until = useReports(soFar, soFar?.paths);

  const lines = useMemo(() => (shown === undefined ? [] : linesIn(shown)), [shown]);
  // The quotient is computed here: the service is asked the same question with and without it.
  const divisor = shown && divisorIn(question, shown.question.series);
  const divided = useMemo(() => (divisor === undefined ? [] : dividedBy(lines, divisor)), [lines, divisor]);
  const drawn = useMemo(() => drawnOf(divisor === undefined ? lines : withoutDivisor(divided)), [lines, divided]);
  const say = divisor === undefined ? undefined : quotientText(divided, areCounts(...shown!.question.series));
  const {interval: shownInterval, days: shownDays, past: shownPast, zone: shownZone} = shown?.question ?? asked;
  const chart = useMemo(
    () => chartOf(drawn, shownInterval, (ms) => wallMs(shownZone, ms)),
    [drawn, shownInterval, shownZone],
  );
  const marks = useMarks(chart.times, shownDays.to, shownZone);
  const moment = useMemo(() => {
    const hour = shownZone === 'UTC' ? 'UTC' : '';
    return (seconds: number): string => bucketText(seconds, shownInterval, hour).trim();
  }, [shownInterval, shownZone]);
  const faults = shown?.question.series.flatMap((one, at) => {
    const {value, fault} = shown.of(shown.question.pathOf(one));
    return value === undefined && fault !== undefined ? [{label: labelsOf(shown.question.series)[at]!, fault}] : [];
  });
  const props = {
    ...chart,
    label: 'Events',
    clock: shownInterval === 'hour',
    zone: shownZone,
    moment,
    ...(say && {say, format: say}),
  };
  const behind = (line: SeriesLine, value: number, when: string, at?: number, isUsers = false): Behind => {
    const {question: asked, of, freshness} = shown!;
    const one = asked.series[line.series]!;
    const [series, measure] = isUsers ? [{...one, property: ''}, 'users' as const] : [one, one.measure];
    return ({trendBehind}) => {
      return trendBehind({
        value,
        series,
        measure,
        common: asked.common,
        row: line.row,
        answer: of<CountsAnswer>(asked.pathOf(one)).value,
        days: asked.days,
        bucket:
          at === undefined ? undefined : {dates: line.answer.data.map(({date}) => date), at, interval: asked.interval},
        when: `${when} (${asked.zone})`,
        freshness,
      });
    };
  };
  const dates = datesText(shownDays, place.today);
  return (
    <>
      <ReportHead
        title="Trends"
        freshness={oldest([shown?.freshness, until.shown?.freshness])}
        problems={problems}
        range={question.range}
        interval={interval}
        compare={question.compare}
        place={place}
        ask={ask}
      />
      <div class="builder">
        <Question>
          <div class="builder-forms">
            <SeriesForm
              series={series}
              days={days}
              onChange={(changed) => {
                setCleared(changed.length === 0);
                // The others have other numbers then.
                ask({...withSeries(changed), ...(changed.length < series.length && {divide: null})});
              }}
            />
            <CommonForm
              common={question}
              labels={labelsOf(series)}
              event={series.length === 1 ? (series[0]!.event ?? undefined) : undefined}
              days={days}
              interval={interval}
              onChange={ask}
            />
          </div>
        </Question>
        <div class="row builder-result">
          <Card
            span={12}
            title="Trend"
            note={
              shown === undefined || series.length === 0
                ? undefined
                : [
                    linesNote({
                      what: `by the ${shownInterval}`,
                      past: shownPast,
                      isOpen: chart.openFrom !== undefined,
                      today: place.today,
                      asOfMs: wallAsOfMs,
                      zone: shownZone,
                    }),
                    ...(divisor === undefined ? [] : [`divided by ${labelsOf(shown.question.series)[divisor]}`]),
                    ...(divisor === undefined && drawn.length < lines.length
                      ? [`${drawn.length} of ${lines.length} lines are drawn`]
                      : []),
                  ].join(', ')
            }
            tools={
              lines.length > 0 && (
                <>
                  <CurlButton paths={shown!.question.series.map(shown!.question.pathOf)} />
                  <PinButton page="/trends" form={trendsForm} search={writeAddress(trendsForm, question)} />
                  {!isShared && <AnnotationsButton zone={shownZone} isHour={shownInterval === 'hour'} />}
                  <CsvButton file="trends" rows={() => csvRows([...lines, ...divided])} />
                  <TableButton isTable={isTable} onChange={setTable} />
                </>
              )
            }
          >
            {series.length > 0 ? (
              <ReportBody asking={main} reports={lines.length > 0 ? [] : (shown?.reports.slice(0, 1) ?? [])} lines={8}>
                {() =>
                  isTable ? (
                    <TimeTable
                      {...props}
                      series={chart.series}
                      {...(divisor === undefined && {
                        onNumber: (at: number, index: number) => {
                          const value = chart.series[index]!.values[at]!;
                          explaining.value = behind(drawn[index]!, value, moment(chart.times[at]!), at);
                        },
                      })}
                    />
                  ) : (
                    <TimeChart
                      {...props}
                      isApart
                      height={320}
                      openText={soFarText(wallAsOfMs)}
                      marks={marks}
                      onCrosshair={onCrosshair}
                      {...(!isShared && {
                        onRange: (from: number, to: number) =>
                          ask({
                            range: {kind: 'days', from: dayAt(from, shownDays.from), to: dayAt(to, shownDays.to)},
                            every: null,
                          }),
                      })}
                    />
                  )
                }
              </ReportBody>
            ) : suggesting.fault !== undefined ? (
              <FaultBox fault={suggesting.fault} onAgain={suggesting.again} />
            ) : isCleared || suggesting.isNone ? (
              <Empty title="Choose an event">
                Add one at the left, and see how often it came {dates}. Up to six can stand beside each other, each
                narrowed to a property if you like.
              </Empty>
            ) : (
              <Loading lines={8} />
            )}
            {lines.length > 0 &&
              faults?.map(({label, fault}) => (
                <div key={label}>
                  <FaultBox fault={{...fault, message: `${label}: ${fault.message}`}} onAgain={main.again} />
                </div>
              ))}
          </Card>
          {series.length > 0 && lines.length > 0 && (
            <Card
              span={12}
              title="In numbers"
              note={soFar !== undefined ? 'changes against the time before until the same moment' : undefined}
            >
              <SeriesTable
                rows={[
                  ...rowsOf(shown!, lines, until.shown),
                  ...divided.map((line): SeriesRow => ({line, users: undefined, before: undefined, say: say!})),
                ]}
                interval={shownInterval}
                isCompared={shownPast !== undefined}
                behind={(line, value, column) => {
                  const quotient = divided.find((one) => one === line);
                  if (quotient !== undefined) return quotientIn(quotient, say!(value), dates, shown!);
                  if (column !== 'last') return behind(line, value, dates, undefined, column === 'users');
                  const at = (chart.openFrom ?? chart.times.length) - 1;
                  return behind(line, value, moment(chart.times[at]!), at);
                }}
              />
            </Card>
          )}
        </div>
      </div>
    </>
  );
}

const dayAt = (seconds: number, fallback: number): number =>
  Number.isFinite(seconds) ? Math.floor(seconds / 86_400) : fallback;

const quotientIn =
  (line: DividedLine, text: string, when: string, {freshness}: Shown<unknown>): Behind =>
  ({quotientBehind}) =>
    quotientBehind(line, text, when, freshness);

function linesIn({question, of}: Shown<TrendsAsked>): SeriesLine[] {
  const labels = labelsOf(question.series);
  return linesOf(
    question.series.map((one, at) => {
      const {value, headers} = of<CountsAnswer>(question.pathOf(one));
      const pastPath = question.pastPathOf(one);
      const past = pastPath === undefined ? undefined : of<CountsAnswer>(pastPath).value;
      return value && {label: labels[at]!, measure: one.measure, answer: value, headers, past};
    }),
  );
}

function rowsOf(
  {question, of}: Shown<TrendsAsked>,
  lines: readonly SeriesLine[],
  until: Shown<ReturnType<typeof trendsUntil>> | undefined,
): SeriesRow[] {
  return lines.map((line) => {
    const one = question.series[line.series]!;
    const numbersOf = (path: string | undefined, from: Pick<Shown<unknown>, 'of'>) =>
      path === undefined ? undefined : numbersIn(from.of<CountsAnswer>(path).value, line.row);
    const before = until && numbersOf(until.question?.untilPathOf(one), until);
    const total = one.measure === 'total' ? before?.total : before?.total_value;
    return {
      line,
      users: numbersOf(question.usersPathOf(one), {of})?.total_value ?? undefined,
      before: (line.headers?.has('Report-Incomplete-From') ? total : line.pastTotal) ?? undefined,
    };
  });
}
