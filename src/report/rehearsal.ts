// Reports that a start runs for itself after reading ahead (warm-up.ts). Code that never ran is interpreted, and the first
// question of a kind derives values that later ones reuse: the first reports by day took 17 to 52 ms, later ones 2 to 4.
//   Owns: the questions and their number. Does not own: how reports are computed.
//   RH1. It asks the questions of dashboards about the newest days: counts by day and hour, active users. It asks for no
//        postings or cells of property values, which are built only for real questions. It drops the answers.
//   RH2. It yields to reports before each of its own, and ends after `spentMsMax`.

import {dayMs} from '../../actors/limits.js';
import {stretchOfChunks} from '../../actors/report/selection.js';
import type {ReportQuery} from '../asks/report.js';
import {monotonicMs} from '../clock.js';
import type {PartitionSnapshot} from './published/newest-snapshots.js';

const roundsMax = 20;
/** Days that dashboards show. */
const days = 90;
const spentMsMax = 500;

/** Resolves with the number of reports; none begins after `msMax` of computing. */
export async function rehearse(
  snapshots: readonly PartitionSnapshot[],
  compute: (query: ReportQuery) => Promise<string>,
  whenIdle: () => Promise<unknown>,
  msMax = spentMsMax,
): Promise<number> {
  const {lastMs: newestMs} = stretchOfChunks(snapshots.flatMap(({index}) => index.chunks));
  const event = snapshots.map(firstName).find((name) => name !== undefined);
  if (event === undefined || !Number.isFinite(newestMs)) return 0;
  let computed = 0;
  let spentMs = 0;
  for (let round = 0; round < roundsMax; round++) {
    for (const query of queriesOf(event, newestMs, round)) {
      await whenIdle();
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

/** RH1. Ranges end with a day: within one, users are counted row by row. The first round asks about most days. */
function queriesOf(event: string, newestMs: number, round: number): ReportQuery[] {
  const endMs = (Math.floor(newestMs / dayMs) + 1) * dayMs;
  const range = {fromMs: endMs - (days - round) * dayMs, toMs: endMs - 1};
  return [
    {report: 'counts', events: [event], interval: 'day', ...range},
    {report: 'counts', events: [event], interval: 'hour', ...range},
    ...(['dau', 'wau', 'mau'] as const).map(
      (metric) => ({report: 'active', metric, interval: 'day', ...range}) as const,
    ),
  ];
}
