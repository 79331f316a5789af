// A board: reports that everybody who signs in sees side by side, in one order. Overview shows the first board.
//   BD1. There is always a board. While none is stored it is an empty one with an id of its own; the last one is not deleted.
//   BD2. `version` counts changes. Who changes or deletes a board says which version they saw: what somebody else did meanwhile is
//        never lost.
//   BD3. Pages about people cannot be pinned. A condition of a pin may name a user all the same (named-person.ts).
import type {Definition} from './definition.js';
import type {Definitions, HookStore} from './hook-store.js';

export const boardsMax = 20;
/** Pins of one board. */
export const boardPinsMax = 12;
/** Characters of all pins of a board: a report with several conditions has some 300. */
export const boardCharsMax = 16_384;

/** BD1 */
export const firstBoardId = 'bd_0000000000000000';

export interface Board extends Definition {
  readonly name: string;
  /** Sort key of the boards, ascending; any number between two others is possible. */
  readonly place: number;
  /** Addresses of reports below `/dashboard`, without what the board decides for all of them: `/trends?event=signup`. BD3 */
  readonly pins: readonly string[];
  /** Number of changes, from 1 on; 0: the board is not stored yet. BD2 */
  readonly version: number;
  readonly changedMs: number;
  /** Name of the person. */
  readonly changedBy: string;
}

/** A board as its record has it: the only board of an earlier version has neither name nor place. */
type StoredBoard = Omit<Board, 'name' | 'place'> & Partial<Pick<Board, 'name' | 'place'>>;

const first = {name: 'Main', place: 0} as const;

export const boardsOf = (hooks: HookStore): Definitions<StoredBoard> => hooks.definitions<StoredBoard>('bd');

export const named = (board: StoredBoard): Board => ({...first, ...board});

/** A board without a pin. */
export const emptyBoard = (id: string, nowMs: number): Board => ({
  v: 1,
  id,
  createdMs: nowMs,
  ...first,
  pins: [],
  version: 0,
  changedMs: nowMs,
  changedBy: '',
});

/** All boards in their order. BD1 */
export function boardsIn(hooks: HookStore): readonly Board[] {
  const stored = boardsOf(hooks).list().map(named);
  return stored.length === 0 ? [emptyBoard(firstBoardId, 0)] : stored.sort((a, b) => a.place - b.place);
}
