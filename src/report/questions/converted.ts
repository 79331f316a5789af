// Lists the users of one partition who completed a funnel by all of its events: those whom the funnel report counts at the last step.

import {UserSet} from '../../../actors/table/user-set.js';
import type {FunnelPath} from '../../asks/funnels.js';
import {FunnelWalks} from '../operators/funnel-walks.js';
import {areStepsPlain, postedFunnel} from '../operators/posted-funnel.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';

/** @throws MissingPart, DamagedPart, BeyondMemory */
export async function converted(reading: Reading, path: FunnelPath, snapshot: PartitionSnapshot): Promise<UserSet> {
  const users = new UserSet();
  const rules = {...path, fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY};
  const posted = areStepsPlain(rules) ? await postedFunnel(reading, rules, snapshot, users) : undefined;
  if (posted === undefined)
    await new FunnelWalks(reading, rules).walk(snapshot, undefined, ({user, depth}) => {
      if (depth === path.steps.length) users.add(user);
    });
  for (const list of posted?.durations ?? []) reading.lists.giveBack(list);
  return users;
}
