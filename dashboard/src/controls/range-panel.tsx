// The open panel of a range: presets by letter, a text, two dates, a step back or on, what it is compared with.
import type {RefObject} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {dateText} from '../../../actors/calendar.js';
import {type Compare, dayOfMs, daysOf, type Range, rangeText, steppedRange} from '../address/range';
import {rangeName} from '../charts/format';
import {Icon} from '../shell/icon';
import type {DayPlace} from './range';
import {parseTypedRange} from './range-typed';
import './range-panel.css';

const compareWords: readonly (readonly [Compare, string])[] = [
  ['off', 'Nothing'],
  ['before', 'The time before'],
  ['weekdays', 'The same weekdays before'],
  ['year', 'A year before'],
  ['previous', 'The days just before'],
];

export function RangePanel({
  range,
  compare,
  place,
  presets,
  wantsDates,
  onTake,
  onCompare,
}: {
  readonly range: Range;
  readonly compare: Compare | undefined;
  readonly place: DayPlace;
  readonly presets: readonly (readonly [letter: string, range: Range])[];
  readonly wantsDates: RefObject<boolean>;
  readonly onTake: (range: Range | undefined) => void;
  readonly onCompare: ((compare: Compare) => void) | undefined;
}) {
  const panel = useRef<HTMLDivElement>(null);
  // The popover was open before this script was here.
  useEffect(() => {
    const place = wantsDates.current ? '#range-from' : '[data-first-focus]';
    panel.current?.querySelector<HTMLElement>(place)?.focus();
    wantsDates.current = false;
  }, []);
  return (
    <div class="range-panel" ref={panel}>
      <ul>
        {presets.map(([letter, preset]) => (
          <li key={letter}>
            <button
              type="button"
              aria-pressed={rangeText(preset) === rangeText(range)}
              data-first-focus={rangeText(preset) === rangeText(range) || undefined}
              onClick={() => onTake(preset)}
            >
              {rangeName(preset)}
              <kbd>{letter}</kbd>
            </button>
          </li>
        ))}
      </ul>
      <div class="range-more">
        <Typed place={place} onTake={onTake} />
        <Dates range={range} place={place} onTake={onTake} />
        <div class="steps">
          {([-1, 1] as const).map((step) => {
            const next = steppedRange(range, place.today, step);
            return (
              <button
                key={step}
                type="button"
                class="button"
                disabled={next === undefined}
                onClick={() => onTake(next)}
              >
                <Icon name={step < 0 ? 'ChevronLeft' : 'ChevronRight'} />
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
        <p class="help">
          Days are {place.zone === 'UTC' ? 'UTC' : `of ${place.zone}`}, and both ends count.
          {compare === 'before' && ' The time before up to 28 days begins whole weeks earlier: Mondays meet Mondays.'}
        </p>
      </div>
    </div>
  );
}

function Typed({place, onTake}: {readonly place: DayPlace; readonly onTake: (range: Range) => void}) {
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const range = parseTypedRange(text, place.today);
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

function Dates({
  range,
  place,
  onTake,
}: {
  readonly range: Range;
  readonly place: DayPlace;
  readonly onTake: (range: Range) => void;
}) {
  const shown = daysOf(range, place.today);
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
