// The fields of Active users: the event that makes a user active, and the breakdown.
import type {ActiveQuestion} from '../../address/active-address';
import {metrics} from '../../address/report-address';
import {ByField, UsersField} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {DidPicker} from '../../controls/did-picker';
import {Field, Options} from '../../controls/options';
import {ZoneField} from '../../controls/zone-field';
import {QuestionFields} from '../../shell/question';
import type {FieldsProps} from '../report';
import {metricLabels} from './metrics';

export function Fields({question, days, onChange}: FieldsProps<ActiveQuestion>) {
  const {event, where, by, metric} = question;
  return (
    <QuestionFields>
      <Field label="A user is active who did">
        <DidPicker label="Event" name={event} days={days} onChoose={(chosen) => onChange({event: chosen})} />
        <ConditionList
          conditions={where}
          keys={{of: 'events', event: event ?? undefined, days}}
          of="of the events"
          add="+ filter"
          onChange={(chosen) => onChange({where: chosen})}
        />
      </Field>
      <UsersField question={question} onChange={onChange} />
      <ByField by={by} event={event ?? undefined} days={days} onChange={(chosen) => onChange({by: chosen})} />
      <ZoneField zone={question.zone} onChoose={(zone) => onChange({zone})} />
      {by !== null && (
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
