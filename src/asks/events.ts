// Questions to a partition about its stored events, and their answers: pages of history, the tail in arrival order, texts.
import type {Generations} from '../../actors/generations.js';
import type {Position} from '../../actors/manifest.js';
import type {UserRef} from './users.js';

/** Place of a row in the order of history: newest first by (timeMs, partition, ordinal). */
export interface RowPlace {
  readonly timeMs: number;
  readonly partition: number;
  readonly ordinal: number;
}

export type EventsQuestion =
  /** Live. */
  | {
      readonly ask: 'history';
      readonly user?: UserRef;
      readonly event?: string;
      /** Inclusive bounds, epoch ms. */
      readonly fromMs?: number;
      readonly toMs?: number;
      readonly limit: number;
      /** Only rows after this place, which are older. */
      readonly before?: RowPlace;
      /** Only ordinals below this one: freezes a paged answer against new arrivals. */
      readonly ordinalEnd?: number;
      /** Set when only this partition is asked: its rows are those of the page, so the answer has their events, too. */
      readonly withEvents?: true;
    }
  /**
   * Folded rows from this ordinal on, in arrival order; with `limit` 0 only the end of the rows. `names`: only events with
   * these names.
   */
  | {readonly ask: 'tail'; readonly from: number; readonly names?: readonly string[]; readonly limit: number}
  /**
   * JSON texts of events as GET /v1/events shows them. An answer may have fewer than asked for: ask again for the rest. `was`: the
   * generation in which these rows were named, and the users they had; with it the answer says of each missing row why.
   */
  | {
      readonly ask: 'bodies';
      readonly ordinals: readonly number[];
      readonly was?: {readonly generation: number; readonly users: readonly number[]};
    };

/**
 * Why a row is missing. `lost`: the end of its log was lost. `moved`: a join brought it to the partition of its owner, whose
 * userId is given.
 */
export type Absence =
  | {readonly why: 'erased'}
  | {readonly why: 'lost'}
  | {readonly why: 'moved'; readonly partition: number; readonly userId: string};

export type EventsAnswer =
  | {
      readonly kind: 'history';
      /** Times and ordinals, newest first, in two lists: an object for each of hundreds of rows costs as much as finding them. */
      readonly timesMs: readonly number[];
      readonly ordinals: readonly number[];
      /** Whether more rows follow. */
      readonly more: boolean;
      /** The ordinal bound of this answer, which the next question returns. */
      readonly ordinalEnd: number;
      /** Position up to which the log was folded when the bound was taken, if the question had none. */
      readonly position?: Position;
      /** The user of the question is unknown, perhaps erased while the answer was made. */
      readonly isUserUnknown?: true;
      /** Id of the user that the anonymous user is linked to. */
      readonly linkedTo?: string;
      /** The answer of `bodies` for these rows by ascending ordinal, if the question has `withEvents`. */
      readonly events?: readonly (string | null)[];
    }
  | {
      readonly kind: 'bodies';
      /** Texts in the order of the question; null: the row is missing. */
      readonly events: readonly (string | null)[];
      /** Index of each event's user in the partition; null without the event. */
      readonly users: readonly (number | null)[];
      /** Why events are missing, for a question with `was`; null for the others. */
      readonly absences?: readonly (Absence | null)[];
    }
  | {
      readonly kind: 'tail';
      readonly generation: number;
      /** `generation` and those before it. */
      readonly generations: Generations;
      /** Ordinal after the newest folded row. */
      readonly end: number;
      /** Ordinal at which the next question continues. */
      readonly next: number;
      /** Ordinals of the matching rows, ascending. */
      readonly ordinals: readonly number[];
      /** Events of these rows and their users, as in `bodies`. */
      readonly events: readonly (string | null)[];
      readonly users: readonly (number | null)[];
      /**
       * Half-open range of ordinals that holds every row that was passed over because it is missing; absent: none. These rows may
       * have had any name.
       */
      readonly missing?: readonly [from: number, to: number];
    };
