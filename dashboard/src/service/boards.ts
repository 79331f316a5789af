// The boards as this browser last read them. Changes of them are made in board-changes.ts.
import {computed, signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import type {BoardAnswer} from '../../../src/edge/answers/boards.js';
import {type Fault, faultOf, type Listed, read} from './client';
import {publication} from './publication';
import {takeBegun} from './start';

export type Board = BoardAnswer;
export type BoardContent = Pick<Board, 'name' | 'place' | 'tiles'>;

/** What a change makes of a board; undefined: it cannot be made on this one. */
export type BoardChange = (board: Board) => Partial<BoardContent> | undefined;

/** Shown while the service has no board. The first change creates it there. */
export const unsavedBoard: Board = {
  ...{id: '', name: 'Main', place: 0, tiles: [], version: ''},
  ...{created_at: '', changed_at: '', changed_by: ''},
};

const begun = takeBegun('boards');
const orUnsaved = (all: readonly Board[]): readonly Board[] => (all.length === 0 ? [unsavedBoard] : all);

/** Undefined before the first answer; otherwise at least one. */
export const readBoards = signal<readonly Board[] | undefined>(begun && orUnsaved(begun));
/** Changes that are on their way: they are shown at once. */
export const changes = signal<readonly {readonly id: string; readonly of: BoardChange}[]>([]);

/** Whether a change of `id` is one of this board. Those of the unsaved board are of the one that its first change created. */
export const isMeant = (id: string, board: Board, at: number): boolean =>
  id === unsavedBoard.id ? at === 0 : id === board.id;

function withChanges(board: Board, at: number): Board {
  let shown = board;
  for (const {id, of} of changes.value) if (isMeant(id, board, at)) shown = {...shown, ...of(shown)};
  return shown;
}

/** In their order: Overview shows the first one. */
export const boards = computed(() => readBoards.value?.map(withChanges).sort((a, b) => a.place - b.place));

/** Round of publications in which they were read. */
let readIn = begun && publication.peek();

export function take(all: readonly Board[]): void {
  readBoards.value = orUnsaved(all);
  readIn = publication.peek();
}

const readFault = signal<Fault | undefined>(undefined);
export const changeFault = signal<Fault | undefined>(undefined);
/** Why the newest change was not made, or else why no board is known: those that are known are shown while they are not renewed. */
export const boardsFault = computed(() => changeFault.value ?? (readBoards.value ? undefined : readFault.value));

let reading: Promise<void> | undefined;

function begin(): void {
  reading ??= readAnew().finally(() => (reading = undefined));
}

async function readAnew(): Promise<void> {
  const before = readBoards.peek();
  const answer = await read<Listed<Board>>('v1/boards');
  // The answers to changes are newer: to those on their way, and to those that were answered meanwhile.
  if (changes.peek().length > 0 || readBoards.peek() !== before) return;
  readFault.value = faultOf(answer);
  if (answer.kind === 'value') take(answer.isSame ? (readBoards.peek() ?? answer.value.data) : answer.value.data);
}

/** Forgets why a change was not made. */
export function readBoardsAgain(): void {
  changeFault.value = undefined;
  begin();
}

/** Reads the boards once in each round of publications, as reports do. */
export function useBoards(): void {
  const round = publication.value;
  useEffect(() => {
    if (readIn !== round) begin();
  }, [round]);
}
