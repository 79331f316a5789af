// When an alert speaks: how long its condition holds before, how often it is told again, and the quiet hours of chats.
import {NumberField} from '../../controls/number-field';
import {ZoneField} from '../../controls/zone-field';
import type {FieldsProps} from './rule-fields';

export function TimeFields({draft, edit}: FieldsProps) {
  return (
    <details class="more">
      <summary>When it speaks</summary>
      <div class="alert-fields">
        <NumberField
          label="Publications in which it must hold"
          value={draft.held}
          hint="1"
          onType={(held) => edit({held})}
        />
        <NumberField
          label="Told again after, in minutes"
          value={draft.repeat}
          hint="not"
          onType={(repeat) => edit({repeat})}
        />
        <ClockField label="Chats are quiet from" value={draft.quietFrom} onType={(quietFrom) => edit({quietFrom})} />
        <ClockField label="Quiet to" value={draft.quietTo} onType={(quietTo) => edit({quietTo})} />
        <ZoneField zone={draft.zone} onChoose={(zone) => edit({zone})} />
      </div>
    </details>
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
