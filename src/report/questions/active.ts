// Active users over time: from the users of each stretch between the edges of windows. With a breakdown, one walk over their rows
// that chooses its values, and one that counts.
//   AV1. A breakdown shows the values of most users in [from, to]. A value that only the look-back of a trailing window has comes
//        after those, because windows count its users. Of the rest it counts distinct users, too.

import {timeOf} from '../../../actors/chunk/rows.js';
import {must} from '../../../actors/invariant.js';
import {activeFields, intervalText} from '../../../actors/report/counts/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {planActive} from '../../../actors/report/engagement/active-plan.js';
import {ActivityCells, ActivitySums, ActivityWindows} from '../../../actors/report/engagement/activity.js';
import type {Users} from '../../../actors/report/rows/current-traits.js';
import {rowName, rowsOf} from '../../../actors/report/rows/series-answer.js';
import type {WalkUser} from '../../../actors/report/rows/user-walk.js';
import type {ShownGroups} from '../../../actors/report/rows/value-groups.js';
import type {Point} from '../../asks/people-behind.js';
import type {QueryOf} from '../../asks/report.js';
import {filteredUsers} from '../operators/filtered-users.js';
import {GroupCounts, Grouping} from '../operators/grouped-rows.js';
import {UsersByBucket} from '../operators/users-by-bucket.js';
import {type NoteUser, usersOfRows} from '../operators/users-of-rows.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {RowScan} from '../row-scan.js';

/** JSON text of the answer. @throws MissingPart, DamagedPart */
export async function active(
  reading: Reading,
  query: QueryOf<'active'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const fields = (await activityOfSets(reading, query, snapshots)) ?? (await activityOfRows(reading, query, snapshots));
  return `{"metric":"${query.metric}",${fields}}`;
}

/** Hands over the users whom a number counts. @throws MissingPart, DamagedPart */
export function activeUsers(
  reading: Reading,
  query: QueryOf<'active'>,
  point: Point,
  snapshots: readonly PartitionSnapshot[],
  note: NoteUser,
): Promise<void> {
  return new Activity(reading, query).noteUsers(point, snapshots, note);
}

