// Pages of history that a start reads before it is ready: code that never ran is interpreted, and the first pages of each kind
// took several times as long as later ones.
//   Owns: the pages and their number. Does not own: what is read ahead (warm-up.ts).
//   H1. The pages are those that people request: of everything, of an event, of a user, up to a time. The answers are dropped.
//   H2. Pages and time are bounded, and the event loop runs after each page, so folding continues.
//   H3. A page that cannot be read ends the rehearsal; a real question reports the fault.
import {setImmediate as nextTurn} from 'node:timers/promises';
import {throwBroken} from '../../../actors/invariant.js';
import {historyLimitDefault} from '../../../actors/limits.js';
import type {PartitionQuestion} from '../../asks/partition.js';
import {monotonicMs} from '../../clock.js';
import type {RowSources} from '../partition-view.js';
import {HistoryReads} from './history-reads.js';
import {longReadSlots, readPage} from './read-budget.js';

/** Pages of each kind, for each partition. */
const roundsMax = 20;
/** Distance of the users and chunks of successive rounds. */
const stride = 7;

type Rehearsed = RowSources;

interface Page {
  readonly question: Extract<PartitionQuestion, {ask: 'history'}>;
  readonly user: number | undefined;
}

/** Rehearses partitions that have chunks in parts; resolves with the number of pages. Takes at most `msMax` and one page. */
export async function rehearse(setups: readonly Rehearsed[], msMax: number): Promise<number> {
  const endMs = monotonicMs() + msMax;
  const readers = setups
    .filter(({layout}) => layout.chunks.size > 0)
    .map((setup) => ({setup, reads: new HistoryReads(setup)}));
  const longReads = longReadSlots();
  let pages = 0;
  for (let round = 0; round < roundsMax; round++) {
    for (const {setup, reads} of readers) {
      for (const {question, user} of pagesOf(setup, round)) {
        if (monotonicMs() > endMs) return pages; // H2
        try {
          JSON.stringify(await readPage(longReads, endMs, (budget) => reads.history(question, user, budget)));
        } catch (error) {
          throwBroken(error);
          return pages; // H3
        }
        pages += 1;
        await nextTurn();
      }
    }
  }
  return pages;
}

/** Pages of one round. H1 */
function pagesOf({partition, layout}: Rehearsed, round: number): Page[] {
  const {users, names} = partition.tables;
  const user = (round * stride) % Math.max(1, users.count);
  const name = round % Math.max(1, names.count);
  const chunks = [...layout.chunks.values()];
  const toMs = chunks[(round * stride) % chunks.length].maxTimeMs;
  const everything = {ask: 'history', limit: historyLimitDefault, withEvents: true} as const;
  const ofName = names.has(name) ? {...everything, event: names.text(name)} : everything;
  const pages: Page[] = [everything, {...everything, toMs}, ofName, {...ofName, toMs}].map((question) => ({
    question,
    user: undefined,
  }));
  if (!users.has(user)) return pages;
  return [...pages, ...[everything, {...everything, toMs}, ofName].map((question) => ({question, user}))];
}
