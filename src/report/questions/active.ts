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
import {brokenBy, type ShownRows} from '../../../actors/report/rows/tuple-groups.js';
import type {WalkUser} from '../../../actors/report/rows/user-walk.js';
import type {Point} from '../../asks/people-behind.js';
import type {QueryOf} from '../../asks/report.js';
import {filteredUsers} from '../operators/filtered-users.js';
import {GroupCounts, Grouping} from '../operators/grouped-rows.js';
import {UsersByBucket} from '../operators/users-by-bucket.js';
import {type NoteUser, usersOfRows} from '../operators/users-of-rows.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {foldAll, partialOf, type Question, type Round, type RunRound} from '../rounds.js';
import {RowScan} from '../row-scan.js';

/** `top`: the values of each breakdown with rows of their own, for the cells of a breakdown. Without it, the users of each value are counted first. */
interface ActiveStep {
  readonly top?: readonly (readonly string[])[];
}

/** Hands over the users whom a number counts. @throws MissingPart, DamagedPart */
export function activeUsers(
  reading: Reading,
  query: QueryOf<'active'>,
  point: Point,
  snapshots: readonly PartitionSnapshot[],
  note: NoteUser,
): Promise<void> {
  return new Active(reading, query).noteUsers(point, snapshots, note);
}

interface ActiveChoice extends Round {
  readonly inside: GroupCounts;
  readonly read: GroupCounts;
}

/** Series 0 is the unbroken one; row r of a breakdown is series r + 1. */
export class Active implements Question<ActiveStep> {
  private readonly reading: Reading;
  private readonly query: QueryOf<'active'>;
  private readonly buckets: Buckets;
  private readonly windows: ActivityWindows;
  private readonly grouping: Grouping | undefined;
  private readonly scan: RowScan;
  private readonly users = new Map<PartitionSnapshot, Promise<Users | undefined>>();

  constructor(reading: Reading, query: QueryOf<'active'>) {
    const {metric, windows, did = {}, breakdown} = query;
    this.reading = reading;
    this.query = query;
    this.buckets = Buckets.of(query);
    this.windows = new ActivityWindows(this.buckets, metric, windows);
    this.grouping = breakdown === undefined ? undefined : new Grouping(breakdown);
    const properties = this.grouping?.properties ?? [];
    this.scan = new RowScan(reading, {stretch: this.windows.stretch, selectors: [did], properties});
  }

  round({top}: ActiveStep): Round {
    const {grouping} = this;
    if (grouping === undefined) return this.usersRound();
    return top === undefined ? this.choiceRound(grouping) : this.cellsRound(grouping.known(top));
  }

  async answer(run: RunRound<ActiveStep>): Promise<string> {
    const {grouping, buckets} = this;
    const labels = buckets.labels();
    const head = `{"metric":"${this.query.metric}",${intervalText(buckets)}`;
    if (grouping === undefined) {
      const {sums, skipped} = await run(this.usersRound(), {});
      return `${head},${activeFields(labels, sums.counts, sums.total)}${skipped.skippedField}}`;
    }
    const {inside, read} = await run(this.choiceRound(grouping), {});
    const shown = grouping.choose(inside.totals(), read.totals());
    this.scan.forgetSkipped();
    const {cells} = await run(this.cellsRound(shown), {top: shown.texts});
    const rows: string[] = [];
    for (let row = 0; row < shown.count; row++) {
      const counts = cells.counts(row + 1);
      if (counts.every((count) => count === 0)) continue;
      rows.push(`{${shown.name(row)},${activeFields(labels, counts, cells.total(row + 1))}}`);
    }
    const whole = activeFields(labels, cells.counts(0), cells.total(0));
    const breakdown = `"breakdown":{${brokenBy(grouping.names)},"additive":false,"rows":[${rows.join()}]}`;
    return `${head},${whole},${breakdown}${this.scan.skippedField}}`;
  }

