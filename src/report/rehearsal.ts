// Reports that a start asks itself once their parts are read ahead (warm-up.ts): code that never ran is interpreted first,
// and what is derived of windows for every question of a kind is made by its first one. The first reports by day took 17 to 52
// ms where later ones take 2 to 4.
//   Owns: what is asked, and how much of it. Does not own: how reports are computed.
//   H1. What dashboards ask about the newest days: counts by day and hour, active users. Nothing that is built only for
//       those who ask (postings for funnels, cells of property values). The answers go nowhere.
//   H2. Nobody waits for it: it gives way to reports before each of its own, and ends after some time.

import {dayMs} from '../../actors/limits.js';
import {stretchOfChunks} from '../../actors/report/selection.js';
import type {ReportQuery} from '../asks.js';
import {monotonicMs} from '../clock.js';
import type {PartitionSnapshot} from './published/newest-snapshots.js';

const roundsMax = 20;
/** As far back as dashboards look. */
const days = 90;
const spentMsMax = 500;

/** `compute`: of these snapshots. Resolves with the number of reports, of which the last one began before `msMax` of computing. */
export async function rehearse(
  snapshots: readonly PartitionSnapshot[],
  compute: (query: ReportQuery) => Promise<string>,
  whenQuiet: () => Promise<void>,
  msMax = spentMsMax,
): Promise<number> {
  const {lastMs: newestMs} = stretchOfChunks(snapshots.flatMap(({index}) => index.chunks));
  const event = snapshots.map(firstName).find((name) => name !== undefined);
  if (event === undefined || !Number.isFinite(newestMs)) return 0;
  let computed = 0;
  let spentMs = 0;
  for (let round = 0; round < roundsMax; round++) {
    for (const query of queriesOf(event, newestMs, round)) {
      await whenQuiet();
      const startMs = monotonicMs();
      await compute(query);
      computed += 1;
      spentMs += monotonicMs() - startMs;
      if (spentMs > msMax) return computed;
    }
  }
  return computed;
}

const firstName = ({names}: PartitionSnapshot): string | undefined => (names.has(0) ? names.text(0) : undefined);

/** H1. Ends of days: within one, users are counted row by row. The first round asks about most days. */
function queriesOf(event: string, newestMs: number, round: number): ReportQuery[] {
  const endMs = (Math.floor(newestMs / dayMs) + 1) * dayMs;
  const range = {fromMs: endMs - (days - round) * dayMs, toMs: endMs - 1};
  return [
    {report: 'events', event, interval: 'day', ...range},
    {report: 'events', event, interval: 'hour', ...range},
    ...(['dau', 'wau', 'mau'] as const).map(
      (metric) => ({report: 'users', metric, interval: 'day', ...range}) as const,
    ),
  ];
}
