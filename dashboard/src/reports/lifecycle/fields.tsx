// The fields of Lifecycle: what makes a user active, and what a bar of stickiness counts.
import {usualPeriod} from '../../../../src/asks/question/usual.js';
import {conditionsOf, type Draft, membersOf, ofUsers, usersWith} from '../../address/page-question';
import {homeZone} from '../../address/zone';
import {UsersField} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {DidPicker} from '../../controls/did-picker';
import {Field, Options} from '../../controls/options';
import {ZoneField} from '../../controls/zone-field';
import {QuestionFields} from '../../shell/question';
import type {FieldsProps} from '../report';

export function Fields({question, days, onChange}: FieldsProps<Draft<'lifecycle'>>) {
  const {events: [entry] = [], where, users, view} = question;
  const interval = question.interval ?? usualPeriod(days);
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
      <ZoneField zone={question.timezone ?? homeZone()} onChoose={(timezone) => onChange({timezone})} />
      <Options
        label="A bar of stickiness counts users active"
        value={view?.often ?? 'exactly'}
        options={[
          ['exactly', `in exactly that many ${interval}s`],
          ['at_least', `in that many ${interval}s or more`],
        ]}
        onChoose={(often) => onChange({view: {often: often === 'at_least' ? often : undefined}})}
      />
    </QuestionFields>
  );
}
