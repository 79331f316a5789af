// Exact values that events are filtered by: taken when a field is left or Enter is pressed.

export function FilterFields<Name extends string>({
  fields,
  values,
  onChange,
}: {
  readonly fields: readonly {readonly name: Name; readonly label: string; readonly isDay?: boolean}[];
  readonly values: Readonly<Partial<Record<Name, string>>>;
  readonly onChange: (values: Partial<Record<Name, string>>) => void;
}) {
  const set = (name: Name, text: string): void => {
    if ((values[name] ?? '') === text) return;
    const {[name]: _, ...others} = values as Record<Name, string>;
    onChange((text === '' ? others : {...others, [name]: text}) as Partial<Record<Name, string>>);
  };
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      {fields.map(({name, label, isDay = false}) => (
        <div key={name} class="filter">
          <label for={`filter-${name}`}>{label}</label>
          {isDay ? (
            <input
              id={`filter-${name}`}
              type="date"
              value={values[name] ?? ''}
              onChange={(event) => set(name, event.currentTarget.value)}
            />
          ) : (
            <input
              id={`filter-${name}`}
              data-search
              value={values[name] ?? ''}
              spellcheck={false}
              onChange={(event) => set(name, event.currentTarget.value.trim())}
            />
          )}
        </div>
      ))}
      {Object.keys(values).length > 0 && (
        <button type="button" class="link" onClick={() => onChange({})}>
          Clear
        </button>
      )}
    </form>
  );
}
