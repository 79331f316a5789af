// A link that shows one report of the dashboard, or one board, to everybody who has it.
//   SL1. The link is shown once, when it is made: of its 192 random bits only the SHA-256 is stored.
//   SL2. A revoked link is a record that was removed: every process forgets it as soon as its watch tells (kept-store.ts).
//   SL3. A link that follows a saved report or a board shows what that is now. Any other one keeps its questions.
import {randomBytes} from 'node:crypto';
import type {KeptReport} from '../asks/address.js';
import {hashKey} from '../keys/key.js';
import {type BoardTile, boardsOf} from './board.js';
import type {Definition} from './definition.js';
import type {Definitions, KeptStore} from './kept-store.js';
import {savedReportsOf} from './saved-report.js';

export const sharesMax = 200;
/** In place of the moment at which a link ends. */
export const neverEnds = 'never';

/** A report with the name that its page shows. */
export interface SharedReport extends KeptReport {
  readonly name: string;
}

/** A board with the name that its page shows. */
export interface SharedBoard {
  readonly name: string;
  readonly tiles: readonly BoardTile[];
}

export interface Share extends Definition {
  /** SHA-256 of the link's token, hex. SL1 */
  readonly hash: string;
  /** Name of the report or board; of one that is followed, when the link was made. */
  readonly name: string;
  /** Id of the saved report or board, or what the link keeps. SL3 */
  readonly of: {readonly follows: string} | KeptReport;
  /** Epoch ms; null: it has no end. */
  readonly untilMs: number | null;
  /** Origins whose pages may embed it. */
  readonly origins: readonly string[];
  /** Its maker agreed that it shows what names people. */
  readonly mayNamePeople: boolean;
  /** Properties and traits whose values the report listed when the link was made. */
  readonly brokenDownBy: readonly string[];
  /** Name of the person or key that made it. */
  readonly createdBy: string;
  /** Reads of its data, up to the last minute or so. */
  readonly reads: number;
  /** Epoch ms. */
  readonly lastReadMs: number | null;
}

export const sharesOf = (store: KeptStore): Definitions<Share> => store.definitions<Share>('sh');

const tokenBytes = 24;
const tokenForm = /^[\w-]{32}$/;

export const newShareToken = (): string => randomBytes(tokenBytes).toString('base64url');

/** The link of a token, unless its time is over. */
export function shareOf(store: KeptStore, token: string, nowMs: number): Share | undefined {
  if (!tokenForm.test(token)) return undefined;
  const hash = hashKey(token);
  const share = sharesOf(store)
    .list()
    .find((one) => one.hash === hash);
  return share === undefined || (share.untilMs ?? Number.POSITIVE_INFINITY) <= nowMs ? undefined : share;
}

/** What a link shows; undefined: it was deleted. SL3 */
export const sharedOf = (store: KeptStore, {name, of}: Share): SharedReport | SharedBoard | undefined =>
  'follows' in of ? (savedReportsOf(store).get(of.follows) ?? boardsOf(store).get(of.follows)) : {name, ...of};
