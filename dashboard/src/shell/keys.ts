// Keys of the whole dashboard. Ctrl-K (or Command-K) works everywhere; single letters only outside of fields and dialogs, and
// a person can switch them off (WCAG 2.1.4): speech input sends letters that were not meant as keys.
//   KB1. A letter belongs to the newest component that claimed it; the page below never hears of it.
import {signal} from '@preact/signals';
import {useEffect, useRef} from 'preact/hooks';

type KeyActions = Readonly<Record<string, () => void>>;

const place = 'millrace-letters';
const afterGMs = 1_500;

export const hasLetters = signal(stored());
/** The dialog of the shell that is open. */
export const openDialog = signal<'palette' | 'keys' | undefined>(undefined);

/** Text that was typed after Ctrl-K before the palette has its field. */
let early = '';

/** The text that was typed early; the next call gets none. */
export function takeEarly(): string {
  const text = early;
  early = '';
  return text;
}

const claims: {actions: KeyActions; goes: boolean}[] = [];
let gMs = Number.NEGATIVE_INFINITY;

function stored(): boolean {
  try {
    return localStorage.getItem(place) !== 'off';
  } catch {
    return true; // Storage is switched off: the choice lives as long as the page.
  }
}

export function setLetters(are: boolean): void {
  hasLetters.value = are;
  try {
    localStorage.setItem(place, are ? 'on' : 'off');
  } catch {
    // Without storage the choice lives as long as the page.
  }
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');

document.addEventListener('keydown', (event) => {
  const {key, ctrlKey, metaKey, altKey} = event;
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') {
    event.preventDefault();
    openDialog.value = openDialog.value === 'palette' ? undefined : 'palette';
    return;
  }
  const hasDialog = document.querySelector('dialog[open]') !== null;
  if (openDialog.value === 'palette' && !hasDialog && key.length === 1 && !ctrlKey && !metaKey) {
    event.preventDefault();
    early += key;
    return;
  }
  const isOurs = !ctrlKey && !metaKey && !altKey && !event.defaultPrevented && !event.repeat;
  if (!isOurs || !hasLetters.value || isField(event.target) || hasDialog) return;
  // The times of the presses: a busy page hears of them later.
  const isAfterG = event.timeStamp - gMs < afterGMs;
  gMs = key === 'g' && !isAfterG ? event.timeStamp : Number.NEGATIVE_INFINITY;
  const claim = claims.findLast(({actions, goes}) => goes === isAfterG && Object.hasOwn(actions, key)); // KB1
  if (claim === undefined) return;
  event.preventDefault();
  claim.actions[key]!();
});

/** Claims keys while the component lives. `afterG`: the letters come after `g`. */
export function useKeys(actions: KeyActions, afterG = false): void {
  const newest = useRef(actions);
  newest.current = actions;
  const names = Object.keys(actions).join(' ');
  useEffect(() => {
    const claim = {
      actions: Object.fromEntries(names.split(' ').map((name) => [name, () => newest.current[name]?.()])),
      goes: afterG,
    };
    claims.push(claim);
    return () => void claims.splice(claims.indexOf(claim), 1);
  }, [names, afterG]);
}

/** The focus goes to the next row of the page, by what opens it. */
export function moveRow(by: -1 | 1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main tbody tr, main [data-row]')]
    .map((row) => row.querySelector<HTMLElement>('a[href], button:not(:disabled)'))
    .filter((opener) => opener !== null);
  const at = rows.findIndex((opener) => opener.closest('tr, [data-row]')?.contains(document.activeElement));
  rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
}

/** The field that finds something on this page; a page without one has the palette. */
export function focusSearch(): void {
  const field = document.querySelector<HTMLElement>('main [data-search]');
  if (field === null) openDialog.value = 'palette';
  else field.focus();
}