/** Undefined with a breakdown, and where the sets would take several passes and more memory than the rows. */
async function activityOfSets(
  reading: Reading,
  query: QueryOf<'active'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string | undefined> {
  const {metric, windows, did: selector = {}, toMs, breakdown, users: filter} = query;
  if (breakdown !== undefined) return undefined;
  const buckets = Buckets.of(query);
  const plan = planActive(buckets, metric, windows);
  const {edges} = plan;
  const active = new UsersByBucket(reading, {selector, kind: buckets.kind, edges, fromMs: edges[0]!, toMs});
  if (snapshots.some((snapshot) => active.areRowsLess(snapshot))) return undefined;
  const sums = new ActivitySums(plan);
  for (const snapshot of snapshots)
    await active.walk(snapshot, await filteredUsers(reading, snapshot, filter), ({sets}) => sums.addSets(sets));
  return `${intervalText(buckets)},${activeFields(buckets.labels(), sums.counts, sums.total)}${active.scan.skippedField}`;
}

async function activityOfRows(
  reading: Reading,
  query: QueryOf<'active'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const one = new Activity(reading, query);
  await one.fold(snapshots);
  return `${one.fields()}${one.scan.skippedField}`;
}

type UsersIn = ReadonlyMap<PartitionSnapshot, Users | undefined>;

/** Series 0 is the unbroken one; row r of a breakdown is series r + 1. */
class Activity {
  private readonly reading: Reading;
  private readonly query: QueryOf<'active'>;
  private readonly windows: ActivityWindows;
  private readonly grouping: Grouping | undefined;
  readonly scan: RowScan;
  private shown: ShownGroups | undefined;
  private cells: ActivityCells;

  constructor(reading: Reading, query: QueryOf<'active'>) {
    const {metric, windows, did = {}, breakdown} = query;
    this.reading = reading;
    this.query = query;
    this.windows = new ActivityWindows(Buckets.of(query), metric, windows);
    this.grouping = breakdown === undefined ? undefined : new Grouping(breakdown);
    const properties = this.grouping?.properties ?? [];
    this.scan = new RowScan(reading, {stretch: this.windows.stretch, selectors: [did], properties});
    this.cells = new ActivityCells(this.windows, 1);
  }

  async fold(snapshots: readonly PartitionSnapshot[]): Promise<void> {
    const users = await this.usersIn(snapshots);
    if (this.grouping !== undefined) {
      this.shown = await this.choose(this.grouping, snapshots, users);
      this.cells = new ActivityCells(this.windows, rowsOf(this.shown) + 1);
    }
    this.scan.forgetSkipped();
    const {cells, shown} = this;
    const count: WalkUser = (_, times, series, start, end) => cells.addUser(times, series, start, end);
    for (const snapshot of snapshots)
      await this.walk(snapshot, users.get(snapshot), (group) => shown!.rowOf[group]! + 1, count);
  }

  async noteUsers({bucket, row}: Point, snapshots: readonly PartitionSnapshot[], note: NoteUser): Promise<void> {
    const {reading, query, windows} = this;
    const {did: selector = {}} = query;
    const grouping = row && must(this.grouping, 'a row is of a breakdown');
    const choose = async () => this.choose(grouping!, snapshots, await this.usersIn(snapshots));
    const isInRow = row && (await grouping!.groupsOf(row, choose));
    const meant = {selector, stretch: windows.stretchOf(bucket), grouping, isInRow};
    for (const snapshot of snapshots) {
      const users = await filteredUsers(reading, snapshot, query.users);
      await usersOfRows(reading, meant, snapshot, users, (user) => note(snapshot, user));
    }
  }

  /** Users who count, by partition. */
  private async usersIn(snapshots: readonly PartitionSnapshot[]): Promise<UsersIn> {
    const users = new Map<PartitionSnapshot, Users | undefined>();
    for (const snapshot of snapshots)
      users.set(snapshot, await filteredUsers(this.reading, snapshot, this.query.users));
    return users;
  }

  /** AV1 */
  private async choose(
    grouping: Grouping,
    snapshots: readonly PartitionSnapshot[],
    users: UsersIn,
  ): Promise<ShownGroups> {
    const [inside, read] = [new GroupCounts(), new GroupCounts()];
    const countGroups = countDistinct(this.windows.buckets.fromMs, inside, read);
    for (const snapshot of snapshots) {
      await grouping.open(this.reading.scan, snapshot);
      await this.walk(snapshot, users.get(snapshot), (group) => group, countGroups);
    }
    return grouping.choose(inside.totals(), read.totals());
  }

  /** Walks users over the chosen rows. `kindOf`: kind of a row by its group. */
  private async walk(
    snapshot: PartitionSnapshot,
    users: Users | undefined,
    kindOf: (group: number) => number,
    walkUser: WalkUser,
  ): Promise<void> {
    await this.scan.walk(
      snapshot,
      (rows, [chosen], walk) => {
        const groupOf = this.grouping?.of(snapshot, rows);
        for (const row of chosen!)
          walk.add(rows.users[row]!, timeOf(rows, row), groupOf === undefined ? 0 : kindOf(groupOf(row)));
      },
      walkUser,
      users,
    );
  }

  fields(): string {
    const {cells, grouping, shown} = this;
    const {buckets} = this.windows;
    const labels = buckets.labels();
    const whole = `${intervalText(buckets)},${activeFields(labels, cells.counts(0), cells.total(0))}`;
    if (grouping === undefined) return whole;
    const rows: string[] = [];
    for (let row = 0; row < rowsOf(shown!); row++) {
      const counts = cells.counts(row + 1);
      if (counts.every((count) => count === 0)) continue;
      rows.push(`{${rowName(row, grouping.groups, shown!)},${activeFields(labels, counts, cells.total(row + 1))}}`);
    }
    return `${whole},"breakdown":{"property":${JSON.stringify(grouping.property)},"additive":false,"rows":[${rows.join()}]}`;
  }
}

/** Counts each user once in each of its groups: to `inside` those of rows from `fromMs` on, to `read` those of all rows. AV1 */
function countDistinct(fromMs: number, inside: GroupCounts, read: GroupCounts): WalkUser {
  const [insideGroups, readGroups] = [new Set<number>(), new Set<number>()];
  return (_, times, kinds, start, end) => {
    for (let at = start; at < end; at++) {
      readGroups.add(kinds[at]!);
      if (times[at]! >= fromMs) insideGroups.add(kinds[at]!);
    }
    for (const group of insideGroups) inside.add(group, 0);
    for (const group of readGroups) read.add(group, 0);
    insideGroups.clear();
    readGroups.clear();
  };
}
