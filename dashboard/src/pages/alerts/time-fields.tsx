// When an alert speaks: how long its condition holds before, how often it is told again, and the quiet hours of chats.
import {MoreFields} from '../../controls/more-fields';
import {NumberField} from '../../controls/number-field';
import {ZoneField} from '../../controls/zone-field';
import type {FieldsProps} from './rule-fields';

export function TimeFields({draft, edit}: FieldsProps) {
  return (
    <MoreFields title="When it notifies">
      <div class="number-fields">
        <NumberField
          label="Publications in a row before it fires"
          value={draft.held}
          hint="1"
          onType={(held) => edit({held})}
        />
        <NumberField
          label="Reminder every, in minutes"
          value={draft.repeat}
          hint="none"
          onType={(repeat) => edit({repeat})}
        />
        <ClockField label="Chats are silent from" value={draft.quietFrom} onType={(quietFrom) => edit({quietFrom})} />
        <ClockField label="Silent until" value={draft.quietTo} onType={(quietTo) => edit({quietTo})} />
        <ZoneField zone={draft.zone} onChoose={(zone) => edit({zone})} />
      </div>
    </MoreFields>
  );
}

const ClockField = ({
  label,
  value,
  onType,
}: {
  readonly label: string;
  readonly value: string;
  readonly onType: (text: string) => void;
}) => (
  <label>
    {label}
    <input type="time" value={value} onInput={({currentTarget}) => onType(currentTarget.value.slice(0, 5))} />
  </label>
);
