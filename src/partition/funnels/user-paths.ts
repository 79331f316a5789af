// Finds the steps that single users reached in funnels: reads their folded rows, wherever they are, and walks them.
//   UP1. Rows that come while others are read may be left out. The steps that are found are right nevertheless: more rows never make
//        a user reach fewer steps.

import {wtf8} from '../../../actors/bytes/bytes.js';
import {FunnelWalk} from '../../../actors/report/funnel/funnel-walk.js';
import type {PlainFunnel} from '../../asks.js';
import {rowsOf, type Yield} from '../identity/left-rows.js';
import type {PartitionView} from '../partition-view.js';

/** When a user reached each step, epoch ms: as many as were reached. */
export type Path = readonly number[];

interface Row {
  readonly timeMs: number;
  readonly ordinal: number;
  readonly name: number;
}

type View = Pick<PartitionView, 'partition' | 'layout' | 'cache'>;

/** Paths by user, in the order of `funnels`. A user without rows has none. UP1. @throws MissingPart, DamagedPart */
export async function pathsOf(
  view: View,
  users: readonly number[],
  funnels: readonly PlainFunnel[],
  turn: Yield,
): Promise<ReadonlyMap<number, readonly Path[]>> {
  const rows = new Map<number, Row[]>();
  for await (const {columns, rows: found} of rowsOf(view, users)) {
    for (const row of found) {
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
  const walkers = funnels.map((funnel) => walkerOf(view, funnel));
  const paths = new Map<number, Path[]>();
  for (const [user, own] of rows) {
    own.sort((a, b) => a.timeMs - b.timeMs || a.ordinal - b.ordinal);
    paths.set(
      user,
      walkers.map((walk) => walk(own)),
    );
  }
  return paths;
}

/** Walks the rows of a user, in their order. No user reaches a step whose event never happened here. */
function walkerOf({partition}: View, {steps, windowMs}: PlainFunnel): (rows: readonly Row[]) => Path {
  const names = steps.map((step) => {
    const bytes = wtf8(step);
    return partition.aggregator.names.find(bytes, 0, bytes.length);
  });
  const unknown = names.indexOf(-1);
  const known = unknown < 0 ? names : names.slice(0, unknown);
  // Several steps may take the same event: they share its kind.
  const kindOf = new Map(known.map((name) => [name, known.indexOf(name)]));
  const walk = new FunnelWalk(
    Uint8Array.from(known, (name) => kindOf.get(name)!),
    windowMs ?? Number.POSITIVE_INFINITY,
  );
  return (rows) => {
    const own = rows.filter(({name}) => kindOf.has(name));
    const times = Float64Array.from(own, ({timeMs}) => timeMs);
    const kinds = Uint8Array.from(own, ({name}) => kindOf.get(name)!);
    const depth = known.length === 0 ? 0 : walk.walk(times, kinds, 0, own.length);
    return [...walk.times.subarray(0, depth)];
  };
}
