// The board of Overview: reports that everybody who signs in sees there, in one order.
//   BD1. There is one board, under an id of its own, from its first change on.
//   BD2. `version` counts changes. Who changes the board says which version they saw: what somebody else did meanwhile is never lost.
//   BD3. No pin names a user: an erasure has nothing to search for here. Pages about people cannot be pinned.
import type {Definition} from './definition.js';
import type {Definitions, HookStore} from './hook-store.js';

export const boardPinsMax = 12;
/** Of all pins together: a report with several conditions has some 300. */
export const boardCharsMax = 16_384;

/** BD1 */
export const boardId = 'bd_0000000000000000';

export interface Board extends Definition {
  /** Addresses of reports below `/dashboard`, without what Overview decides for all of them: `/trends?event=signup`. BD3 */
  readonly pins: readonly string[];
  /** From 1 on. BD2 */
  readonly version: number;
  readonly changedMs: number;
  /** Name of the person. */
  readonly changedBy: string;
}

export const boardsOf = (hooks: HookStore): Definitions<Board> => hooks.definitions<Board>('bd');
