// Reads the current traits of a partition's users for a question.
import type {Condition} from '../../../actors/report/rows/condition.js';
import {CurrentTraits, TraitUsers, type Users} from '../../../actors/report/rows/current-traits.js';
import {traitOf} from '../../../actors/report/rows/person-traits.js';
import {missingGroup, type ValueGroups} from '../../../actors/report/rows/value-groups.js';
import {loadAhead} from '../../parts/load-ahead.js';
import {loadsAheadMax, type PartScan} from '../part-scan.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';

/** Users whose traits meet all conditions; undefined without any condition: all users. */
export async function usersWhere(
  scan: PartScan,
  snapshot: PartitionSnapshot,
  conditions: readonly Condition[] = [],
): Promise<Users | undefined> {
  if (conditions.length === 0) return undefined;
  const users = new TraitUsers(conditions);
  await readTraits(scan, snapshot, new CurrentTraits((user, traits) => users.add(user, traits)));
  return users;
}

/** The group of each user's value of a trait, by user index. */
export async function traitGroups(
  scan: PartScan,
  snapshot: PartitionSnapshot,
  trait: string,
  groups: ValueGroups,
): Promise<Uint32Array> {
  const groupOf = new Uint32Array(snapshot.index.users.count).fill(missingGroup);
  const note = new CurrentTraits((user, traits) => {
    groupOf[user] = groups.groupOf(traitOf(traits, trait));
  });
  await readTraits(scan, snapshot, note);
  return groupOf;
}

/** Hands over the blocks of all runs, the newest run first. */
export async function readTraits(
  scan: PartScan,
  {index}: PartitionSnapshot,
  traits: Pick<CurrentTraits, 'addBlock'>,
): Promise<void> {
  const blocks = [...index.userRuns].reverse().flatMap((run) => run.blocks);
  for await (const [, payload] of loadAhead(blocks, ({part}) => scan.loadOnce(part), loadsAheadMax)) {
    traits.addBlock(payload);
    await scan.pauseIfDue();
  }
}
