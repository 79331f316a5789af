// The fields of Active users: the event that makes a user active, and the breakdown.
import {
  breakdownsBy,
  bysOf,
  conditionsOf,
  type Draft,
  membersOf,
  ofUsers,
  usersWith,
} from '../../address/page-question';
import {metrics} from '../../address/report-address';
import {homeZone} from '../../address/zone';
import {ByField, UsersField} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {DidPicker} from '../../controls/did-picker';
import {Field, Options} from '../../controls/options';
import {ZoneField} from '../../controls/zone-field';
import {QuestionFields} from '../../shell/question';
import type {FieldsProps} from '../report';
import {metricLabels} from './metrics';

export function Fields({question, days, onChange}: FieldsProps<Draft<'active'>>) {
  const {events: [entry] = [], where, users, metric} = question;
  const by = bysOf(question);
  return (
    <QuestionFields>
      <Field label="A user is active who did">
        <DidPicker
          label="Event"
          name={entry?.event ?? null}
          days={days}
          onChoose={(event) => onChange({events: event === null ? [] : [{event}]})}
        />
        <ConditionList
          conditions={conditionsOf(where)}
          keys={{of: 'events', event: entry?.event, days}}
          of="of the events"
          onChange={(chosen) => onChange({where: membersOf(chosen)})}
        />
      </Field>
      <UsersField question={ofUsers(question)} onChange={(changed) => onChange({users: usersWith(users, changed)})} />
      <ByField
        by={by}
        event={entry?.event}
        days={days}
        onChange={(chosen) => onChange({breakdown: breakdownsBy(chosen)})}
      />
      <ZoneField zone={question.timezone ?? homeZone()} onChoose={(timezone) => onChange({timezone})} />
      {by.length > 0 && (
        <Options
          label="The breakdown counts"
          value={metric}
          options={metrics.map((one) => [one, `${metricLabels[one]} users`] as const)}
          onChoose={(chosen) => onChange({metric: chosen})}
        />
      )}
    </QuestionFields>
  );
}
