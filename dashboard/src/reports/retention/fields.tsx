// The fields of Retention: who begins, what a return is, and how both are counted.
import {periodsMax, type RetentionQuestion} from '../../address/engagement-address';
import {UsersField} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {DidPicker} from '../../controls/did-picker';
import {EventPicker} from '../../controls/event-picker';
import {Field, Options} from '../../controls/options';
import {ZoneField} from '../../controls/zone-field';
import {QuestionFields} from '../../shell/question';
import type {FieldsProps} from '../report';

const periodCounts = [6, 12, 24, 36, periodsMax];

export function Fields({question, days, onChange}: FieldsProps<RetentionQuestion>) {
  const {start, return: back, cohort, criteria, frame, periods, show} = question;
  const counts = periodCounts.includes(periods) ? periodCounts : [periods, ...periodCounts].sort((a, b) => a - b);
  return (
    <QuestionFields>
      <Field label="They began with">
        <EventPicker
          key={start}
          label="Start event"
          name={start ?? undefined}
          days={days}
          onChoose={(name) => onChange({start: name})}
        />
        <ConditionList
          conditions={question.start_where}
          keys={{of: 'events', event: start ?? undefined, days}}
          of="of the start"
          add="+ filter"
          onChange={(chosen) => onChange({start_where: chosen})}
        />
      </Field>
      <Field label="They returned with">
        <DidPicker label="Return event" name={back} days={days} onChoose={(name) => onChange({return: name})} />
        <ConditionList
          conditions={question.return_where}
          keys={{of: 'events', event: back ?? undefined, days}}
          of="of the return"
          add="+ filter"
          onChange={(chosen) => onChange({return_where: chosen})}
        />
      </Field>
      <UsersField question={question} onChange={onChange} />
      <Options
        label="Who is in a cohort"
        value={cohort}
        options={[
          ['first', 'Users who did it for the first time'],
          ['recurring', 'Every user who did it in that period'],
        ]}
        onChoose={(chosen) => onChange({cohort: chosen})}
      />
      <Options
        label="A return counts"
        value={criteria}
        options={[
          ['on', 'In exactly that period'],
          ['on_or_after', 'In that period or a later one'],
        ]}
        onChoose={(chosen) => onChange({criteria: chosen})}
      />
      <Options
        label="Periods"
        value={frame}
        options={[
          ['calendar', 'Calendar days, weeks or months'],
          ['rolling', "From each user's own start"],
        ]}
        onChoose={(chosen) => onChange({frame: chosen})}
      />
      <ZoneField zone={question.zone} onChoose={(zone) => onChange({zone})} />
      <Options
        label="Number of periods"
        value={String(periods)}
        options={counts.map((one) => [String(one), String(one)] as const)}
        onChoose={(chosen) => onChange({periods: Number(chosen)})}
      />
      <Options
        label="Cells show"
        value={show}
        options={[
          ['share', 'The share of the cohort'],
          ['users', 'The number of users'],
        ]}
        onChoose={(chosen) => onChange({show: chosen})}
      />
    </QuestionFields>
  );
}
