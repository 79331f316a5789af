// Changes of the board of Overview.
//   BO1. A change is shown at once. Changes are sent one after the other, each as one of the version that the board then has.
//   BO2. Where somebody else was faster, a pin is put on their board, or taken off it: it means the same there. A move is not made.
import {batch} from '@preact/signals';
import type {BoardAnswer} from '../../../src/edge/dashboard/answers.js';
import {moved, pinsMax} from '../address/pin-list';
import {board, changeFault, changes, type PinChange, pins} from './board';
import {change, type Fault} from './client';

export const isPinned = (pin: string): boolean => pins.value.includes(pin);
export const hasRoom = (): boolean => pins.value.length < pinsMax;

export function togglePin(pin: string): void {
  make(isPinned(pin) ? (known) => known.filter((one) => one !== pin) : (known) => withPin(known, pin), true);
}

export const movePin = (pin: string, to: number): void =>
  make((known) => (known.includes(pin) ? moved(known, pin, to) : known), false);

function withPin(known: readonly string[], pin: string): readonly string[] | undefined {
  if (known.includes(pin)) return known;
  return known.length < pinsMax ? [...known, pin] : undefined;
}

let last: Promise<void> = Promise.resolve();

/** BO1. `isForAny`: it means the same on a board that somebody else has changed. */
function make(of: PinChange, isForAny: boolean): void {
  changeFault.value = undefined;
  changes.value = [...changes.peek(), of];
  last = last.then(async () => {
    const fault = await send(of, isForAny);
    batch(() => {
      changes.value = changes.peek().slice(1);
      if (fault !== undefined) changeFault.value = fault;
    });
  });
}

/** Tries to change the board: another person may change it between two of them. */
const triesMax = 5;

/** @returns why the change was not made. */
async function send(of: PinChange, isForAny: boolean): Promise<Fault | undefined> {
  for (let tries = 1; ; tries++) {
    const {pins: known, version} = board.peek()!;
    const wanted = of(known);
    if (wanted === undefined) return {code: 'invalid_request', message: `Overview has ${pinsMax} pins`, status: 0};
    if (wanted.join('\n') === known.join('\n')) return undefined;
    const answer = await change<BoardAnswer>('PUT', 'board', {pins: wanted}, `"${version}"`);
    const theirs = answer.kind === 'value' ? answer.value : (answer.fault.more?.board as BoardAnswer | undefined);
    if (theirs !== undefined) board.value = theirs;
    if (answer.kind === 'value') return undefined;
    if (theirs === undefined) return answer.fault;
    const message = `${theirs.changed_by} changed the board meanwhile: it is shown, and your change was not made`;
    if (!isForAny || tries === triesMax) return {...answer.fault, message}; // BO2
  }
}
