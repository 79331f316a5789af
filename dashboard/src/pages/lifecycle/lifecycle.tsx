// Lifecycle: who came, who came back and who stayed away, bucket by bucket; and stickiness, how often they came.

import {useMemo, useState} from 'preact/hooks';
import type {StickinessAnswer} from '../../../../src/edge/answers/engagement.js';
import {writeAddress} from '../../address/codec';
import {lifecycleForm, lifecyclePath, stickinessPath, usualPeriod} from '../../address/engagement-address';
import {daysOf} from '../../address/range';
import {useAddress} from '../../address/use-address';
import {BarChart} from '../../charts/bar-chart';
import type {BarSeries} from '../../charts/bars';
import {count, datesText, percent} from '../../charts/format';
import {UserConditions} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {DidPicker} from '../../controls/did-picker';
import {Field, Options} from '../../controls/options';
import {TableFrame} from '../../controls/table-frame';
import {ZoneField} from '../../controls/zone-field';
import {oldest} from '../../service/freshness';
import {type Asking, type Shown, useReports} from '../../service/reports';
import {Card} from '../../shell/card';
import {type Behind, Explained} from '../../shell/explained';
import {later} from '../../shell/later';
import {CsvButton, CurlButton, TableButton} from '../../shell/page-tools';
import type {PinProps} from '../../shell/pin-button';
import {Question, QuestionFields} from '../../shell/question';
import {ReportBody} from '../../shell/report-body';
import {ReportHead} from '../../shell/report-head';
import {Empty} from '../../shell/states';
import {todayIn} from '../../shell/zone-day';
import {type LifecycleAsked, Stages} from './stages';
import '../../design/reports.css';
import '../trends/trends.css';

const PinButton = later<PinProps>(() => import('../../shell/pin-button').then(({PinButton: Part}) => Part));

export function Lifecycle() {
  const {question, problems, ask} = useAddress(lifecycleForm);
  const place = {zone: question.zone, today: todayIn(question.zone)};
  const days = {...daysOf(question.range, place.today), zone: question.zone};
  const interval = question.every ?? usualPeriod(days);
  const stagesPath = lifecyclePath(question, days, interval);
  const oftenPath = stickinessPath(question, days, interval);
  const asked = {question, days, dates: datesText(days, place.today), interval, zone: question.zone};
  const stagesAsked = useReports<LifecycleAsked>(asked, [stagesPath]);
  const oftenAsked = useReports<LifecycleAsked>(asked, [oftenPath]);
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
          <QuestionFields>
            <Field label="They were active with">
              <DidPicker label="Event" name={question.event} days={days} onChoose={(chosen) => ask({event: chosen})} />
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
          </QuestionFields>
        </Question>
        <div class="row builder-result">
          <Stages
            title="Stages"
            asking={stagesAsked}
            tools={<PinButton page="/lifecycle" form={lifecycleForm} search={writeAddress(lifecycleForm, question)} />}
          />
          <Often asking={oftenAsked} name={name} />
        </div>
      </div>
    </>
  );
}

type AskingOf = Asking<LifecycleAsked>;

/** Explanation of the users who were active in `buckets` buckets; absent: in any number. */
const oftenOf =
  ({question: asked, freshness}: Shown<LifecycleAsked>, value: number, isAtLeast: boolean, buckets?: number): Behind =>
  ({oftenBehind}) => {
    const {question, days, dates, interval, zone} = asked;
    return oftenBehind({value, question, days, interval, buckets, isAtLeast, when: `${dates} (${zone})`, freshness});
  };

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
