// Changes of boards.
//   BO1. A change is shown at once. Changes are sent one after the other, each as one of the version that the board then has.
//   BO2. Where somebody else was faster, a change that means the same on their board is made there. Any other one is not made.
import {batch} from '@preact/signals';
import type {KeptReport} from '../../../src/asks/address.js';
import {
  type Board,
  type BoardChange,
  type BoardContent,
  changeFault,
  changes,
  isMeant,
  readBoards,
  take,
  unsavedBoard,
} from './boards';
import {type Answer, change, type Fault, faultOf} from './client';
import {moved, pinKey, pinsMax} from './pin-list';

export const isPinned = ({tiles}: Board, key: string): boolean => tiles.some((one) => pinKey(one) === key);
export const hasRoom = ({tiles}: Board): boolean => tiles.length < pinsMax;

interface Wanted {
  readonly of: BoardChange;
  /** It means the same on a board that somebody else has changed. BO2 */
  readonly isForAny: boolean;
  /** Why it cannot be made on a board. */
  readonly refusal: string;
}

export function togglePin(board: Board, report: KeptReport): void {
  const refusal = `the board has ${pinsMax} pins`;
  const key = pinKey(report);
  const tile = report as Board['tiles'][number];
  const off: BoardChange = ({tiles}) => ({tiles: tiles.filter((one) => pinKey(one) !== key)});
  const on: BoardChange = (known) =>
    isPinned(known, key) ? {} : hasRoom(known) ? {tiles: [...known.tiles, tile]} : undefined;
  make(board, {of: isPinned(board, key) ? off : on, isForAny: true, refusal});
}

export const movePin = (board: Board, key: string, to: number): void =>
  make(board, {
    of: (known) => (isPinned(known, key) ? {tiles: [...moved(known.tiles, key, to)]} : {}),
    isForAny: false,
    refusal: '',
  });

/** Unless somebody else has given it another name. */
export const renameBoard = (board: Board, name: string): void =>
  make(board, {
    of: (known) => (known.name === board.name || known.name === name ? {name} : undefined),
    isForAny: true,
    refusal: 'somebody else gave the board another name meanwhile',
  });

export const placeBoard = (board: Board, place: number): void =>
  make(board, {of: () => ({place}), isForAny: true, refusal: ''});

let last: Promise<void> = Promise.resolve();

/** BO1 */
function make({id}: Board, wanted: Wanted): void {
  changeFault.value = undefined;
  changes.value = [...changes.peek(), {id, of: wanted.of}];
  last = last.then(async () => {
    const fault = await send(id, wanted);
    batch(() => {
      changes.value = changes.peek().slice(1);
      if (fault !== undefined) changeFault.value = fault;
    });
  });
}

/** Tries to change the board: another person may change it between two of them. */
const triesMax = 5;

/** @returns why the change was not made. */
async function send(id: string, {of, isForAny, refusal}: Wanted): Promise<Fault | undefined> {
  for (let tries = 1; ; tries++) {
    const known = knownOf(id);
    if (known === undefined) return deleted;
    const wanted = of(known);
    if (wanted === undefined) return {code: 'invalid_request', message: refusal, status: 0};
    const content = {...contentOf(known), ...wanted};
    if (JSON.stringify(content) === JSON.stringify(contentOf(known))) return undefined;
    const answer = await (known === unsavedBoard
      ? change<Board>('POST', 'v1/boards', content)
      : change<Board>('PATCH', addressOf(known.id), content, `"${known.version}"`));
    const theirs = taken(known.id, answer);
    if (answer.kind === 'value') return undefined;
    if (theirs === undefined) return answer.fault.code === 'not_found' ? deleted : answer.fault;
    if (!isForAny || tries === triesMax) return overtaken(answer.fault, theirs, 'your change was not made'); // BO2
  }
}

export async function createBoard(name: string): Promise<Answer<Board>> {
  const answer = await change<Board>('POST', 'v1/boards', {name});
  if (answer.kind === 'value') {
    const others = readBoards.peek()?.filter((board) => board !== unsavedBoard) ?? [];
    take([...others, answer.value]);
  }
  return answer;
}

/** Deletes the board as it was seen. @returns why it was not deleted. */
export async function deleteBoard({id, version}: Board): Promise<Fault | undefined> {
  const answer = await change<unknown>('DELETE', addressOf(id), undefined, `"${version}"`);
  const theirs = taken(id, answer);
  const fault = faultOf(answer);
  if (fault === undefined || fault.code === 'not_found') {
    take(readBoards.peek()?.filter((board) => board.id !== id) ?? []);
    return undefined; // Somebody else was faster.
  }
  return theirs === undefined ? fault : overtaken(fault, theirs, 'it was not deleted');
}

const addressOf = (id: string): string => `v1/boards/${id}`;
const contentOf = ({name, place, tiles}: Board): BoardContent => ({name, place, tiles});
const knownOf = (id: string): Board | undefined => readBoards.peek()?.find((board, at) => isMeant(id, board, at));

/** Takes the board of an answer as the one that is known. @returns what somebody else made of it. */
function taken(id: string, answer: Answer<unknown>): Board | undefined {
  const board = (answer.kind === 'value' ? answer.value : answer.fault.more?.current) as Board | undefined;
  if (board?.tiles === undefined) return undefined;
  readBoards.value = readBoards.peek()?.map((one) => (one.id === id ? board : one));
  return answer.kind === 'value' ? undefined : board;
}

const deleted: Fault = {code: 'not_found', message: 'somebody else deleted the board meanwhile', status: 404};

const overtaken = (fault: Fault, theirs: Board, outcome: string): Fault => ({
  ...fault,
  message: `${theirs.changed_by} changed the board meanwhile: it is shown, and ${outcome}`,
});
