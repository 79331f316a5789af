// Which days a page is about, and what they are compared with: presets by letter, a text, two dates. All days are UTC.
import {useState} from 'preact/hooks';
import {dateText} from '../../../actors/calendar.js';
import {type Compare, dayOfMs, daysOf, parseTypedRange, type Range, rangeText, steppedRange} from '../address/range';
import {datesText, rangeName} from '../charts/format';
import {Icon} from '../shell/icon';
import {today} from '../shell/today';
import {Popover} from './popover';
import './range.css';

const presets: readonly (readonly [letter: string, range: Range])[] = [
  ['d', {kind: 'last', amount: 1, unit: 'day'}],
  ['y', {kind: 'yesterday'}],
  ['w', {kind: 'last', amount: 7, unit: 'day'}],
  ['m', {kind: 'last', amount: 30, unit: 'day'}],
  ['q', {kind: 'last', amount: 90, unit: 'day'}],
  ['h', {kind: 'last', amount: 12, unit: 'month'}],
];

const compareWords: readonly (readonly [Compare, string])[] = [
  ['off', 'Nothing'],
  ['before', 'The time before'],
  ['year', 'A year before'],
];

export function RangeControl({
  range,
  compare,
  onRange,
  onCompare,
}: {
  readonly range: Range;
  /** Undefined: this page compares nothing. */
  readonly compare?: Compare;
  readonly onRange: (range: Range) => void;
  readonly onCompare?: (compare: Compare) => void;
}) {
  const days = daysOf(range, today.value);
  const name = rangeName(range);
  const dates = datesText(days, today.value);
  const take = (chosen: Range | undefined, close: () => void): void => {
    if (chosen === undefined) return;
    onRange(chosen);
    close();
  };
  const onKey = (key: string, close: () => void): boolean => {
    const preset = presets.find(([letter]) => letter === key);
    if (preset !== undefined) take(preset[1], close);
    else if (key === '[' || key === ']') take(steppedRange(range, today.value, key === '[' ? -1 : 1), close);
    else if (key === 'x' && compare !== undefined) {
      onCompare?.(compareWords[(compareWords.findIndex(([one]) => one === compare) + 1) % compareWords.length]![0]);
    } else if (key === 'c') document.getElementById('range-from')?.focus();
    else return false;
    return true;
  };
  return (
    <Popover
      label="Days that the page is about"
      onKey={onKey}
      button={
        <>
          <Icon name="calendar" />
          {name ?? dates}
          {name !== undefined && name !== dates && <span class="minor">{dates}</span>}
          <Icon name="chevronDown" />
        </>
      }
    >
      {(close) => (
        <div class="range-panel">
          <ul>
            {presets.map(([letter, preset]) => (
              <li key={letter}>
                <button
                  type="button"
                  aria-pressed={rangeText(preset) === rangeText(range)}
                  data-first-focus={rangeText(preset) === rangeText(range) || undefined}
                  onClick={() => take(preset, close)}
                >
                  {rangeName(preset)}
                  <kbd>{letter}</kbd>
                </button>
              </li>
            ))}
          </ul>
          <div class="range-more">
            <Typed onTake={(chosen) => take(chosen, close)} />
            <Dates range={range} onTake={(chosen) => take(chosen, close)} />
            <div class="steps">
              {([-1, 1] as const).map((step) => {
                const next = steppedRange(range, today.value, step);
                return (
                  <button
                    key={step}
                    type="button"
                    class="button"
                    disabled={next === undefined}
                    onClick={() => take(next, close)}
                  >
                    <Icon name={step < 0 ? 'chevronLeft' : 'chevronRight'} />
                    {step < 0 ? 'Before' : 'After'}
                    <kbd>{step < 0 ? '[' : ']'}</kbd>
                  </button>
                );
              })}
            </div>
            {compare !== undefined && (
              <label class="compared">
                <span>
                  Compare with <kbd>x</kbd>
                </span>
                <select value={compare} onChange={({currentTarget}) => onCompare?.(currentTarget.value as Compare)}>
                  {compareWords.map(([value, words]) => (
                    <option key={value} value={value}>
                      {words}
                    </option>
                  ))}
                </select>
              </label>
            )}
            <p class="help">Days are UTC, and both ends count.</p>
          </div>
        </div>
      )}
    </Popover>
  );
}

function Typed({onTake}: {readonly onTake: (range: Range) => void}) {
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const range = parseTypedRange(text, today.value);
        if (range === undefined) setWrong(true);
        else onTake(range);
      }}
    >
      <label for="range-text">Type a range</label>
      <input
        id="range-text"
        placeholder="-7d, 2026-10, 3 Nov - 9 Nov"
        autocomplete="off"
        value={text}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? 'range-text-fault' : undefined}
        onInput={({currentTarget}) => {
          setText(currentTarget.value);
          setWrong(false);
        }}
      />
      {isWrong && (
        <p class="range-fault" id="range-text-fault" role="alert">
          Not understood. Try -7d, yesterday, 2026-10 or 3 Nov - 9 Nov.
        </p>
      )}
    </form>
  );
}

function Dates({range, onTake}: {readonly range: Range; readonly onTake: (range: Range) => void}) {
  const shown = daysOf(range, today.value);
  const [from, setFrom] = useState(dateText(shown.from));
  const [to, setTo] = useState(dateText(shown.to));
  const dayOf = (text: string): number => dayOfMs(Date.parse(text));
  const isRange = dayOf(from) <= dayOf(to);
  return (
    <form
      class="dates"
      onSubmit={(event) => {
        event.preventDefault();
        if (isRange) onTake({kind: 'days', from: dayOf(from), to: dayOf(to)});
      }}
    >
      <label>
        <span>
          From <kbd>c</kbd>
        </span>
        <input
          id="range-from"
          type="date"
          required
          value={from}
          onInput={({currentTarget}) => setFrom(currentTarget.value)}
        />
      </label>
      <label>
        <span>To</span>
        <input type="date" required value={to} onInput={({currentTarget}) => setTo(currentTarget.value)} />
      </label>
      <button type="submit" class="button" disabled={!isRange}>
        Show
      </button>
    </form>
  );
}
