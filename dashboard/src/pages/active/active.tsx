// Active users: daily, weekly and monthly in one chart and one table, and the stickiness of the product.

import {useMemo, useState} from 'preact/hooks';
import type {ActiveAnswer} from '../../../../src/edge/answers/active-users.js';
import {type ActiveQuestion, activeQuestionForm} from '../../address/active-address';
import {activeAsked, activeUntilPath} from '../../address/active-asked';
import {isShared} from '../../address/base';
import {writeAddress} from '../../address/codec';
import type {Interval} from '../../address/range';
import {metrics, type Span} from '../../address/report-address';
import {useAddress} from '../../address/use-address';
import {wallMs} from '../../address/zone';
import {type AnsweredLine, chartOf, csvRows, figuresOf} from '../../charts/charted';
import {linesNote, soFarText} from '../../charts/comparison';
import {bucketText, count, datesText, percent} from '../../charts/format';
import {stickinessOf} from '../../charts/stickiness';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import {TableFrame} from '../../controls/table-frame';
import {oldest, openFrom} from '../../service/freshness';
import {type Shown, useReports} from '../../service/reports';
import {Card} from '../../shell/card';
import {ChangeText} from '../../shell/change-text';
import {type Behind, Explained, explaining} from '../../shell/explained';
import {later} from '../../shell/later';
import {CsvButton, CurlButton, TableButton} from '../../shell/page-tools';
import type {PinProps} from '../../shell/pin-button';
import {Question} from '../../shell/question';
import {ReportBody} from '../../shell/report-body';
import {ReportHead} from '../../shell/report-head';
import {todayIn} from '../../shell/zone-day';
import {ActiveForm} from './active-form';
import type {BehindRow, ByValueProps} from './by-value';
import {countedHow, metricLabels} from './metrics';
import '../trends/trends.css';
import './active.css';

const ByValue = later<ByValueProps>(() => import('./by-value').then(({ByValue: Part}) => Part));
const PinButton = later<PinProps>(() => import('../../shell/pin-button').then(({PinButton: Part}) => Part));

