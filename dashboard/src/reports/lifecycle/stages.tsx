// The stages of life, bucket by bucket, in a card: who came, who came back and who stayed away.

import {useMemo, useState} from 'preact/hooks';
import type {LifecycleAnswer} from '../../../../src/edge/answers/engagement.js';
import type {Draft} from '../../address/page-question';
import type {Interval} from '../../address/range';
import type {Span} from '../../address/report-address';
import {homeZone, wallMs} from '../../address/zone';
import {BarChart} from '../../charts/bar-chart';
import type {BarSeries} from '../../charts/bars';
import {tickText} from '../../charts/bars';
import {soFarText} from '../../charts/comparison';
import {bucketText, count, secondsOf} from '../../charts/format';
import {TimeTable} from '../../charts/time-table';
import {openFrom} from '../../service/freshness';
import type {Asking, Shown} from '../../service/reports';
import {Card} from '../../shell/card';
import type {EmptyDaysProps} from '../../shell/empty-days';
import {type Behind, Explained, explaining} from '../../shell/explained';
import {later} from '../../shell/later';
import {ReportTools} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import type {ResultProps} from '../report';
import {type Stage, stageBehind} from './behind';

const EmptyDays = later<EmptyDaysProps>(() => import('../../shell/empty-days').then(({EmptyDays: Part}) => Part));

const stages = [
  {key: 'returning', label: 'Returning', tone: 1},
  {key: 'resurrecting', label: 'Resurrecting', tone: 5},
  {key: 'new', label: 'New', tone: 3},
  {key: 'dormant', label: 'Dormant', tone: 2, isBelow: true},
] as const;

export interface LifecycleAsked {
  readonly question: Draft<'lifecycle'>;
  readonly days: Span;
  /** The days in words. */
  readonly dates: string;
  readonly interval: Interval;
  readonly zone: string;
}

/** Explanation of a stage in a bucket; without a stage: of all users in the bucket. */
const stageOf =
  (
    {question: {question, days, interval, zone}, freshness}: Shown<LifecycleAsked>,
    value: number,
    date: string,
    stage?: Stage,
  ): Behind =>
  () => {
    const when = bucketText(secondsOf(date), interval, zone);
    return stageBehind({value, question, days, interval, stage, date, when, freshness});
  };

const activeIn = (bucket: LifecycleAnswer['data'][number]): number =>
  bucket.new + bucket.returning + bucket.resurrecting;

export function Stages({
  asking,
  tile,
  tools,
}: Pick<ResultProps<unknown>, 'tile' | 'tools'> & {readonly asking: Asking<LifecycleAsked>}) {
  const title = tile?.title ?? 'Stages';
  const [isTable, setTable] = useState(false);
  const {shown} = asking;
  const answer = shown?.reports[0]?.value as LifecycleAnswer | undefined;
  const interval = shown?.question.interval ?? 'day';
  const data = answer?.data ?? [];
  const series = useMemo(
    () =>
      stages.map(({key, ...rest}): BarSeries => ({...rest, values: (answer?.data ?? []).map((bucket) => bucket[key])})),
    [answer],
  );
  const open = openFrom(
    data.map(({date}) => ({date, count: 0})),
    shown?.reports[0]?.meta,
  );
  const isNobody = series.every(({values}) => values.every((value) => value === 0));
  const {events = [], where = [], users} = shown?.question.question ?? {};
  const isNarrow = events.length + where.length + (users?.where ?? []).length > 0;
  const last = data[(open ?? data.length) - 1];
  const zone = shown?.question.zone ?? homeZone();
  const asOfMs = shown?.freshness && wallMs(zone, shown.freshness.asOfMs);
  const note = `users by the ${interval}${open === undefined ? '' : `, dashed: ${soFarText(asOfMs)} ${zone}`}`;
  return (
    <Card
      span={12}
      title={title}
      note={note}
      address={tile?.address}
      sum={
        last !== undefined && (
          <>
            <b>
              <Explained
                text={count(activeIn(last))}
                of={`in the last full ${interval}`}
                behind={stageOf(shown!, activeIn(last), last.date)}
              />
            </b>{' '}
            in the last full {interval}
          </>
        )
      }
      tools={
        <>
          {tools}
          {answer !== undefined && (
            <ReportTools
              paths={[shown!.reports[0]!.path]}
              csv={{
                file: 'lifecycle',
                rows: () => [
                  ['date', 'new', 'returning', 'resurrecting', 'dormant'],
                  ...data.map((one) => [one.date, one.new, one.returning, one.resurrecting, one.dormant]),
                ],
              }}
              table={{isTable, onChange: setTable}}
            />
          )}
        </>
      }
    >
      {tile?.before}
      <ReportBody asking={asking} reports={shown?.reports ?? []} lines={8}>
        {() => (
          <>
            {isNobody ? (
              <EmptyDays title="Nobody was active in these days">
                Choose other days{isNarrow && ', another event or fewer filters'}.
              </EmptyDays>
            ) : isTable ? (
              <TimeTable
                label={title}
                times={data.map(({date}) => secondsOf(date))}
                series={series}
                openFrom={open}
                moment={(seconds) => bucketText(seconds, interval, zone)}
                zone={zone}
                onNumber={(at, index) => {
                  const {key} = stages[index]!;
                  explaining.value = stageOf(shown!, data[at]![key], data[at]!.date, key);
                }}
              />
            ) : (
              <BarChart
                label={title}
                bars={data.length}
                series={series}
                openFrom={open}
                openText={soFarText(asOfMs)}
                tick={(at) => tickText(secondsOf(data[at]!.date), interval)}
                moment={(at) => bucketText(secondsOf(data[at]!.date), interval, zone)}
              />
            )}
            <p class="page-note under-chart">
              New: for the first time of all time. Returning: also in the {interval} before. Resurrecting: not in the{' '}
              {interval} before, but earlier. Dormant: in the {interval} before and not in this one; of a {interval}{' '}
              that is not over they may still come.
            </p>
          </>
        )}
      </ReportBody>
    </Card>
  );
}
