// A saved report of the dashboard: a question of one of its pages, with a name. Only the pages know what the question means.
//   SV1. Whoever arranges the list changes no report: a new place is no new version, and no change of its author.
//   SV2. Pages about people cannot be saved. A condition may name a user all the same: a deletion searches for that
//        (named-person.ts).
import type {Definition} from './definition.js';
import type {Definitions, KeptStore} from './kept-store.js';

export const savedReportsMax = 500;
/** Characters of the query of an address: fifty names and as many conditions, escaped, are less. */
export const savedSearchCharsMax = 16_384;

/** Pages whose questions can be saved. SV2 */
export const savedPages = ['/trends', '/funnels', '/retention', '/lifecycle', '/paths', '/active'] as const;

export interface SavedReport extends Definition {
  readonly name: string;
  readonly page: (typeof savedPages)[number];
  /** Query of the page's address, with its `?`; may be empty. */
  readonly search: string;
  /** Sort key of the list, ascending; any number between two others is possible. SV1 */
  readonly place: number;
  readonly changedMs: number;
  /** Name of the person or key that changed it last. */
  readonly changedBy: string;
}

export const savedReportsOf = (store: KeptStore): Definitions<SavedReport> => store.definitions<SavedReport>('sr');
