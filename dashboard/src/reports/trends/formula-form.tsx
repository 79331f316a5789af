// The formulas of Trends: rows that are typed, over the letters of the events.
import {useId, useState} from 'preact/hooks';
import {isFormula, labelAt} from '../../../../src/asks/address.js';
import {formulasMax} from '../../../../src/asks/question/formula.js';
import {Icon} from '../../shell/icon';
import type {Formulas} from './series';

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
  const usual = events > 1 ? 'A / B' : 'A * 100';
  return (
    <section class="card builder-form" aria-label="Formulas">
      <header>
        <h2>Formulas</h2>
        {(formulas.length > 0 || isAdding) && <span class="note">over the letters of the events</span>}
      </header>
      {(formulas.length > 0 || isAdding) && (
        <ol class="builder-rows">
          {formulas.map((formula, at) => (
            <FormulaRow
              key={`${at} ${formula.as} ${formula.is}`}
              at={at}
              formula={formula}
              events={events}
              others={formulas.filter((one) => one !== formula)}
              onChange={(changed) => onChange(formulas.map((one) => (one === formula ? changed : one)))}
              onRemove={() => onChange(formulas.filter((one) => one !== formula))}
            />
          ))}
          {isAdding && (
            <FormulaRow
              key="new"
              at={formulas.length}
              formula={{as: '', is: ''}}
              events={events}
              others={formulas}
              isFirstFocus
              onChange={(added) => {
                setAdding(false);
                onChange([...formulas, added]);
              }}
              onRemove={() => setAdding(false)}
            />
          )}
        </ol>
      )}
      {!isAdding && formulas.length < formulasMax && (
        <div class="builder-adds">
          <button
            type="button"
            class="button"
            onClick={() => (formulas.length === 0 ? onChange([{as: usual, is: usual}]) : setAdding(true))}
          >
            <Icon name="plus" />
            Formula
          </button>
        </div>
      )}
    </section>
  );
}

/** A formula takes effect when its field is left, or by Enter. */
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
          onBlur={done}
        />
        <input
          aria-label={`Name of formula ${at + 1}`}
          placeholder="Name"
          value={name}
          autocomplete="off"
          onInput={({currentTarget}) => setName(currentTarget.value)}
          onBlur={done}
        />
        <button type="button" class="quiet" aria-label={`Remove formula ${at + 1}`} title="Remove" onClick={onRemove}>
          <Icon name="close" />
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
