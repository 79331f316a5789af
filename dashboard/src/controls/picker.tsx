// A field whose text is chosen from a list that the service knows; another text may be typed where the list allows it.
import Combobox from '@github/combobox-nav';
import {useEffect, useId, useRef, useState} from 'preact/hooks';
import './picker.css';

export interface PickerOption {
  readonly value: string;
  /** Shown in place of the value. */
  readonly label?: string;
  readonly note: string;
  /** A line about it. */
  readonly about?: string;
  /** It is listed for those who look for it. */
  readonly isFaint?: boolean;
}

export interface PickerOptions {
  /** Options that match the typed text, the best first. */
  readonly options: readonly PickerOption[];
  /** False while the list is being read: Enter takes nothing then. */
  readonly isKnown: boolean;
  /** Why there is none. */
  readonly none: string;
}

export function Picker({
  label,
  placeholder,
  value,
  shown = value,
  isFirstFocus = false,
  isRequired = false,
  ownNote,
  useOptions,
  isValue,
  onChoose,
}: {
  readonly label: string;
  readonly placeholder: string;
  /** Undefined: none is chosen yet. */
  readonly value: string | undefined;
  /** Text of the value in the field. */
  readonly shown?: string | undefined;
  readonly isFirstFocus?: boolean;
  /** A form is not sent while no value is chosen. */
  readonly isRequired?: boolean;
  /** Goes with a typed text that is not in the list. */
  readonly ownNote: string;
  /** A hook: the list for what is typed; undefined while the list is closed. */
  readonly useOptions: (typed: string | undefined) => PickerOptions;
  readonly isValue: (text: string) => boolean;
  readonly onChoose: (value: string) => void;
}) {
  const [text, setText] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();
  const isOpen = text !== undefined;
  const typed = text ?? '';
  const {options: all, isKnown, none} = useOptions(text);
  const options = isOpen ? all : [];
  const same = options.find((option) => option.value === typed);
  const isNew = !same && isValue(typed);
  /** Value that Enter takes if no option was chosen; undefined while the list is not known. */
  const entered = isKnown && typed ? ((same ?? options[0])?.value ?? typed) : undefined;

  const take = (chosen: string): void => {
    setText(undefined);
    if (isValue(chosen) && chosen !== value) onChoose(chosen);
  };
  const latestTake = useRef(take);
  latestTake.current = take;
  useEffect(() => {
    if (!isFirstFocus) return;
    input.current?.focus();
    setText('');
  }, [isFirstFocus]);
  const keys = useRef<Combobox>(undefined);
  useEffect(() => {
    const made = new Combobox(input.current!, list.current!, {scrollIntoViewOptions: {block: 'nearest'}});
    const listed = list.current!;
    const commit = ({target}: Event): void => latestTake.current((target as HTMLElement).dataset.value!);
    listed.addEventListener('combobox-commit', commit);
    keys.current = made;
    return () => {
      listed.removeEventListener('combobox-commit', commit);
      made.destroy();
    };
  }, []);
  useEffect(() => {
    if (!isOpen) return undefined;
    keys.current!.start();
    list.current!.scrollIntoView({block: 'nearest'}); // Near the end of a page it opens out of sight.
    return () => keys.current!.stop();
  }, [isOpen, isKnown]);
  return (
    <div class="picker">
      <input
        ref={input}
        aria-label={label}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        required={isRequired}
        value={text ?? shown ?? ''}
        title={shown}
        onFocus={({currentTarget}) => currentTarget.select()}
        onClick={() => setText((before) => before ?? '')}
        onInput={({currentTarget}) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && isOpen) {
            event.stopPropagation();
            event.preventDefault(); // A dialog around it stays open.
            setText(undefined);
          } else if (event.key === 'ArrowDown' && !isOpen) setText('');
          else if (event.key === 'Enter' && typed) {
            if (list.current!.querySelector('[aria-selected="true"]') !== null) return; // The list's own choice.
            event.preventDefault();
            if (entered && isValue(entered)) take(entered);
          }
        }}
        onBlur={() => setText(undefined)}
      />
      <div
        ref={list}
        id={listId}
        hidden={!isOpen}
        role="listbox"
        aria-label={`${label}: choices`}
        onPointerDown={(event) => event.preventDefault()}
      >
        {options.map((option, at) => (
          <div
            key={option.value}
            id={`${listId}-${at}`}
            role="option"
            aria-selected="false"
            tabIndex={-1}
            data-value={option.value}
            data-entered={option.value === entered}
          >
            <span class={option.isFaint ? 'name faint' : 'name'} title={option.about}>
              {option.label ?? option.value}
              {option.about !== undefined && <small>{option.about}</small>}
            </span>
            <span class="number">{option.note}</span>
          </div>
        ))}
        {isNew && (
          <div key="" id={`${listId}-typed`} role="option" aria-selected="false" tabIndex={-1} data-value={typed}>
            <span class="name">“{typed}”</span>
            <span class="number">{ownNote}</span>
          </div>
        )}
        {isOpen && !isNew && options.length === 0 && (
          <div class="none" role="option" aria-disabled="true" aria-selected="false" tabIndex={-1}>
            {none}
          </div>
        )}
      </div>
    </div>
  );
}

const shownMax = 50;

/** Options that contain the text, in any case; those that begin with it come first. */
export function matching(text: string, all: readonly PickerOption[]): PickerOption[] {
  const wanted = text.toLowerCase();
  const textOf = ({value, label = value}: PickerOption): string => label.toLowerCase();
  const known = new Map(all.map((one) => [one.value, one]));
  const found = [...known.values()].filter((one) => textOf(one).includes(wanted));
  const begins = (one: PickerOption): number => (textOf(one).startsWith(wanted) ? 0 : 1);
  return found.sort((a, b) => begins(a) - begins(b)).slice(0, shownMax);
}
