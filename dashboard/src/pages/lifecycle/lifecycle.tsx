// Lifecycle: who came, who came back and who stayed away, bucket by bucket; and stickiness, how often they came.

import {useMemo, useState} from 'preact/hooks';
import type {LifecycleAnswer, StickinessAnswer} from '../../../../src/edge/answers/engagement.js';
import {
  type LifecycleQuestion,
  lifecycleForm,
  lifecyclePath,
  stickinessPath,
  usualPeriod,
} from '../../address/engagement-address';
import {daysOf, type Interval} from '../../address/range';
import type {Span} from '../../address/report-address';
import {useAddress} from '../../address/use-address';
import {utc, wallMs} from '../../address/zone';
import {BarChart} from '../../charts/bar-chart';
import type {BarSeries} from '../../charts/bars';
import {soFarText} from '../../charts/comparison';
import {bucketText, clockText, count, datesText, dayText, monthText, percent, secondsOf} from '../../charts/format';
import {TimeTable} from '../../charts/time-table';
import {UserConditions} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {DidPicker} from '../../controls/did-picker';
import {Field, Options} from '../../controls/options';
import {TableFrame} from '../../controls/table-frame';
import {ZoneField} from '../../controls/zone-field';
import type {Stage} from '../../explained/lifecycle';
import {oldest, openFrom} from '../../service/freshness';
import {type Asking, type Shown, useReports} from '../../service/reports';
import {Card} from '../../shell/card';
import {type Behind, Explained, explaining} from '../../shell/explained';
import {CsvButton, CurlButton, TableButton} from '../../shell/page-tools';
import {Question} from '../../shell/question';
import {ReportBody} from '../../shell/report-body';
import {ReportHead} from '../../shell/report-head';
import {Empty} from '../../shell/states';
import {todayIn} from '../../shell/zone-day';
import '../../design/reports.css';
import '../trends/trends.css';

const stages = [
  {key: 'returning', label: 'Returning', tone: 1},
  {key: 'resurrecting', label: 'Resurrecting', tone: 5},
  {key: 'new', label: 'New', tone: 3},
  {key: 'dormant', label: 'Dormant', tone: 2, isBelow: true},
] as const;

export function Lifecycle() {
  const {question, problems, ask} = useAddress(lifecycleForm);
  const place = {zone: question.zone, today: todayIn(question.zone)};
  const days = {...daysOf(question.range, place.today), zone: question.zone};
  const interval = question.every ?? usualPeriod(days);
  const stagesPath = lifecyclePath(question, days, interval);
  const oftenPath = stickinessPath(question, days, interval);
  const asked = {question, days, dates: datesText(days, place.today), interval, zone: question.zone};
  const stagesAsked = useReports<Asked>(asked, [stagesPath]);
  const oftenAsked = useReports<Asked>(asked, [oftenPath]);
  const name = question.event ?? 'any event';
  return (
    <>
      <ReportHead
        title="Lifecycle"
        freshness={oldest([stagesAsked.shown?.freshness, oftenAsked.shown?.freshness])}
        problems={problems}
        range={question.range}
        place={place}
        interval={interval}
        ask={({range, every}) => ask({...(range && {range}), ...(every === undefined ? {} : {every})})}
      />
      <div class="builder">
        <Question>
          <section class="card builder-form" aria-label="What is asked">
            <header>
              <h2>Question</h2>
            </header>
            <div class="builder-rows">
              <Field label="They were active with">
                <DidPicker
                  label="Event"
                  name={question.event}
                  days={days}
                  onChoose={(chosen) => ask({event: chosen})}
                />
                <ConditionList
                  conditions={question.where}
                  keys={{of: 'events', event: question.event ?? undefined, days}}
                  of="of the events"
                  add="+ filter"
                  onChange={(chosen) => ask({where: chosen})}
                />
              </Field>
              <UserConditions conditions={question.user_where} onChange={(chosen) => ask({user_where: chosen})} />
              <ZoneField zone={question.zone} onChoose={(zone) => ask({zone})} />
              <Options
                label="Stickiness counts"
                value={question.often}
                options={[
                  ['exactly', `Exactly so many ${interval}s`],
                  ['at_least', `So many ${interval}s or more`],
                ]}
                onChoose={(often) => ask({often})}
              />
            </div>
          </section>
        </Question>
        <div class="row builder-result">
          <Stages asking={stagesAsked} path={stagesPath} />
          <Often asking={oftenAsked} name={name} />
        </div>
      </div>
    </>
  );
}

interface Asked {
  readonly question: LifecycleQuestion;
  readonly days: Span;
  /** The days in words. */
  readonly dates: string;
  readonly interval: Interval;
  readonly zone: string;
}
type AskingOf = Asking<Asked>;

/** Explanation of a stage in a bucket; without a stage: of all users in the bucket. */
const stageOf =
  (
    {question: {question, days, interval, zone}, freshness}: Shown<Asked>,
    value: number,
    date: string,
    stage?: Stage,
  ): Behind =>
  ({stageBehind}) => {
    const when = bucketText(secondsOf(date), interval, zone);
    return stageBehind({value, question, days, interval, stage, date, when, freshness});
  };

