// Exact values that events are filtered by: taken when a field is left or Enter is pressed.
import type {ComponentChildren} from 'preact';
import {useEffect, useState} from 'preact/hooks';

const pickerDays = 30;
/** Days whose properties are offered. */
export const recentDays = (today: number) => ({from: today - pickerDays + 1, to: today});

export function FilterFields<Name extends string>({
  fields,
  values,
  onChange,
  children,
}: {
  readonly fields: readonly {readonly name: Name; readonly label: string; readonly isTime?: boolean}[];
  readonly values: Readonly<Partial<Record<Name, string>>>;
  readonly onChange: (values: Partial<Record<Name, string>>) => void;
  /** Conditions on properties. */
  readonly children: ComponentChildren;
}) {
  const set = (name: Name, text: string): void => {
    if ((values[name] ?? '') === text) return;
    const {[name]: _, ...others} = values as Record<Name, string>;
    onChange((text === '' ? others : {...others, [name]: text}) as Partial<Record<Name, string>>);
  };
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      {fields.map(({name, label, isTime = false}) => (
        <div key={name} class="filter">
          <label for={`filter-${name}`}>{label}</label>
          {isTime ? (
            <input
              id={`filter-${name}`}
              // A moment, to which a number of a report leads, or a day.
              type={values[name]?.includes('T') ? 'datetime-local' : 'date'}
              step="any"
              value={values[name]?.replace('Z', '') ?? ''}
              onChange={(event) => set(name, event.currentTarget.value)}
            />
          ) : (
            <TextField id={`filter-${name}`} value={values[name] ?? ''} onTake={(text) => set(name, text.trim())} />
          )}
        </div>
      ))}
      {children}
      {Object.keys(values).length > 0 && (
        <button type="button" class="link" onClick={() => onChange({})}>
          Clear
        </button>
      )}
    </form>
  );
}

/** Keeps what is being typed while the page is drawn again, as it is when an answer arrives. */
function TextField({
  id,
  value,
  onTake,
}: {
  readonly id: string;
  readonly value: string;
  readonly onTake: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <input
      id={id}
      data-search
      value={text}
      spellcheck={false}
      onInput={(event) => setText(event.currentTarget.value)}
      onChange={(event) => onTake(event.currentTarget.value)}
    />
  );
}
