// Fields of a form: one of a few words, with a name; and a name for a field that has none of its own.
import type {ComponentChildren} from 'preact';
import {useId} from 'preact/hooks';
import './options.css';

export function Options<Word extends string>({
  label,
  value,
  options,
  onChoose,
}: {
  readonly label: string;
  readonly value: Word;
  readonly options: readonly (readonly [word: Word, text: string])[];
  readonly onChoose: (word: Word) => void;
}) {
  const id = useId();
  return (
    <div class="options">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({currentTarget}) => onChoose(currentTarget.value as Word)}>
        {options.map(([word, text]) => (
          <option key={word} value={word}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

export function Field({label, children}: {readonly label: string; readonly children: ComponentChildren}) {
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      {children}
    </fieldset>
  );
}
