// The fields of Paths: after or before which event, which events and users, and how much is shown.
import type {PathsQuestion} from '../../address/engagement-address';
import {UsersField} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {EventPicker} from '../../controls/event-picker';
import {Field, Options} from '../../controls/options';
import {ZoneField} from '../../controls/zone-field';
import {QuestionFields} from '../../shell/question';
import type {FieldsProps} from '../report';

export function Fields({question, days, onChange}: FieldsProps<PathsQuestion>) {
  const {event, direction, depth, top} = question;
  return (
    <QuestionFields>
      <Options
        label="What users do"
        value={direction}
        options={[
          ['after', 'After they did it for the first time'],
          ['before', 'Before they did it for the last time'],
        ]}
        onChoose={(chosen) => onChange({direction: chosen})}
      />
      <Field label="The event">
        <EventPicker
          key={event}
          label="Event"
          name={event ?? undefined}
          days={days}
          onChoose={(name) => onChange({event: name})}
        />
      </Field>
      <Field label="Only events where">
        <ConditionList
          conditions={question.where}
          keys={{of: 'events', event: undefined, days}}
          of="of the events"
          add="+ filter"
          onChange={(where) => onChange({where})}
        />
      </Field>
      <UsersField question={question} onChange={onChange} />
      <ZoneField zone={question.zone} onChoose={(zone) => onChange({zone})} />
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
        onChoose={(chosen) => onChange({top: Number(chosen)})}
      />
    </QuestionFields>
  );
}

const tops = [5, 8, 15, 30, 50];
const topsWith = (top: number): number[] => (tops.includes(top) ? tops : [...tops, top].sort((a, b) => a - b));
