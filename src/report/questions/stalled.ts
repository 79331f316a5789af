// Lists the users who stalled in a funnel of sequential steps: a page by deadline, within one ms by partition and user index.
//   ST1. Deadlines of one user differ: pages that begin after the last place miss no stall, and repeat none.
//   ST2. A question mostly covers the time since the last one: it only walks users who reached the step then.

import {timeOf} from '../../../actors/chunk/rows.js';
import {walkStalls} from '../../../actors/report/funnel/stall-walk.js';
import {textOfSelector} from '../../../actors/report/rows/row-choice.js';
import {SelectorSets} from '../../../actors/report/rows/selector-sets.js';
import {UserSet} from '../../../actors/table/user-set.js';
import type {QueryOf} from '../../asks/report.js';
import type {Stall, StallPage, StallPlace} from '../../asks/stalled.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {RowScan} from '../row-scan.js';

/** JSON text of the page. @throws MissingPart, DamagedPart, BeyondMemory */
export async function stalled(
  reading: Reading,
  query: QueryOf<'stalled'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const {steps, withinMs, windowMs = Number.POSITIVE_INFINITY} = query;
  const selectors = [...new Map(steps.map((step) => [textOfSelector(step), step])).values()];
  const scan = new RowScan(reading, {
    stretch: {startMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY},
    selectors,
  });
  const reached = new RowScan(reading, {
    stretch: {startMs: query.from.deadlineMs - withinMs, lastMs: query.untilMs - withinMs},
    selectors: [steps[steps.length - 2]!],
  });
  const sets = new SelectorSets(selectors.length);
  const texts = selectors.map(textOfSelector);
  const rules = {steps: steps.map((step) => texts.indexOf(textOfSelector(step))), withinMs, windowMs};
  const page = new FirstStalls(query);
  for (const snapshot of snapshots) {
    const {partition, position} = snapshot.manifest;
    const users = new UserSet();
    await reached.fold(snapshot, (rows, [chosen]) => {
      for (const row of chosen!) users.add(rows.users[row]!);
    });
    if (users.count === 0) continue; // ST2
    await scan.walk(
      snapshot,
      (rows, chosen, walk) =>
        sets.forEachRow(rows.order, chosen, (row, set) => walk.add(rows.users[row]!, timeOf(rows, row), set)),
      (user, times, kinds, start, end) => {
        const isChosen = (place: number, selector: number): boolean => sets.has(kinds[place]!, selector);
        walkStalls(rules, times, isChosen, start, end, (enteredMs, reachedMs) => {
          const deadlineMs = reachedMs + withinMs;
          page.add({deadlineMs, partition, user, generation: position.generation, enteredMs, reachedMs});
        });
      },
      users,
    );
  }
  return JSON.stringify(page.body());
}

/** The first stalls of a range, of any number that come in any order. */
class FirstStalls {
  private readonly query: QueryOf<'stalled'>;
  private stalls: Stall[] = [];

  constructor(query: QueryOf<'stalled'>) {
    this.query = query;
  }

  add(stall: Stall): void {
    const {from, untilMs, limit} = this.query;
    if (stall.deadlineMs > untilMs || comparePlaces(stall, from) < 0) return;
    this.stalls.push(stall);
    if (this.stalls.length > 2 * limit + 2) this.cut();
  }

  body(): StallPage {
    this.cut();
    const {limit} = this.query;
    return {data: this.stalls.slice(0, limit), has_more: this.stalls.length > limit};
  }

  /** Keeps one more than the page has. */
  private cut(): void {
    this.stalls = this.stalls.sort(comparePlaces).slice(0, this.query.limit + 1);
  }
}

const comparePlaces = (a: StallPlace, b: StallPlace): number =>
  a.deadlineMs - b.deadlineMs || a.partition - b.partition || a.user - b.user;
