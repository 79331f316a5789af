// Picker of an event that users did: of one name, or of any.
import {useState} from 'preact/hooks';
import type {Days} from '../address/range';
import {EventPicker} from './event-picker';
import './did-picker.css';

export function DidPicker({
  label,
  name,
  days,
  onChoose,
}: {
  readonly label: string;
  /** Null: an event of any name. */
  readonly name: string | null;
  readonly days: Days;
  readonly onChoose: (name: string | null) => void;
}) {
  const [isChoosing, setChoosing] = useState(false);
  const isAny = name === null && !isChoosing;
  return (
    <div class="did-picker">
      <label class="check">
        <input
          type="checkbox"
          checked={isAny}
          onChange={({currentTarget}) => {
            setChoosing(!currentTarget.checked);
            if (currentTarget.checked && name !== null) onChoose(null);
          }}
        />
        Any event
      </label>
      {!isAny && (
        <EventPicker
          key={name}
          label={label}
          name={name ?? undefined}
          days={days}
          isFirstFocus={isChoosing}
          onChoose={(chosen) => {
            setChoosing(false);
            onChoose(chosen);
          }}
        />
      )}
    </div>
  );
}
