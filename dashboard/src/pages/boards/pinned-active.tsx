// Pinned active users: within 1, 7 and 30 days over time, or by the values of a property.

import type {ComponentChildren} from 'preact';
import {useMemo, useState} from 'preact/hooks';
import type {ActiveAnswer} from '../../../../src/edge/answers/active-users.js';
import {type ActiveQuestion, activePath, activeQuestionForm} from '../../address/active-address';
import {pageAddress} from '../../address/base';
import {readAddress, writeAddress} from '../../address/codec';
import {conditionText} from '../../address/conditions';
import type {Days, Interval} from '../../address/range';
import {metrics} from '../../address/report-address';
import {utc} from '../../address/zone';
import {type AnsweredLine, chartOf, csvRows, momentOf} from '../../charts/charted';
import {linesNote, soFarText} from '../../charts/comparison';
import {count, datesText} from '../../charts/format';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import {onCrosshair, useMarks} from '../../service/marks';
import {Card} from '../../shell/card';
import {type Behind, Explained, explaining} from '../../shell/explained';
import {later} from '../../shell/later';
import {CsvButton, CurlButton, TableButton} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {today} from '../../shell/today';
import type {BehindRow, ByValueProps} from '../active/by-value';
import {metricLabels} from '../active/metrics';
import {Lost} from './lost';
import {type TileProps, useTile} from './tile';

const ByValue = later<ByValueProps>(() => import('../active/by-value').then(({ByValue: Part}) => Part));

/** `Active users of signup, plan is pro`. */
function titleOf({event, where, user_where: userWhere, by}: ActiveQuestion): string {
  const of = event === null ? '' : ` of ${event}`;
  const values = by === null ? '' : ` by ${by.replace(/^trait:/, '')}`;
  return [`Active users${of}${values}`, ...[...where, ...userWhere].map(conditionText)].join(', ');
}

export function PinnedActive(props: TileProps) {
  const {question, problems} = useMemo(() => readAddress(activeQuestionForm, props.search), [props.search]);
  const lost = <Lost problems={problems} />;
  const {by} = question;
  return by === null ? (
    <OverTime {...props} question={question} lost={lost} />
  ) : (
    <OfValues {...props} question={question} by={by} lost={lost} />
  );
}

interface AskedProps extends TileProps {
  readonly question: ActiveQuestion;
  readonly lost: ComponentChildren;
}

interface Asked {
  readonly days: Days;
  readonly interval: Interval;
  readonly past: Days | undefined;
  readonly paths: readonly string[];
  readonly pastPaths: readonly string[];
}

const addressOf = (question: ActiveQuestion, {range}: TileProps): string =>
  pageAddress('/active') + writeAddress(activeQuestionForm, {...question, range});

function OverTime({question, lost, ...tile}: AskedProps) {
  const {days, interval, past, tools, onRange, onFresh} = tile;
  const [isTable, setTable] = useState(false);
  const pathsOf = (span: Days): string[] => metrics.map((metric) => activePath(question, metric, span, interval));
  const asked: Asked = {days, interval, past, paths: pathsOf(days), pastPaths: past === undefined ? [] : pathsOf(past)};
  const asking = useTile(onFresh, asked, [...asked.paths, ...asked.pastPaths]);
  const {shown} = asking;
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
  const shownInterval = shown?.question.interval ?? interval;
  const chart = useMemo(() => chartOf(lines, shownInterval), [lines]);
  const moment = useMemo(() => momentOf(shownInterval), [shownInterval]);
  const asOfMs = shown?.freshness?.asOfMs;
  const marks = useMarks(chart.times, shown?.question.days.to ?? 0);
  const title = titleOf(question);
  const props = {...chart, label: title, clock: shownInterval === 'hour', moment};
  const total = (shown?.reports[0]?.value as ActiveAnswer | undefined)?.total;
  const allBehind: Behind = ({activeBehind}) => {
    const when = `${datesText(shown!.question.days, today.peek())} (UTC)`;
    const {freshness, question: of} = shown!;
    return activeBehind({value: total!, question, days: of.days, point: undefined, when, freshness});
  };
  const note = linesNote({
    what: past === undefined ? 'within 1, 7 and 30 days' : `by the ${shownInterval}`,
    past: shown?.question.past,
    isOpen: chart.openFrom !== undefined,
    asOfMs,
    today: today.value,
  });
  return (
    <Card
      span={12}
      title={title}
      note={<a href={addressOf(question, tile)}>{note}</a>}
      sum={
        total !== undefined && (
          <>
            <b>
              <Explained text={count(total)} of="users in all" behind={allBehind} />
            </b>{' '}
            users in all
          </>
        )
      }
      tools={
        <>
          {lines.length > 0 && (
            <>
              <CurlButton paths={shown!.question.paths} />
              <CsvButton file="active-users" rows={() => csvRows(lines)} />
              <TableButton isTable={isTable} onChange={setTable} />
            </>
          )}
          {tools(title)}
        </>
      }
    >
      {lost}
      <ReportBody asking={asking} reports={shown?.reports.slice(0, metrics.length) ?? []} lines={7}>
        {() =>
          isTable ? (
            <TimeTable
              {...props}
              onNumber={(at, index) => {
                const {data} = lines[index]!.answer;
                const {freshness, question: of} = shown!;
                const dates = data.map(({date}) => date);
                const point = {metric: metrics[index]!, interval: of.interval, dates, at};
                const when = `${moment(chart.times[at]!)} (UTC)`;
                explaining.value = ({activeBehind}) => {
                  return activeBehind({value: data[at]!.count ?? 0, question, days: of.days, point, when, freshness});
                };
              }}
            />
          ) : (
            <TimeChart
              {...props}
              height={250}
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

function OfValues({question, by, lost, ...tile}: AskedProps & {readonly by: string}) {
  const {days, interval, tools, onFresh} = tile;
  const title = titleOf(question);
  const when = `${datesText(days, today.value)} (UTC)`;
  const behind: BehindRow =
    (row, rows, freshness) =>
    ({activeBehind}) =>
      activeBehind({value: row.total, question, days, point: undefined, when, row, rows, freshness});
  return (
    <ByValue
      title={title}
      address={addressOf(question, tile)}
      question={question}
      by={by}
      days={{...days, zone: utc}}
      interval={interval}
      behind={behind}
      tools={tools(title)}
      before={lost}
      onFresh={onFresh}
    />
  );
}
