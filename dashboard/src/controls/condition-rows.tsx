// Conditions, all of which must hold: each is a property, an operator and a value. What is not complete stays here, and is asked
// for by nobody; a form around it is not sent meanwhile.
import {useEffect, useRef, useState} from 'preact/hooks';
import {comparesNumbers} from '../../../actors/report/rows/condition.js';
import {
  type Condition,
  conditionsMax,
  type Operator,
  operators,
  operatorWords,
  readCondition,
  takesNoValue,
  writeCondition,
} from '../address/conditions';
import type {Keys} from '../address/report-address';
import {Icon} from '../shell/icon';
import {Chips} from './chips';
import {PropertyPicker} from './property-picker';
import {ValuePicker} from './value-picker';
import './condition-list.css';

export interface ConditionListProps {
  readonly conditions: readonly Condition[];
  /** Source of the properties to choose from. */
  readonly keys: Keys;
  /** Goes on after the label of a field: `of event 2`. */
  readonly of: string;
  readonly onChange: (conditions: readonly Condition[]) => void;
}

export function ConditionRows({conditions, keys, of, onChange}: ConditionListProps) {
  const [isAdding, setAdding] = useState(false);
  const hasRoom = conditions.length < conditionsMax;
  return (
    <div class="conditions">
      {[...conditions, ...(isAdding && hasRoom ? [undefined] : [])].map((condition, at) => (
        <ConditionRow
          key={at}
          condition={condition}
          keys={keys}
          of={`${of}, filter ${at + 1}`}
          onChange={(changed) => {
            if (condition === undefined) setAdding(false);
            onChange([...conditions.slice(0, at), changed, ...conditions.slice(at + 1)]);
          }}
          onRemove={() => {
            if (condition === undefined) setAdding(false);
            else onChange(conditions.filter((_, index) => index !== at));
          }}
        />
      ))}
      {!isAdding && hasRoom && (
        <button type="button" class="link condition-add" onClick={() => setAdding(true)}>
          + Filter
          <span class="visually-hidden"> {of}</span>
        </button>
      )}
    </div>
  );
}

function ConditionRow({
  condition,
  keys,
  of,
  onChange,
  onRemove,
}: {
  /** Undefined: a new one. */
  readonly condition: Condition | undefined;
  readonly keys: Keys;
  readonly of: string;
  readonly onChange: (condition: Condition) => void;
  readonly onRemove: () => void;
}) {
  const [property, setProperty] = useState(condition?.property);
  const [op, setOp] = useState<Operator>(condition?.op ?? 'eq');
  const [values, setValues] = useState(condition?.values ?? []);
  /** The newest part was chosen just now: the next one takes the focus. */
  const [isChoosing, setChoosing] = useState(false);
  const known = condition && writeCondition(condition);
  // The address changed it, such as by Back.
  useEffect(() => {
    if (condition === undefined) return;
    setProperty(condition.property);
    setOp(condition.op);
    setValues(condition.values);
  }, [known]);
  const put = (next: Partial<Condition>): void => {
    const made = {property, op, values, ...next};
    setProperty(made.property);
    setOp(made.op);
    setValues(made.values);
    setChoosing(true);
    if (made.property === undefined) return;
    const whole = {...made, property: made.property};
    if (!isWhole(whole)) return;
    if (writeCondition(whole) !== known) onChange(whole);
  };
  return (
    <div class="condition">
      <div class="condition-of">
        <PropertyPicker
          label={`Property ${of}`}
          keys={keys}
          value={property}
          isFirstFocus={condition === undefined}
          isRequired={true}
          // Values of another property mean nothing.
          onChoose={(chosen) => put({property: chosen, values: []})}
        />
        <button type="button" class="quiet" title="Remove the filter" aria-label={`Remove ${of}`} onClick={onRemove}>
          <Icon name="Close" />
        </button>
      </div>
      {property !== undefined && (
        <div class="condition-is">
          <select
            aria-label={`Operator ${of}`}
            value={op}
            onChange={({currentTarget}) => {
              const next = currentTarget.value as Operator;
              put({op: next, values: kept(next, values)});
            }}
          >
            {operators.map((one) => (
              <option key={one} value={one}>
                {operatorWords[one]}
              </option>
            ))}
          </select>
          {isOfMany(op) && values.length > 0 && (
            <Chips texts={values} what="value" of={of} onChange={(kept) => put({values: kept})} />
          )}
          {!takesNoValue(op) &&
            (comparesNumbers(op) ? (
              <NumberField
                key={values[0]}
                of={of}
                value={values[0]}
                isFirstFocus={isChoosing && values.length === 0}
                onChange={(value) => put({values: [value]})}
              />
            ) : (
              <ValuePicker
                key={`${property}/${isOfMany(op)}`}
                label={`Value ${of}`}
                keys={keys}
                property={property}
                value={isOfMany(op) ? undefined : values[0]}
                isFirstFocus={isChoosing && values.length === 0}
                isRequired={values.length === 0}
                onChoose={(value) => put({values: isOfMany(op) ? [...new Set([...values, value])] : [value]})}
              />
            ))}
        </div>
      )}
    </div>
  );
}

const isOfMany = (op: Operator): boolean => op === 'in' || op === 'nin';

/** The values that another operator can take over. */
function kept(op: Operator, values: readonly string[]): readonly string[] {
  if (takesNoValue(op)) return [];
  if (isOfMany(op)) return values;
  const first = values.slice(0, 1);
  return comparesNumbers(op) && readCondition(`a gt ${first[0]}`) === undefined ? [] : first;
}

function isWhole(condition: Condition): boolean {
  const {op, values} = condition;
  return (values.length === 0) === takesNoValue(op) && readCondition(writeCondition(condition)) !== undefined;
}

function NumberField({
  of,
  value,
  isFirstFocus,
  onChange,
}: {
  readonly of: string;
  readonly value: string | undefined;
  readonly isFirstFocus: boolean;
  readonly onChange: (value: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirstFocus) input.current!.focus();
  }, [isFirstFocus]);
  const [text, setText] = useState(value ?? '');
  const isNumber = readCondition(`a gt ${text}`) !== undefined;
  const take = (): void => {
    if (isNumber && text !== value) onChange(text);
  };
  return (
    <input
      aria-label={`Number ${of}`}
      inputMode="decimal"
      placeholder="Number"
      ref={input}
      autocomplete="off"
      required
      value={text}
      aria-invalid={text !== '' && !isNumber}
      onInput={({currentTarget}) => {
        const typed = currentTarget.value.trim();
        currentTarget.setCustomValidity(readCondition(`a gt ${typed}`) === undefined ? 'A number is expected' : '');
        setText(typed);
      }}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault(); // A form around it would be sent without this number.
        take();
      }}
    />
  );
}
