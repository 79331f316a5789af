// The fields of Paths: after or before which event, which events and users, and how much is shown.
import {conditionsOf, type Draft, membersOf, ofUsers, usersWith} from '../../address/page-question';
import {homeZone} from '../../address/zone';
import {UsersField} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {EventPicker} from '../../controls/event-picker';
import {Field, Options} from '../../controls/options';
import {ZoneField} from '../../controls/zone-field';
import {QuestionFields} from '../../shell/question';
import type {FieldsProps} from '../report';
import {turnOf} from './behind';

export function Fields({question, days, onChange}: FieldsProps<Draft<'paths'>>) {
  const {users, depth, limit: top} = question;
  const {event, isBefore} = turnOf(question);
  return (
    <QuestionFields>
      <Options
        label="What users do"
        value={isBefore ? 'before' : 'after'}
        options={[
          ['after', 'After they did it for the first time'],
          ['before', 'Before they did it for the last time'],
        ]}
        onChoose={(chosen) => onChange(turned(event, chosen === 'before'))}
      />
      <Field label="The event">
        <EventPicker
          key={event}
          label="Event"
          name={event || undefined}
          days={days}
          onChoose={(name) => onChange(turned(name, isBefore))}
        />
      </Field>
      <Field label="Only events where">
        <ConditionList
          conditions={conditionsOf(question.where)}
          keys={{of: 'events', event: undefined, days}}
          of="of the events"
          onChange={(chosen) => onChange({where: membersOf(chosen)})}
        />
      </Field>
      <UsersField question={ofUsers(question)} onChange={(changed) => onChange({users: usersWith(users, changed)})} />
      <ZoneField zone={question.timezone ?? homeZone()} onChoose={(timezone) => onChange({timezone})} />
      <Options
        label="Steps"
        value={String(depth)}
        options={['2', '3', '4', '5', '6'].map((one) => [one, one] as const)}
        onChoose={(chosen) => onChange({depth: Number(chosen)})}
      />
      <Options
        label="Ways shown from step to step"
        value={String(top)}
        options={topsWith(top).map((one) => [String(one), `The ${one} with most users`] as const)}
        onChoose={(chosen) => onChange({limit: Number(chosen)})}
      />
    </QuestionFields>
  );
}

const turned = (event: string, isBefore: boolean): Pick<Draft<'paths'>, 'start' | 'end'> =>
  isBefore ? {start: undefined, end: {event}} : {start: {event}, end: undefined};

const tops = [5, 8, 15, 30, 50];
const topsWith = (top: number): number[] => (tops.includes(top) ? tops : [...tops, top].sort((a, b) => a - b));
