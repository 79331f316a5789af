// The fields of Lifecycle: what makes a user active, and what a bar of stickiness counts.
import {type LifecycleQuestion, usualPeriod} from '../../address/engagement-address';
import {UsersField} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {DidPicker} from '../../controls/did-picker';
import {Field, Options} from '../../controls/options';
import {ZoneField} from '../../controls/zone-field';
import {QuestionFields} from '../../shell/question';
import type {FieldsProps} from '../report';

export function Fields({question, days, onChange}: FieldsProps<LifecycleQuestion>) {
  const interval = question.every ?? usualPeriod(days);
  return (
    <QuestionFields>
      <Field label="A user is active who did">
        <DidPicker label="Event" name={question.event} days={days} onChoose={(event) => onChange({event})} />
        <ConditionList
          conditions={question.where}
          keys={{of: 'events', event: question.event ?? undefined, days}}
          of="of the events"
          add="+ filter"
          onChange={(where) => onChange({where})}
        />
      </Field>
      <UsersField question={question} onChange={onChange} />
      <ZoneField zone={question.zone} onChoose={(zone) => onChange({zone})} />
      <Options
        label="A bar of stickiness counts users active"
        value={question.often}
        options={[
          ['exactly', `in exactly that many ${interval}s`],
          ['at_least', `in that many ${interval}s or more`],
        ]}
        onChoose={(often) => onChange({often})}
      />
    </QuestionFields>
  );
}
