// Lifecycle: who came, who came back and who stayed away, bucket by bucket; and stickiness, how often they came.

import {writeAddress} from '../../address/codec';
import {lifecycleForm, lifecycleQuestion, stickinessQuestion, usualPeriod} from '../../address/engagement-address';
import {daysOf} from '../../address/range';
import {datesText} from '../../charts/format';
import {UserConditions} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {DidPicker} from '../../controls/did-picker';
import {Field, Options} from '../../controls/options';
import {ZoneField} from '../../controls/zone-field';
import {oldest} from '../../service/freshness';
import {useReports} from '../../service/reports';
import {useAddress} from '../../service/use-address';
import {later} from '../../shell/later';
import type {PinProps} from '../../shell/pin-button';
import {Question, QuestionFields} from '../../shell/question';
import {ReportHead} from '../../shell/report-head';
import {Loading} from '../../shell/states';
import {todayIn} from '../../shell/zone-day';
import type {OftenProps} from './often';
import {type LifecycleAsked, Stages} from './stages';
import '../../design/reports.css';
import '../../design/builder.css';

const Often = later<OftenProps>(
  () => import('./often').then(({Often: Part}) => Part),
  <div class="card span-12">
    <Loading lines={6} />
  </div>,
);

const PinButton = later<PinProps>(() => import('../../shell/pin-button').then(({PinButton: Part}) => Part));

export function Lifecycle() {
  const {question, problems, ask} = useAddress(lifecycleForm);
  const place = {zone: question.zone, today: todayIn(question.zone)};
  const days = {...daysOf(question.range, place.today), zone: question.zone};
  const interval = question.every ?? usualPeriod(days);
  const asked = {question, days, dates: datesText(days, place.today), interval, zone: question.zone};
  const stagesAsked = useReports<LifecycleAsked>(asked, [lifecycleQuestion(question, days, interval)]);
  const oftenAsked = useReports<LifecycleAsked>(asked, [stickinessQuestion(question, days, interval)]);
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
            <Field label="A user is active who did">
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
              label="A bar of stickiness counts users active"
              value={question.often}
              options={[
                ['exactly', `in exactly that many ${interval}s`],
                ['at_least', `in that many ${interval}s or more`],
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
