// The board of Overview as this browser last read it. Changes of it are made in board-changes.ts.
import {computed, signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import type {BoardAnswer} from '../../../src/edge/dashboard/answers.js';
import {type Fault, read} from './client';
import {publication} from './publication';

/** The pins as a change makes them; undefined: it has no room for its pin. */
export type PinChange = (pins: readonly string[]) => readonly string[] | undefined;

export const board = signal<BoardAnswer | undefined>(undefined);
/** Changes that are on their way: they are shown at once. */
export const changes = signal<readonly PinChange[]>([]);
export const pins = computed(() =>
  changes.value.reduce<readonly string[]>((known, of) => of(known) ?? known, board.value?.pins ?? []),
);

const readFault = signal<Fault | undefined>(undefined);
export const changeFault = signal<Fault | undefined>(undefined);
/** Why the newest change was not made, or else why the board is not known. */
export const boardFault = computed(() => changeFault.value ?? readFault.value);

let reading: Promise<void> | undefined;

function readBoard(): void {
  reading ??= readAnew().finally(() => (reading = undefined));
}

async function readAnew(): Promise<void> {
  const answer = await read<BoardAnswer>('board');
  if (changes.peek().length > 0) return; // The answers to these are newer.
  readFault.value = answer.kind === 'fault' ? answer.fault : undefined;
  if (answer.kind === 'value' && answer.value.version !== board.peek()?.version) board.value = answer.value;
}

/** Forgets why a change was not made. */
export function readBoardAgain(): void {
  changeFault.value = undefined;
  readBoard();
}

/** Reads the board, and again with each publication, as reports do. */
export function useBoard(): void {
  const round = publication.value;
  useEffect(readBoard, [round]);
}
