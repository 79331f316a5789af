// Whom a digest reaches: the number that answers and pages give.
import {boardsOf} from '../kept/board.js';
import type {KeptStore} from '../kept/kept-store.js';
import {savedReportsOf} from '../kept/saved-report.js';
import type {Digest} from './definition.js';

/** Name of the saved report or the board; undefined: there is none. */
export const nameOf = (store: KeptStore, id: string): string | undefined =>
  (savedReportsOf(store).get(id) ?? boardsOf(store).get(id))?.name;

/** Ids of the endpoints that get the digest: what is disabled gets nothing. */
export function reachedBy(store: KeptStore, {of, endpoints}: Pick<Digest, 'of' | 'endpoints'>): readonly string[] {
  const name = nameOf(store, of);
  if (name === undefined) return [];
  const told = endpoints?.flatMap((id) => store.endpoints.get(id) ?? []) ?? store.wants('report.digest', name);
  return told.flatMap(({id, state}) => (state === 'disabled' ? [] : [id]));
}
