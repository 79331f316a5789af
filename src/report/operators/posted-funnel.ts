// The funnel of one partition: out of postings of the events that its steps choose, or by a walk of its users (funnel-walks.ts).
import {type FunnelResult, FunnelResults} from '../../../actors/report/funnel/funnel.js';
import {PostedFunnel} from '../../../actors/report/funnel/posted-funnel.js';
import type {UserSet} from '../../../actors/table/user-set.js';
import {type FunnelReportQuery, type FunnelRules, funnelSelectors} from '../../asks/funnels.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {partialOf} from '../rounds.js';
import {FunnelWalks} from './funnel-walks.js';

/** Whether paths depend on nothing but the events that the steps choose. */
export const areStepsPlain = ({
  order,
  range,
  exclusions = [],
  hold,
  users,
  breakdown,
  interval,
}: FunnelRules & Pick<Extract<FunnelReportQuery, {report: 'funnel'}>, 'interval'>): boolean =>
  (order ?? 'sequential') === 'sequential' &&
  (range ?? 'all') === 'all' &&
  exclusions.length === 0 &&
  users === undefined &&
  hold === undefined &&
  breakdown === undefined &&
  interval === undefined;

/** Out of postings, of plain steps; undefined: there are none. `completed` gets the users who reach the last step. */
export async function postedFunnel(
  reading: Reading,
  rules: FunnelRules,
  snapshot: PartitionSnapshot,
  completed?: UserSet,
): Promise<FunnelResult | undefined> {
  const {fromMs, toMs, windowMs = Number.POSITIVE_INFINITY} = rules;
  const {scan, fast, progress, lists} = reading;
  const stretch = {startMs: fromMs, lastMs: toMs};
  const posted = await fast.postings?.eventsOf(reading, snapshot, funnelSelectors(rules), stretch);
  if (posted === undefined) return undefined;
  const hasLeft = snapshot.leftOut.users;
  const {segments, lists: places} = posted;
  const funnel = new PostedFunnel(segments, places, stretch, windowMs, progress, lists, hasLeft, completed);
  await scan.inSlices(funnel.walk());
  return funnel;
}

/** The funnel of plain steps: of each partition out of postings, or by a walk. */
export function funnelRound(reading: Reading, rules: FunnelRules) {
  const results = new FunnelResults(rules.steps.length, reading.lists);
  const walks = new FunnelWalks(reading, rules);
  const fold = async (snapshot: PartitionSnapshot): Promise<void> => {
    results.all.push((await postedFunnel(reading, rules, snapshot)) ?? (await scannedFunnel(reading, walks, snapshot)));
  };
  return {results, walks, fold, end: () => results.end(), ...partialOf(walks.scan, results)};
}

async function scannedFunnel(reading: Reading, walks: FunnelWalks, snapshot: PartitionSnapshot): Promise<FunnelResult> {
  const {steps} = walks.rules;
  const reached = new Float64Array(steps.length);
  const durations = steps.map(() => reading.lists.take());
  await walks.walk(snapshot, undefined, ({depth, times}) => {
    for (let step = 0; step < depth; step++) {
      reached[step]! += 1;
      if (step > 0) durations[step]!.push(times[step]! - times[step - 1]!);
    }
  });
  return {reached, durations};
}
