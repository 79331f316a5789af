// A number in a form, as text.
import './number-field.css';

export function NumberField({
  label,
  value,
  hint,
  onType,
}: {
  readonly label: string;
  readonly value: string;
  /** What counts while it is empty. */
  readonly hint?: string;
  readonly onType: (text: string) => void;
}) {
  return (
    <label>
      {label}
      <input
        inputMode="decimal"
        autocomplete="off"
        placeholder={hint}
        value={value}
        onInput={({currentTarget}) => onType(currentTarget.value)}
      />
    </label>
  );
}
