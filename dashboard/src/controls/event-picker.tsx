// The name of an event, chosen among those that reports know, most frequent first; any other name may be typed.

import Combobox from '@github/combobox-nav';
import {useEffect, useId, useRef, useState} from 'preact/hooks';
import type {ListedName, NamesAnswer} from '../../../src/edge/answers.js';
import {isName} from '../address/codec';
import type {Days} from '../address/range';
import {namesPath} from '../address/report-address';
import {count} from '../charts/format';
import {useAsked} from '../service/asked';
import './event-picker.css';

/** More names are found by typing. */
const shownMax = 50;
const askedMax = 200;

export function EventPicker({
  label,
  name,
  days,
  isFirstFocus = false,
  onChoose,
}: {
  readonly label: string;
  /** Undefined: none is chosen yet. */
  readonly name: string | undefined;
  /** The names are shown with their counts in these days. */
  readonly days: Days;
  readonly isFirstFocus?: boolean;
  readonly onChoose: (name: string) => void;
}) {
  const [text, setText] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();
  const isOpen = text !== undefined;
  const typed = text ?? '';
  const [all] = useAsked<NamesAnswer>(isOpen ? namesPath(days, askedMax) : undefined);
  // The service knows more names than were asked for: those that begin so come from there.
  const isMore = all.value.value?.has_more === true && typed !== '';
  const [begun] = useAsked<NamesAnswer>(isOpen && isMore ? namesPath(days, shownMax, typed) : undefined);
  const options = isOpen
    ? matching(typed, all.value.value?.data ?? [], isMore ? (begun.value.value?.data ?? []) : [])
    : [];
  const isNew = isName(typed) && !options.some((option) => option.name === typed);
  /** What Enter takes where no option was chosen; undefined while the names are not known. */
  const isKnown = all.value.value !== undefined || all.value.fault !== undefined;
  const entered = !isKnown ? undefined : isNew ? (options[0]?.name ?? typed) : typed;

  const take = (chosen: string): void => {
    setText(undefined);
    if (isName(chosen) && chosen !== name) onChoose(chosen);
  };
  const latestTake = useRef(take);
  latestTake.current = take;
  useEffect(() => {
    if (isFirstFocus) input.current?.focus();
  }, [isFirstFocus]);
  const keys = useRef<Combobox>(undefined);
  useEffect(() => {
    const made = new Combobox(input.current!, list.current!, {scrollIntoViewOptions: {block: 'nearest'}});
    const shown = list.current!;
    const commit = ({target}: Event): void => latestTake.current((target as HTMLElement).dataset.name!);
    shown.addEventListener('combobox-commit', commit);
    keys.current = made;
    return () => {
      shown.removeEventListener('combobox-commit', commit);
      made.destroy();
    };
  }, []);
  useEffect(() => {
    if (!isOpen) return undefined;
    keys.current!.start();
    return () => keys.current!.stop();
  }, [isOpen]);
  return (
    <div class="event-picker">
      <input
        ref={input}
        aria-label={label}
        placeholder="Choose an event"
        autocomplete="off"
        spellcheck={false}
        value={text ?? name ?? ''}
        onFocus={({currentTarget}) => currentTarget.select()}
        onClick={() => setText((before) => before ?? '')}
        onInput={({currentTarget}) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && isOpen) {
            event.stopPropagation();
            setText(undefined);
          } else if (event.key === 'ArrowDown' && !isOpen) setText('');
          else if (event.key === 'Enter' && isOpen && isName(typed)) {
            if (list.current!.querySelector('[aria-selected="true"]') !== null) return; // The list's own choice.
            event.preventDefault();
            if (entered !== undefined) take(entered);
          }
        }}
        onBlur={() => setText(undefined)}
      />
      <div
        ref={list}
        id={listId}
        hidden={!isOpen}
        role="listbox"
        aria-label={`${label}: names`}
        onPointerDown={(event) => event.preventDefault()}
      >
        {options.map((option, at) => (
          <div
            key={option.name}
            id={`${listId}-${at}`}
            role="option"
            aria-selected="false"
            tabIndex={-1}
            data-name={option.name}
            data-entered={option.name === entered}
          >
            <span class="name">{option.name}</span>
            <span class="number">{count(option.count)}</span>
          </div>
        ))}
        {isNew && (
          <div key="" id={`${listId}-typed`} role="option" aria-selected="false" tabIndex={-1} data-name={typed}>
            <span class="name">“{typed}”</span>
            <span class="number">not in these days</span>
          </div>
        )}
        {isOpen && !isNew && options.length === 0 && (
          <div class="none" role="option" aria-disabled="true" aria-selected="false" tabIndex={-1}>
            {all.value.fault?.message ??
              (all.value.value === undefined ? 'Reading the names' : 'No event in these days')}
          </div>
        )}
      </div>
    </div>
  );
}

/** Names that contain the text, in any case; names that begin with it come first. */
function matching(text: string, all: readonly ListedName[], begun: readonly ListedName[]): ListedName[] {
  const wanted = text.toLowerCase();
  const known = new Map([...begun, ...all].map((one) => [one.name, one]));
  const found = [...known.values()].filter(({name}) => name.toLowerCase().includes(wanted));
  const begins = ({name}: ListedName): number => (name.toLowerCase().startsWith(wanted) ? 0 : 1);
  return found.sort((a, b) => begins(a) - begins(b) || b.count - a.count).slice(0, shownMax);
}
