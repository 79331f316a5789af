// Active users: daily, weekly and monthly in one chart and one table, and the stickiness of the product.

import {useMemo, useState} from 'preact/hooks';
import type {ActiveAnswer} from '../../../../src/edge/answers.js';
import {activeQuestionForm} from '../../address/active-address';
import {activeAsked, activeUntilPath} from '../../address/active-asked';
import {isShared} from '../../address/base';
import {metrics} from '../../address/report-address';
import {useAddress} from '../../address/use-address';
import {wallMs} from '../../address/zone';
import {type AnsweredLine, chartOf, csvRows, figuresOf} from '../../charts/charted';
import {linesNote, soFarText} from '../../charts/comparison';
import {bucketText, count, percent} from '../../charts/format';
import {stickinessOf} from '../../charts/stickiness';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import {TableFrame} from '../../controls/table-frame';
import {oldest} from '../../service/freshness';
import {useReports} from '../../service/reports';
import {Card} from '../../shell/card';
import {ChangeText} from '../../shell/change-text';
import {later} from '../../shell/later';
import {CsvButton, CurlButton, TableButton} from '../../shell/page-tools';
import {Question} from '../../shell/question';
import {ReportBody} from '../../shell/report-body';
import {ReportHead} from '../../shell/report-head';
import {todayIn} from '../../shell/zone-day';
import {ActiveForm} from './active-form';
import {countedHow, metricLabels} from './metrics';
import '../trends/trends.css';
import './active.css';

const ByValue = later(() => import('./by-value').then(({ByValue: Part}) => Part));

export function ActiveUsers() {
  const {question, problems, ask} = useAddress(activeQuestionForm);
  const [isTable, setTable] = useState(false);
  const [isStickTable, setStickTable] = useState(false);
  const {zone} = question;
  const place = {zone, today: todayIn(zone)};
  const asked = activeAsked(question, place.today);
  const {days, interval, past, paths, pastPaths} = asked;
  const what = `${question.event ?? 'event'}${question.where.length === 0 ? '' : ' that passes the filters'}`;
  const main = useReports({days, interval, past, paths, pastPaths, what, zone}, [...paths, ...pastPaths]);
  const {shown} = main;
  const asOfMs = shown?.freshness && wallMs(shown.question.zone, shown.freshness.asOfMs);
  const untilPath = activeUntilPath(question, asked, place.today, shown?.freshness?.asOfMs);
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
                    <b>{count(total)}</b> distinct users in all{' '}
                    {shown?.question.past !== undefined && <ChangeText now={total} before={pastTotal} isMoreBetter />}
                  </>
                )
              }
              tools={
                tools && (
                  <>
                    <CurlButton paths={shown.question.paths} />
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
                      <TimeTable {...props} />
                    ) : (
                      <TimeChart
                        {...props}
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
              note="daily of monthly users: how much of a month a user comes"
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
                {() => <Numbers lines={lines} interval={shownInterval} />}
              </ReportBody>
            </Card>
          </div>
          {question.by !== null && <ByValue question={question} by={question.by} days={days} interval={interval} />}
        </div>
      </div>
    </>
  );
}

const mean = new Intl.NumberFormat('en-US', {maximumFractionDigits: 1});

function Numbers({lines, interval}: {readonly lines: readonly AnsweredLine[]; readonly interval: string}) {
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
          {lines.map((line) => {
            const figures = figuresOf(line.answer, line.headers);
            return (
              <tr key={line.label} class={`tone-${line.tone}`}>
                <td>
                  <span class="swatch" aria-hidden="true" />
                  {line.label}
                </td>
                <td class="number">{figures.mean === null ? '–' : mean.format(figures.mean)}</td>
                <td class="number">{figures.last === null ? '–' : count(figures.last)}</td>
                <td class="number">{count(figures.now)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </TableFrame>
  );
}