export function ActiveUsers() {
  const {question, problems, ask} = useAddress(activeQuestionForm);
  const [isTable, setTable] = useState(false);
  const [isStickTable, setStickTable] = useState(false);
  const {zone} = question;
  const place = {zone, today: todayIn(zone)};
  const askedOf = activeAsked(question, place.today);
  const {days, interval, past, paths, pastPaths} = askedOf;
  const what = `${question.event ?? 'event'}${question.where.length === 0 ? '' : ' that passes the filters'}`;
  const asked = {question, dates: datesText(days, place.today), days, interval, past, paths, pastPaths, what, zone};
  const main = useReports(asked, [...paths, ...pastPaths]);
  const {shown} = main;
  const asOfMs = shown?.freshness && wallMs(shown.question.zone, shown.freshness.asOfMs);
  const untilPath = activeUntilPath(question, askedOf, place.today, shown?.freshness?.asOfMs);
  const until = useReports(undefined, untilPath === undefined ? undefined : [untilPath]);

  const shownZone = shown?.question.zone ?? zone;
  const lines = useMemo(
    () =>
      (shown?.question.paths ?? []).flatMap((path, at): AnsweredLine[] => {
        const {value, headers} = shown!.of<ActiveAnswer>(path);
        const pastPath = shown!.question.pastPaths[at];
        const before = pastPath === undefined ? undefined : shown!.of<ActiveAnswer>(pastPath).value;
        if (value === undefined) return [];
        return [{label: metricLabels[value.metric], tone: at + 1, answer: value, headers, past: before}];
      }),
    [shown],
  );
  const chart = useMemo(
    () => chartOf(lines, shown?.question.interval ?? interval, (ms) => wallMs(shownZone, ms)),
    [lines],
  );
  const shownInterval = shown?.question.interval ?? interval;
  const moment = useMemo(
    () => (seconds: number) => bucketText(seconds, shownInterval, shownZone),
    [shownInterval, shownZone],
  );
  const props = {...chart, label: 'Active users', clock: shownInterval === 'hour', zone: shownZone, moment};
  const openText = soFarText(asOfMs);
  const isWhole = lines.length === metrics.length;
  const sticky = useMemo(
    () => (isWhole ? stickinessOf(chart.series[0]!.values, chart.series[2]!.values) : undefined),
    [chart, isWhole],
  );
  const stickyProps = {
    label: 'Stickiness',
    times: chart.times,
    openFrom: chart.openFrom,
    clock: props.clock,
    zone: shownZone,
    moment,
    series: [{label: 'Daily of monthly', tone: 4, values: sticky ?? []}],
    say: (share: number) => percent(share),
  };
  const total = (shown?.reports[0]?.value as ActiveAnswer | undefined)?.total;
  const pastTotal =
    chart.openFrom === undefined
      ? shown?.question.pastPaths[0] === undefined
        ? undefined
        : shown.of<ActiveAnswer>(shown.question.pastPaths[0]).value?.total
      : (until.shown?.reports[0]?.value as ActiveAnswer | undefined)?.total;
  const tools = isWhole && shown !== undefined;
  return (
    <>
      <ReportHead
        title="Active users"
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
          <ActiveForm question={question} days={days} onChange={ask} />
        </Question>
        <div class="builder-result active-result">
          <div class="row">
            <Card
              span={12}
              title="Active users"
              note={
                shown === undefined
                  ? undefined
                  : linesNote({
                      past: shown.question.past,
                      isOpen: chart.openFrom !== undefined,
                      asOfMs,
                      today: place.today,
                      zone: shownZone,
                    })
              }
              sum={
                total !== undefined && (
                  <>
                    <b>
                      <Explained text={count(total)} of="distinct users in all" behind={allOf(shown!, total)} />
                    </b>{' '}
                    distinct users in all
                    {shown?.question.past !== undefined && (
                      <>
                        {' · '}
                        <ChangeText now={total} before={pastTotal} isMoreBetter />
                      </>
                    )}
                  </>
                )
              }
              tools={
                tools && (
                  <>
                    <CurlButton paths={shown.question.paths} />
                    <PinButton
                      page="/active"
                      form={activeQuestionForm}
                      search={writeAddress(activeQuestionForm, question)}
                    />
                    <CsvButton file="active-users" rows={() => csvRows(lines)} />
                    <TableButton isTable={isTable} onChange={setTable} />
                  </>
                )
              }
            >
              <ReportBody asking={main} reports={shown?.reports.slice(0, metrics.length) ?? []} lines={9}>
                {() => (
                  <>
                    {isTable ? (
                      <TimeTable
                        {...props}
                        onNumber={(at, index) =>
                          (explaining.value = pointOf(shown!, lines[index]!, index, at, moment(chart.times[at]!)))
                        }
                      />
                    ) : (
                      <TimeChart
                        {...props}
                        isApart
                        height={330}
                        openText={openText}
                        {...(!isShared && {
                          onRange: (from: number, to: number) =>
                            ask({
                              range: {kind: 'days', from: Math.floor(from / 86_400), to: Math.floor(to / 86_400)},
                              every: null,
                            }),
                        })}
                      />
                    )}
                    <p class="page-note under-chart">
                      {countedHow[shownInterval]} A user is active with at least one {shown?.question.what}. The users
                      in all are each counted once for the whole range: they are not the sum of the points.
                    </p>
                  </>
                )}
              </ReportBody>
            </Card>
          </div>
          <div class="row">
            <Card
              span={7}
              title="Stickiness"
              note="daily users as a share of monthly ones"
              tools={
                sticky !== undefined && (
                  <>
                    <CsvButton
                      file="stickiness"
                      rows={() => [
                        ['date', 'stickiness'],
                        ...lines[0]!.answer.data.map(({date}, at) => [date, sticky[at] ?? null]),
                      ]}
                    />
                    <TableButton isTable={isStickTable} onChange={setStickTable} />
                  </>
                )
              }
            >
              <ReportBody asking={main} reports={shown?.reports.slice(0, metrics.length) ?? []}>
                {() =>
                  isStickTable ? (
                    <TimeTable {...stickyProps} />
                  ) : (
                    <TimeChart
                      {...stickyProps}
                      height={210}
                      format={(share) => percent(share, 0)}
                      openText={openText}
                    />
                  )
                }
              </ReportBody>
            </Card>
            <Card span={5} title="In numbers" note={`by the ${shownInterval}`}>
              <ReportBody asking={main} reports={shown?.reports.slice(0, metrics.length) ?? []}>
                {() => <Numbers lines={lines} shown={shown!} moment={(at) => moment(chart.times[at]!)} />}
              </ReportBody>
            </Card>
          </div>
          {question.by !== null && (
            <div class="row">
              <ByValue question={question} by={question.by} days={days} interval={interval} behind={rowOf(asked)} />
            </div>
          )}
        </div>
      </div>
    </>
  );
}

