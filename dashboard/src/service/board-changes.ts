// Changes of boards.
//   BO1. A change is shown at once. Changes are sent one after the other, each as one of the version that the board then has.
//   BO2. Where somebody else was faster, a change that means the same on their board is made there. Any other one is not made.
import {batch, signal} from '@preact/signals';
import type {KeptReport} from '../../../src/asks/address.js';
import {type BoardTile, isReport, moved, pinKey, type TileMembers, tileKeys, tilesMax, tileWith} from './board-tiles';
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

export const isPinned = ({tiles}: Board, key: string): boolean =>
  tiles.some((one) => isReport(one) && pinKey(one) === key);
export const hasRoom = ({tiles}: Board, more = 1): boolean => tiles.length + more <= tilesMax;

interface Wanted {
  readonly of: BoardChange;
  /** It means the same on a board that somebody else has changed. BO2 */
  readonly isForAny: boolean;
  /** Why it cannot be made on a board. */
  readonly refusal: string;
}

const full = `a board has up to ${tilesMax} tiles`;

export function togglePin(board: Board, report: KeptReport): void {
  const key = pinKey(report);
  const isThis = (one: BoardTile): boolean => isReport(one) && pinKey(one) === key;
  const off: BoardChange = ({tiles}) => ({tiles: tiles.filter((one) => !isThis(one))});
  const on: BoardChange = (known) =>
    isPinned(known, key) ? {} : hasRoom(known) ? {tiles: [...known.tiles, report]} : undefined;
  make(board, {of: isPinned(board, key) ? off : on, isForAny: true, refusal: full});
}

export const addTiles = (board: Board, added: readonly BoardTile[]): void =>
  make(board, {
    of: (known) => (hasRoom(known, added.length) ? {tiles: [...known.tiles, ...added]} : undefined),
    isForAny: true,
    refusal: full,
  });

export const moveTile = (board: Board, key: string, to: number): void =>
  make(board, {of: ({tiles}) => ({tiles: moved(tiles, key, to)}), isForAny: false, refusal: ''});

/** Unless somebody else has changed the same of it. `key`: that of the tile. */
export function changeTile(board: Board, key: string, members: TileMembers): void {
  const seen = tileAt(board, key);
  make(board, {
    of: (known) => {
      const tile = tileAt(known, key);
      const names = Object.keys(members) as (keyof TileMembers)[];
      if (tile === undefined || !names.every((name) => tile[name] === seen?.[name])) return undefined;
      return {tiles: known.tiles.map((one) => (one === tile ? tileWith(one, members) : one))};
    },
    isForAny: true,
    refusal: 'somebody else changed the tile meanwhile',
  });
}

export interface Removed {
  readonly board: Board;
  readonly tile: BoardTile;
  readonly at: number;
  readonly title: string;
}
/** The tile that was removed here last, until it is put back or the page is left. */
export const removedTile = signal<Removed | undefined>(undefined);

export function removeTile(board: Board, key: string, title: string): void {
  const at = tileKeys(board.tiles).indexOf(key);
  removedTile.value = {board, tile: board.tiles[at]!, at, title};
  make(board, {
    of: (known) => ({tiles: known.tiles.filter((one) => one !== tileAt(known, key))}),
    isForAny: true,
    refusal: '',
  });
}

export function putBack({board, tile, at}: Removed): void {
  removedTile.value = undefined;
  make(board, {
    of: (known) =>
      hasRoom(known) ? {tiles: [...known.tiles.slice(0, at), tile, ...known.tiles.slice(at)]} : undefined,
    isForAny: true,
    refusal: full,
  });
}

const tileAt = ({tiles}: Board, key: string): BoardTile | undefined => tiles[tileKeys(tiles).indexOf(key)];

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
