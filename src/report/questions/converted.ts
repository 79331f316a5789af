// Lists the users of one partition who completed a funnel by all of its events: those whom the funnel report counts at the last step.

import {PostedFunnel} from '../../../actors/report/funnel/posted-funnel.js';
import type {Stretch} from '../../../actors/report/selection.js';
import {UserSet} from '../../../actors/table/user-set.js';
import type {FunnelPath, PlainFunnel} from '../../asks/funnels.js';
import {FunnelWalks} from '../operators/funnel-walks.js';
import {nameIndex} from '../operators/name-index.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';

/** @throws MissingPart, DamagedPart, BeyondMemory */
export async function converted(reading: Reading, path: FunnelPath, snapshot: PartitionSnapshot): Promise<UserSet> {
  const users = new UserSet();
  const walks = new FunnelWalks(reading, {...path, fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY});
  await walks.walk(snapshot, undefined, ({user, depth}) => {
    if (depth === path.steps.length) users.add(user);
  });
  return users;
}

/** Users of `converted` in a funnel of plain steps, found in postings; undefined: this snapshot has no postings yet. */
export async function postedConverted(
  reading: Reading,
  {steps, windowMs}: PlainFunnel,
  snapshot: PartitionSnapshot,
): Promise<UserSet | undefined> {
  const {scan, fast, progress, lists} = reading;
  const stepNames = steps.map((event) => nameIndex(snapshot, event));
  const stretch: Stretch = {startMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY};
  const asked = {names: new Set(stepNames.filter((name) => name >= 0)), stretch};
  const segments = await fast.funnels?.postingsOf(snapshot, asked, undefined, scan.slices);
  if (segments === undefined) return undefined;
  const users = new UserSet();
  const hasLeft = snapshot.leftOut.users;
  const funnel = new PostedFunnel(
    segments,
    stepNames,
    stretch,
    windowMs ?? Number.POSITIVE_INFINITY,
    progress,
    lists,
    hasLeft,
    users,
  );
  try {
    await scan.inSlices(funnel.walk());
    return users;
  } finally {
    for (const list of funnel.durations) lists.giveBack(list);
  }
}
