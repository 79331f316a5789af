// A saved report of the dashboard: a question of one of its pages, with a name. The pages alone know what the question means.
//   SV1. `version` counts changes of the name and of the question. Who changes one says which version they saw: what somebody else
//        did meanwhile is never lost.
//   SV2. No saved report names a user: an erasure has nothing to search for here. Pages about people cannot be saved.
import type {Definition} from './definition.js';
import type {Definitions, HookStore} from './hook-store.js';

export const savedReportsMax = 500;
/** Characters of the query of an address: fifty names and as many conditions, escaped, are less. */
export const savedSearchCharsMax = 16_384;

/** SV2 */
export const savedPages = ['/trends', '/funnels', '/retention', '/lifecycle', '/paths', '/active'] as const;

export interface SavedReport extends Definition {
  readonly name: string;
  readonly page: (typeof savedPages)[number];
  /** Empty, or from the `?` on. */
  readonly search: string;
  /** SV1 */
  readonly version: number;
  /** Reports are listed by it, ascending; a number between two others is between them. No version: it is not their content. */
  readonly place: number;
  readonly changedMs: number;
  /** Name of the person. */
  readonly changedBy: string;
}

export const savedReportsOf = (hooks: HookStore): Definitions<SavedReport> => hooks.definitions<SavedReport>('sr');