/** Explanation of the users who were active in `buckets` buckets; absent: in any number. */
const oftenOf =
  ({question: asked, freshness}: Shown<Asked>, value: number, isAtLeast: boolean, buckets?: number): Behind =>
  ({oftenBehind}) => {
    const {question, days, dates, interval, zone} = asked;
    return oftenBehind({value, question, days, interval, buckets, isAtLeast, when: `${dates} (${zone})`, freshness});
  };

const tickOf = (date: string, interval: Interval): string => {
  const seconds = secondsOf(date);
  if (interval === 'hour') return clockText(seconds).slice(0, 5);
  return interval === 'day' || interval === 'week' ? dayText(seconds) : monthText(seconds);
};

const activeIn = (bucket: LifecycleAnswer['data'][number]): number =>
  bucket.new + bucket.returning + bucket.resurrecting;

function Stages({asking, path}: {readonly asking: AskingOf; readonly path: string}) {
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
    shown?.reports[0]?.headers,
  );
  const isNobody = series.every(({values}) => values.every((value) => value === 0));
  const last = data[(open ?? data.length) - 1];
  const zone = shown?.question.zone ?? utc;
  const asOfMs = shown?.freshness && wallMs(zone, shown.freshness.asOfMs);
  return (
    <Card
      span={12}
      title="Stages"
      note={`users by the ${interval}${open === undefined ? '' : `, dashed: ${soFarText(asOfMs)} ${zone}`}`}
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
        answer !== undefined && (
          <>
            <CurlButton paths={[shown?.reports[0]?.path ?? path]} />
            <CsvButton
              file="lifecycle"
              rows={() => [
                ['date', 'new', 'returning', 'resurrecting', 'dormant'],
                ...data.map((one) => [one.date, one.new, one.returning, one.resurrecting, one.dormant]),
              ]}
            />
            <TableButton isTable={isTable} onChange={setTable} />
          </>
        )
      }
    >
      <ReportBody asking={asking} reports={shown?.reports ?? []} lines={8}>
        {() => (
          <>
            {isNobody ? (
              <Empty title="Nobody was active in these days">Choose other days, another event or fewer filters.</Empty>
            ) : isTable ? (
              <TimeTable
                label="Stages"
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
                label="Stages"
                bars={data.length}
                series={series}
                openFrom={open}
                openText={soFarText(asOfMs)}
                tick={(at) => tickOf(data[at]!.date, interval)}
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

function Often({asking, name}: {readonly asking: AskingOf; readonly name: string}) {
  const [isTable, setTable] = useState(false);
  const {shown} = asking;
  const answer = shown?.reports[0]?.value as StickinessAnswer | undefined;
  const interval = shown?.question.interval ?? 'day';
  const data = answer?.data ?? [];
  const isAtLeast = answer?.at_least === true;
  const series = useMemo(
    (): BarSeries[] => [{label: 'Users', tone: 4, values: (answer?.data ?? []).map(({users}) => users)}],
    [answer],
  );
  const inWords = (at: number): string => `${at + 1} ${interval}${at === 0 ? '' : 's'}${isAtLeast ? ' or more' : ''}`;
  // The first bar of `at_least` has all users.
  const total = isAtLeast ? (data[0]?.users ?? 0) : (answer?.total ?? 0);
  return (
    <Card
      span={12}
      title="Stickiness"
      note={`users by the number of ${interval}s with ${name}`}
      sum={
        answer !== undefined && (
          <>
            <b>
              <Explained text={count(total)} of="users" behind={oftenOf(shown!, total, isAtLeast)} />
            </b>{' '}
            users
          </>
        )
      }
      tools={
        answer !== undefined && (
          <>
            <CurlButton paths={[shown!.reports[0]!.path]} />
            <CsvButton
              file="stickiness"
              rows={() => [['buckets', 'users'], ...data.map(({buckets, users}) => [buckets, users])]}
            />
            <TableButton isTable={isTable} onChange={setTable} />
          </>
        )
      }
    >
      <ReportBody asking={asking} reports={shown?.reports ?? []} lines={6}>
        {() =>
          total === 0 ? (
            <Empty title="Nobody was active in these days">
              Stickiness counts in how many {interval}s each user was active.
            </Empty>
          ) : isTable ? (
            <TableFrame label="Stickiness, as a table">
              <table class="grid-table">
                <thead>
                  <tr>
                    <th>Active in</th>
                    <th class="number">Users</th>
                    <th class="number">Share</th>
                  </tr>
                </thead>
                <tbody>
                  {data.map(({buckets, users}, at) => (
                    <tr key={buckets}>
                      <td>{inWords(at)}</td>
                      <td class="number">
                        <Explained
                          text={count(users)}
                          of={inWords(at)}
                          behind={oftenOf(shown!, users, isAtLeast, buckets)}
                        />
                      </td>
                      <td class="number">{total === 0 ? '–' : percent(users / total)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </TableFrame>
          ) : (
            <BarChart
              label="Stickiness"
              height={220}
              bars={data.length}
              series={series}
              tick={(at) => String(at + 1)}
              moment={inWords}
            />
          )
        }
      </ReportBody>
    </Card>
  );
}