  /** Users of each window: out of sets of users, or of a partition's rows where the sets would take several passes and more memory. */
  private usersRound() {
    const {reading, query, buckets, windows} = this;
    const {metric, did: selector = {}, toMs} = query;
    const plan = planActive(buckets, metric, query.windows);
    const {edges} = plan;
    const active = new UsersByBucket(reading, {selector, kind: buckets.kind, edges, fromMs: edges[0]!, toMs});
    const sums = new ActivitySums(plan);
    const fold = async (snapshot: PartitionSnapshot): Promise<void> => {
      if (!active.areRowsLess(snapshot))
        return active.walk(snapshot, await this.usersOf(snapshot), ({sets}) => sums.addSets(sets));
      const cells = new ActivityCells(windows, 1);
      await this.walk(snapshot, noSeries, (_, times, series, start, end) => cells.addUser(times, series, start, end));
      sums.addCells(cells);
      active.scan.takeSkipped(this.scan);
    };
    return {sums, skipped: active.scan, fold, ...partialOf(active.scan, sums.sums)};
  }

  /** AV1 */
  private choiceRound(grouping: Grouping): ActiveChoice {
    const [inside, read] = [new GroupCounts(), new GroupCounts()];
    const countGroups = countDistinct(this.buckets.fromMs, inside, read);
    return {
      inside,
      read,
      fold: (snapshot) => this.walk(snapshot, (group) => group, countGroups),
      *write(to) {
        yield* grouping.groups.write(to);
        yield* inside.write(to);
        yield* read.write(to);
      },
      *add(from) {
        const groups = yield* grouping.groups.read(from);
        yield* inside.addRead(from, groups);
        yield* read.addRead(from, groups);
      },
    };
  }

  private cellsRound(shown: ShownRows) {
    const cells = new ActivityCells(this.windows, shown.count + 1);
    const {rowOf} = shown;
    const count: WalkUser = (_, times, series, start, end) => cells.addUser(times, series, start, end);
    const fold = (snapshot: PartitionSnapshot) => this.walk(snapshot, (group) => rowOf[group]! + 1, count);
    return {cells, fold, ...partialOf(this.scan, cells.sums)};
  }

  async noteUsers({bucket, row}: Point, snapshots: readonly PartitionSnapshot[], note: NoteUser): Promise<void> {
    const {reading, query, windows} = this;
    const {did: selector = {}} = query;
    const grouping = row && must(this.grouping, 'a row is of a breakdown');
    const choose = async () => {
      const {inside, read} = await foldAll(this.choiceRound(grouping!), snapshots);
      return grouping!.choose(inside.totals(), read.totals());
    };
    const isInRow = row && (await grouping!.groupsOf(row, choose));
    const meant = {selector, stretch: windows.stretchOf(bucket), grouping, isInRow};
    for (const snapshot of snapshots)
      await usersOfRows(reading, meant, snapshot, await this.usersOf(snapshot), (user) => note(snapshot, user));
  }

  /** Users who count: a breakdown takes two rounds. */
  private usersOf(snapshot: PartitionSnapshot): Promise<Users | undefined> {
    let users = this.users.get(snapshot);
    if (users === undefined) {
      users = filteredUsers(this.reading, snapshot, this.query.users);
      this.users.set(snapshot, users);
    }
    return users;
  }

  /** Walks users over the chosen rows. `kindOf`: kind of a row by its group. */
  private async walk(
    snapshot: PartitionSnapshot,
    kindOf: (group: number) => number,
    walkUser: WalkUser,
  ): Promise<void> {
    const {grouping} = this;
    await grouping?.open(this.reading.scan, snapshot);
    await this.scan.walk(
      snapshot,
      (rows, [chosen], walk) => {
        const groupOf = grouping?.of(snapshot, rows);
        for (const row of chosen!)
          walk.add(rows.users[row]!, timeOf(rows, row), groupOf === undefined ? 0 : kindOf(groupOf(row)));
      },
      walkUser,
      await this.usersOf(snapshot),
    );
  }
}

const noSeries = (): number => 0;

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
