// Finds the steps that single users reached in funnels: reads their folded rows, wherever they are, and walks them.
//   UP1. Rows that come while others are read may be left out. The steps that are found are right nevertheless: more rows never make
//        a user reach fewer steps.

import {wtf8} from '../../../actors/bytes/bytes.js';
import {FunnelWalk} from '../../../actors/report/funnel/funnel-walk.js';
import type {PlainFunnel} from '../../asks/funnels.js';
import {rowsOf, type Yield} from '../identity/left-rows.js';
import type {RowSources} from '../partition-view.js';

/** Time at which a user reached each step, epoch ms; steps that the user did not reach have none. */
export type StepTimes = readonly number[];

const nowhere: StepTimes = [];
/** Kind of an event that is no step; funnels have fewer steps. */
const noKind = 255;

interface Row {
  readonly timeMs: number;
  readonly ordinal: number;
  readonly name: number;
}

/**
 * Paths by user, in the order of `funnels`, empty where `isAsked` is false. A user without rows of their steps has none. UP1.
 * @throws MissingPart, DamagedPart
 */
export async function pathsOf(
  view: RowSources,
  users: readonly number[],
  funnels: readonly PlainFunnel[],
  turn: Yield,
  isAsked: (user: number, funnel: number) => boolean = () => true,
): Promise<ReadonlyMap<number, readonly StepTimes[]>> {
  const walkers = funnels.map((funnel) => walkerOf(view, funnel));
  const steps = new Set(walkers.flatMap(({names}) => names));
  const rows = new Map<number, Row[]>();
  for await (const {columns, rows: found} of rowsOf(view, users)) {
    for (const row of found) {
      if (!steps.has(columns.names[row]!)) continue;
      const user = columns.users[row]!;
      const one = {
        timeMs: columns.timeBase + columns.times[row]!,
        ordinal: columns.baseOrdinal + row,
        name: columns.names[row]!,
      };
      const known = rows.get(user);
      if (known === undefined) rows.set(user, [one]);
      else known.push(one);
    }
    await turn();
  }
  const paths = new Map<number, StepTimes[]>();
  for (const [user, own] of rows) {
    own.sort((a, b) => a.timeMs - b.timeMs || a.ordinal - b.ordinal);
    paths.set(
      user,
      walkers.map(({walk}, at) => (isAsked(user, at) ? walk(own) : nowhere)),
    );
  }
  return paths;
}

interface Walker {
  /** Names of its steps, up to one that never happened here: no user reaches that. */
  readonly names: readonly number[];
  /** Walks the rows of a user, in their order. */
  readonly walk: (rows: readonly Row[]) => StepTimes;
}

function walkerOf({partition}: RowSources, {steps, windowMs}: PlainFunnel): Walker {
  const names = steps.map((step) => {
    const bytes = wtf8(step);
    return partition.aggregator.names.find(bytes, 0, bytes.length);
  });
  const unknown = names.indexOf(-1);
  const known = unknown < 0 ? names : names.slice(0, unknown);
  // Several steps may take the same event: they share its kind.
  const kindOf = new Uint8Array(partition.aggregator.names.count).fill(noKind);
  for (const name of known) kindOf[name] = known.indexOf(name);
  const walk = new FunnelWalk(
    Uint8Array.from(known, (name) => kindOf[name]!),
    windowMs ?? Number.POSITIVE_INFINITY,
  );
  let times = new Float64Array(64);
  let kinds = new Uint8Array(64);
  const pathOf = (rows: readonly Row[]): StepTimes => {
    if (rows.length > times.length)
      [times, kinds] = [new Float64Array(2 * rows.length), new Uint8Array(2 * rows.length)];
    let count = 0;
    for (const {name, timeMs} of rows) {
      const kind = kindOf[name]!;
      if (kind === noKind) continue;
      times[count] = timeMs;
      kinds[count++] = kind;
    }
    const depth = known.length === 0 ? 0 : walk.walk(times, kinds, 0, count);
    return depth === 0 ? nowhere : [...walk.times.subarray(0, depth)];
  };
  return {names: known, walk: pathOf};
}