const mean = new Intl.NumberFormat('en-US', {maximumFractionDigits: 1});

interface Asked {
  readonly question: ActiveQuestion;
  readonly dates: string;
  readonly days: Span;
  readonly interval: Interval;
  readonly zone: string;
}

/** Explanation of the users of all days. */
const allOf =
  ({question: {question, days, dates, zone}, freshness}: Shown<Asked>, value: number): Behind =>
  ({activeBehind}) => {
    return activeBehind({value, question, days, point: undefined, when: `${dates} (${zone})`, freshness});
  };

/** Explanation of the users of a row of the breakdown. */
const rowOf =
  ({question, days, dates, zone}: Asked): BehindRow =>
  (row, rows, freshness) =>
  ({activeBehind}) => {
    const when = `${dates} (${zone})`;
    return activeBehind({value: row.total, question, days, point: undefined, when, row, rows, freshness});
  };

/** Explanation of a point of a metric's line. */
const pointOf =
  (
    {question: {question, days, interval, zone}, freshness}: Shown<Asked>,
    {answer: {data}}: AnsweredLine,
    metric: number,
    at: number,
    bucket: string,
  ): Behind =>
  ({activeBehind}) => {
    const point = {metric: metrics[metric]!, interval, dates: data.map(({date}) => date), at};
    const when = bucket.includes(zone) ? bucket : `${bucket} (${zone})`;
    return activeBehind({value: data[at]!.count ?? 0, question, days, point, when, freshness});
  };

function Numbers({
  lines,
  shown,
  moment,
}: {
  readonly lines: readonly AnsweredLine[];
  readonly shown: Shown<Asked>;
  readonly moment: (at: number) => string;
}) {
  const {interval} = shown.question;
  return (
    <TableFrame label="Active users in numbers">
      <table class="grid-table">
        <thead>
          <tr>
            <th>Users</th>
            <th class="number">Mean</th>
            <th class="number">Last full {interval}</th>
            <th class="number">Now</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, index) => {
            const figures = figuresOf(line.answer, line.headers);
            const newest = openFrom(line.answer.data, line.headers);
            const end = line.answer.data.length;
            const explained = (at: number, value: number, of: string) => (
              <Explained
                text={count(value)}
                of={`${of} of ${line.label}`}
                behind={pointOf(shown, line, index, at, moment(at))}
              />
            );
            return (
              <tr key={line.label} class={`tone-${line.tone}`}>
                <td>
                  <span class="swatch" aria-hidden="true" />
                  {line.label}
                </td>
                <td class="number">{figures.mean === null ? '–' : mean.format(figures.mean)}</td>
                <td class="number">
                  {figures.last === null ? '–' : explained((newest ?? end) - 1, figures.last, `last full ${interval}`)}
                </td>
                <td class="number">{explained(newest ?? end - 1, figures.now, 'now')}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </TableFrame>
  );
}
