// Lists the users of one partition who completed a funnel of plain steps by all of its events: those whom the funnel report counts
// at the last step.

import {UserSet} from '../../../actors/table/user-set.js';
import type {PlainFunnel} from '../../asks/funnels.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {FunnelWalks} from '../operators/funnel-walks.js';
import type {RowReading} from '../operators/row-scan.js';

/** @throws MissingPart, DamagedPart, BeyondMemory */
export async function converted(
  reading: RowReading,
  {steps, windowMs}: PlainFunnel,
  snapshot: PartitionSnapshot,
): Promise<UserSet> {
  const users = new UserSet();
  const walks = new FunnelWalks(reading, {
    steps: steps.map((event) => ({event})),
    fromMs: Number.NEGATIVE_INFINITY,
    toMs: Number.POSITIVE_INFINITY,
    windowMs,
  });
  await walks.walk(snapshot, undefined, ({user, depth}) => {
    if (depth === steps.length) users.add(user);
  });
  return users;
}
