// The formulas of Trends: rows that are typed, over the letters of the events.
import {useEffect, useId, useState} from 'preact/hooks';
import {isFormula, labelAt} from '../../../../src/asks/address.js';
import {formulasMax} from '../../../../src/asks/question/formula.js';
import {Icon} from '../../shell/icon';
import type {Formulas} from './series';

const blank = {as: '', is: ''};

export function FormulaForm({
  formulas,
  events,
  onChange,
}: {
  readonly formulas: Formulas;
  /** Number of the events. */
  readonly events: number;
  readonly onChange: (formulas: Formulas) => void;
}) {
  const [isAdding, setAdding] = useState(false);
  const rows = isAdding ? [...formulas, blank] : formulas;
  const usual = events > 1 ? 'A / B' : 'A * 100';
  return (
    <section class="card builder-form" aria-label="Formulas">
      <header>
        <h2>Formulas</h2>
        {rows.length > 0 && <span class="note">over the letters of the events</span>}
      </header>
      {rows.length > 0 && (
        <ol class="builder-rows">
          {rows.map((formula, at) => (
            <FormulaRow
              key={at} // A row that was added stays the same: it may have the focus.
              at={at}
              formula={formula}
              events={events}
              others={formulas.filter((one) => one !== formula)}
              isFirstFocus={formula === blank}
              onChange={(changed) => {
                setAdding(false);
                onChange(rows.map((one) => (one === formula ? changed : one)).filter((one) => one !== blank));
              }}
              onRemove={() => {
                setAdding(false);
                onChange(formulas.filter((one) => one !== formula));
              }}
            />
          ))}
        </ol>
      )}
      {!isAdding && formulas.length < formulasMax && (
        <div class="builder-adds">
          <button
            type="button"
            class="button"
            onClick={() => (formulas.length === 0 ? onChange([{as: usual, is: usual}]) : setAdding(true))}
          >
            <Icon name="Plus" />
            Formula
          </button>
        </div>
      )}
    </section>
  );
}

/** A formula takes effect when its row is left, or by Enter. */
function FormulaRow({
  at,
  formula: {as, is},
  events,
  others,
  isFirstFocus = false,
  onChange,
  onRemove,
}: {
  readonly at: number;
  readonly formula: Formulas[number];
  readonly events: number;
  readonly others: Formulas;
  readonly isFirstFocus?: boolean;
  readonly onChange: (formula: Formulas[number]) => void;
  readonly onRemove: () => void;
}) {
  const [typed, setTyped] = useState(is);
  const [name, setName] = useState(as === is ? '' : as);
  useEffect(() => {
    setTyped(is);
    setName(as === is ? '' : as);
  }, [as, is]);
  const id = useId();
  const text = typed.trim();
  const named = name.trim() || text;
  const fault =
    text !== '' && !isFormula(text, events)
      ? `Letters of the events (${events === 1 ? 'A' : `A to ${labelAt(events - 1)}`}), numbers, + - * / and parentheses`
      : others.some((one) => one.as === named)
        ? 'Another formula has this name'
        : undefined;
  const done = (): void => {
    if (fault === undefined && text !== '' && (text !== is || named !== as)) onChange({as: named, is: text});
  };
  return (
    <li>
      <form
        class="builder-row"
        onFocusOut={({currentTarget, relatedTarget}) => currentTarget.contains(relatedTarget as Node | null) || done()}
        onSubmit={(event) => {
          event.preventDefault();
          done();
        }}
      >
        <input
          aria-label={`Formula ${at + 1}`}
          aria-describedby={fault && id}
          aria-invalid={fault !== undefined}
          placeholder="A / B"
          value={typed}
          autocomplete="off"
          spellcheck={false}
          ref={(field) => void (isFirstFocus && typed === '' && field?.focus())}
          onInput={({currentTarget}) => setTyped(currentTarget.value)}
        />
        <input
          aria-label={`Name of formula ${at + 1}`}
          placeholder="Name"
          value={name}
          autocomplete="off"
          onInput={({currentTarget}) => setName(currentTarget.value)}
        />
        <button type="button" class="quiet" aria-label={`Remove formula ${at + 1}`} title="Remove" onClick={onRemove}>
          <Icon name="Close" />
        </button>
        <button type="submit" hidden />
      </form>
      {fault !== undefined && (
        <p class="help" id={id} role="status">
          {fault}
        </p>
      )}
    </li>
  );
}
