// The fields of a new key: its kind as cards that say what each may, its name, and the limits of a write key.
import type {KeyKind, ShownOptions} from './key';
import {kindWords} from './key';
import './keys.css';

export interface KeyDraft {
  readonly kind: KeyKind;
  readonly name: string;
  readonly limits: LimitsDraft;
}

/** Limits as texts of their fields. */
interface LimitsDraft {
  readonly identify: boolean;
  readonly origins: string;
  readonly rate: string;
  readonly knownNames: boolean;
  /** Undefined: as its pages say. */
  readonly web: boolean | undefined;
}

export const noLimits: LimitsDraft = {identify: true, origins: '', rate: '', knownNames: false, web: undefined};

export const draftOf = ({
  identify,
  origins,
  events_per_second_per_address: rate,
  names,
  web,
}: ShownOptions = {}): LimitsDraft => ({
  identify: identify !== false,
  origins: origins?.join('\n') ?? '',
  rate: rate === undefined ? '' : String(rate),
  knownNames: names === 'known',
  web,
});

/** Options as the service takes them. It gets a text that is no number as it is: its answer names the field. */
const listOf = (origins: string): readonly string[] => origins.split(/[\s,]+/).filter((origin) => origin !== '');

export function optionsOf({identify, origins, rate, knownNames, web}: LimitsDraft): object {
  const listed = listOf(origins);
  const typed = rate.trim();
  return {
    ...(identify ? {} : {identify: false}),
    ...(listed.length === 0 ? {} : {origins: listed}),
    ...(typed === '' ? {} : {events_per_second_per_address: /^\d+$/.test(typed) ? Number(typed) : typed}),
    ...(knownNames ? {names: 'known'} : {}),
    ...(web === undefined ? {} : {web}),
  };
}

export const kinds = (['write', 'read', 'secret'] as const).map((word) => {
  const {title, may, mayNot} = kindWords[word];
  return {word, title, lines: [may, mayNot]};
});

export function LimitFields({
  value,
  onChange,
}: {
  readonly value: LimitsDraft;
  readonly onChange: (limits: LimitsDraft) => void;
}) {
  return (
    <div class="key-limits">
      <label class="check">
        <input
          type="checkbox"
          checked={value.identify}
          onChange={({currentTarget}) => onChange({...value, identify: currentTarget.checked})}
        />
        May identify users
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={value.knownNames}
          onChange={({currentTarget}) => onChange({...value, knownNames: currentTarget.checked})}
        />
        Only names of events that exist
      </label>
      <label for="origins">Pages that may use it</label>
      <textarea
        id="origins"
        rows={2}
        spellcheck={false}
        placeholder="https://example.com"
        value={value.origins}
        aria-describedby="origins-help"
        onInput={({currentTarget}) => onChange({...value, origins: currentTarget.value})}
      />
      <p id="origins-help" class="help">
        One origin a line; empty: pages of any. Programs outside of browsers are not held back by this.
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={value.web ?? listOf(value.origins).length > 0}
          onChange={({currentTarget}) => onChange({...value, web: currentTarget.checked})}
        />
        Its events come from pages: add browser, country and referrer
      </label>
      <label for="rate">Events a second for each client address</label>
      <input
        id="rate"
        inputMode="numeric"
        placeholder="not limited"
        value={value.rate}
        onInput={({currentTarget}) => onChange({...value, rate: currentTarget.value})}
      />
    </div>
  );
}
