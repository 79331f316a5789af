// The paths that a number of a funnel counts: at a step, in a bucket of entries, in a row of the breakdown, in a bin of a histogram.
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {binOf} from '../../../actors/report/funnel/duration-histogram.js';
import type {Users} from '../../../actors/report/rows/current-traits.js';
import type {ShownRows} from '../../../actors/report/rows/tuple-groups.js';
import type {FunnelRules} from '../../asks/funnels.js';
import type {Point} from '../../asks/people-behind.js';
import type {QueryOf} from '../../asks/report.js';
import {asOf} from '../published/freshness.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {filteredUsers} from './filtered-users.js';
import {groupedWalks, type UserPath} from './funnel-walks.js';
import {GroupCounts} from './grouped-rows.js';
import type {NoteUser} from './users-of-rows.js';

type Asked = Omit<QueryOf<'funnel'>, 'report'>;

/** Hands over the paths of a partition that a number counts, by ascending user index. `users`: undefined for all. */
type WalkPaths = (
  snapshot: PartitionSnapshot,
  users: Users | undefined,
  each: (path: UserPath) => void,
) => Promise<void>;

/** Hands over the users whom a number counts. @throws MissingPart, DamagedPart, BeyondMemory */
export async function funnelPointUsers(
  reading: Reading,
  query: QueryOf<'funnel'>,
  point: Point,
  snapshots: readonly PartitionSnapshot[],
  note: NoteUser,
): Promise<void> {
  const walk = await pathsAt(reading, query, point, snapshots);
  for (const snapshot of snapshots)
    await walk(snapshot, await filteredUsers(reading, snapshot, query.users), ({user}) => note(snapshot, user));
}

export async function pathsAt(
  reading: Reading,
  query: Asked,
  point: Point,
  snapshots: readonly PartitionSnapshot[],
): Promise<WalkPaths> {
  const {row} = point;
  const {walks, grouping} = groupedWalks(reading, row === undefined ? {...query, breakdown: undefined} : query);
  const choose = async (): Promise<ShownRows> => {
    const totals = new GroupCounts();
    for (const snapshot of snapshots) {
      const users = await filteredUsers(reading, snapshot, query.users);
      await walks.walk(snapshot, users, ({group}) => totals.add(group, 0));
    }
    return grouping!.choose(totals.totals());
  };
  const isInRow = row && (await grouping!.groupsOf(row, choose));
  const isMeant = pathTest(query, point, asOf(snapshots.map(({manifest}) => manifest)));
  return (snapshot, users, each) =>
    walks.walk(snapshot, users, (path) => {
      if (isMeant(path) && (isInRow === undefined || isInRow(path.group))) each(path);
    });
}

function pathTest(
  query: Asked,
  {step = 1, outcome, bucket, binMs}: Point,
  asOfMs: number,
): (path: UserPath) => boolean {
  const {interval, histogram} = query;
  const buckets = interval === undefined ? undefined : Buckets.of({...query, interval});
  const isThere = (path: UserPath): boolean => {
    if (outcome === 'undecided') return isUndecided(query, path, asOfMs);
    return outcome === 'dropped' ? path.depth === step - 1 : path.depth >= step;
  };
  const isInBin = ({times}: UserPath): boolean =>
    binMs === undefined || binOf(histogram!, times[step - 1]! - times[step - 2]!) === binOf(histogram!, binMs);
  return (path) =>
    isThere(path) && (bucket === undefined || buckets!.indexOf(path.firstEntryMs) === bucket) && isInBin(path);
}

/** Whether a path may still convert. */
export const isUndecided = (
  {steps, windowMs = Number.POSITIVE_INFINITY}: FunnelRules,
  {depth, lastEntryMs}: UserPath,
  asOfMs: number,
): boolean => depth < steps.length && lastEntryMs + windowMs >= asOfMs;
