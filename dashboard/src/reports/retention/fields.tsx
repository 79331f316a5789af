// The fields of Retention: who begins, what a return is, and how both are counted.
import {retentionPeriodsMax as periodsMax} from '../../../../actors/limits.js';
import {conditionsOf, type Draft, membersOf, ofUsers, usersWith} from '../../address/page-question';
import {homeZone} from '../../address/zone';
import {UsersField} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {DidPicker} from '../../controls/did-picker';
import {EventPicker} from '../../controls/event-picker';
import {Field, Options} from '../../controls/options';
import {ZoneField} from '../../controls/zone-field';
import {QuestionFields} from '../../shell/question';
import type {FieldsProps} from '../report';

const periodCounts = [6, 12, 24, 36, periodsMax];

export function Fields({question, days, onChange}: FieldsProps<Draft<'retention'>>) {
  const {start, return: back, users, cohort, criteria, frame, periods, view} = question;
  const counts = periodCounts.includes(periods) ? periodCounts : [periods, ...periodCounts].sort((a, b) => a - b);
  return (
    <QuestionFields>
      <Field label="Start event">
        <EventPicker
          key={start.event}
          label="Start event"
          name={start.event || undefined}
          days={days}
          onChoose={(event) => onChange({start: {...start, event}})}
        />
        <ConditionList
          conditions={conditionsOf(start.where)}
          keys={{of: 'events', event: start.event || undefined, days}}
          of="of the start"
          onChange={(chosen) => onChange({start: {...start, where: membersOf(chosen)}})}
        />
      </Field>
      <Field label="Return event">
        <DidPicker
          label="Return event"
          name={back?.event ?? null}
          days={days}
          onChoose={(event) => onChange({return: {...back, event: event ?? undefined}})}
        />
        <ConditionList
          conditions={conditionsOf(back?.where)}
          keys={{of: 'events', event: back?.event, days}}
          of="of the return"
          onChange={(chosen) => onChange({return: {...back, where: membersOf(chosen)}})}
        />
      </Field>
      <UsersField question={ofUsers(question)} onChange={(changed) => onChange({users: usersWith(users, changed)})} />
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
        label="Return"
        value={criteria}
        options={[
          ['on', 'On that period'],
          ['on_or_after', 'On or after that period'],
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
      <ZoneField zone={question.timezone ?? homeZone()} onChoose={(timezone) => onChange({timezone})} />
      <Options
        label="Number of periods"
        value={String(periods)}
        options={counts.map((one) => [String(one), String(one)] as const)}
        onChoose={(chosen) => onChange({periods: Number(chosen)})}
      />
      <Options
        label="Cells show"
        value={view?.show ?? 'share'}
        options={[
          ['share', 'The share of the cohort'],
          ['users', 'The number of users'],
        ]}
        onChoose={(chosen) => onChange({view: {show: chosen === 'users' ? chosen : undefined}})}
      />
    </QuestionFields>
  );
}
