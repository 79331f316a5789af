// Retention: one pass over start and return events, one more over start events where a breakdown chooses its values first.
//   RQ1. Values of a breakdown are those of the events that make users members of a cohort; the ones with most members have rows.
//   RQ2. Calendar periods without a breakdown are answered from the sets of users that earlier answers left behind, and from the
//        rows of the buckets that have none.
//   RQ3. Other calendar periods take cells of users in place of their rows, unless the rows take less memory: with the hours of a year
//        each user has 150 KB of cells, and a pass over the rows has room for a few hundred users.

import {type RowsView, timeOf} from '../../../actors/chunk/rows.js';
import {must} from '../../../actors/invariant.js';
import {chunkRowsMax} from '../../../actors/limits.js';
import {intervalText} from '../../../actors/report/counts/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {
  forEachMembership,
  membersOf,
  Periods,
  RetentionCells,
  retentionFields,
  returnBit,
  seriesShift,
  startBit,
} from '../../../actors/report/engagement/retention.js';
import {UserPeriods} from '../../../actors/report/engagement/user-periods.js';
import {setOfUsers, wordsOf} from '../../../actors/report/rows/bucket-sets.js';
import type {Users} from '../../../actors/report/rows/current-traits.js';
import type {Selector} from '../../../actors/report/rows/row-choice.js';
import {SelectorSets} from '../../../actors/report/rows/selector-sets.js';
import {brokenBy, type ShownRows} from '../../../actors/report/rows/tuple-groups.js';
import type {WalkUser} from '../../../actors/report/rows/user-walk.js';
import {missingGroup} from '../../../actors/report/rows/value-groups.js';
import type {Point} from '../../asks/people-behind.js';
import type {QueryOf} from '../../asks/report.js';
import {cutsOf} from '../derived/held-buckets.js';
import {filteredUsers} from '../operators/filtered-users.js';
import {GroupCounts, Grouping} from '../operators/grouped-rows.js';
import {type ReturnBuckets, returnSets, setsOfReturns} from '../operators/return-sets.js';
import type {NoteUser} from '../operators/users-of-rows.js';
import {usersBefore, without} from '../operators/users-within.js';
import {asOf} from '../published/freshness.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {foldAll, partialOf, type Question, type Round, type RunRound} from '../rounds.js';
import {type ChosenFold, type NoteRows, RowScan} from '../row-scan.js';

/** `top`: the values of each breakdown with rows of their own, for the cells of a breakdown. Without it, the members of each value are counted first. */
interface RetentionStep {
  readonly top?: readonly (readonly string[])[];
}

/** Hands over the users whom a number counts. @throws MissingPart, DamagedPart */
export function retentionUsers(
  reading: Reading,
  query: QueryOf<'retention'>,
  point: Point,
  snapshots: readonly PartitionSnapshot[],
  note: NoteUser,
): Promise<void> {
  const asOfMs = asOf(snapshots.map(({manifest}) => manifest));
  return new Retention(reading, query, asOfMs).noteUsers(point, snapshots, note);
}

/** `series`: of a start event; undefined for a row that only returns. */
type NoteRow = (user: number, timeMs: number, series: number | undefined, isReturn: boolean) => void;

/** Series 0 is the unbroken one; row r of a breakdown is series r + 1. */
export class Retention implements Question<RetentionStep> {
  private readonly reading: Reading;
  private readonly query: QueryOf<'retention'>;
  private readonly asOfMs: number;
  private readonly periods: Periods;
  private readonly grouping: Grouping | undefined;
  /** Users who may be in a cohort, by partition. */
  private readonly members = new Map<PartitionSnapshot, Users | undefined>();
  private shown: ShownRows | undefined;
  private readonly sets = new SelectorSets(2);
  /** Series per start event of one chunk. */
  private readonly startSeries = new Uint32Array(chunkRowsMax);
  private cells: RetentionCells;

  /** `asOfMs`: cells that end before it are complete. */
  constructor(reading: Reading, query: QueryOf<'retention'>, asOfMs: number) {
    this.asOfMs = asOfMs;
    const {interval, laterEnds, breakdown} = query;
    this.reading = reading;
    this.query = query;
    this.periods = new Periods(Buckets.of(query), interval, query, laterEnds);
    this.grouping = breakdown === undefined ? undefined : new Grouping(breakdown);
    this.cells = new RetentionCells(this.periods, 1);
  }

  private get cohorts(): Buckets {
    return this.periods.cohorts;
  }

  round({top}: RetentionStep): Round {
    const {grouping} = this;
    if (grouping === undefined) return this.cellsRound();
    return top === undefined ? this.choiceRound(grouping) : this.cellsRound(grouping.known(top));
  }

  async answer(run: RunRound<RetentionStep>): Promise<string> {
    const {grouping} = this;
    const shown = grouping && choiceOf(grouping, await run(this.choiceRound(grouping), {}));
    const {scan} = await run(this.cellsRound(shown), shown ? {top: shown.texts} : {});
    return `{${intervalText(this.cohorts)},${this.fields(this.asOfMs)}${scan.skippedField}}`;
  }

  private cellsRound(shown?: ShownRows) {
    this.shown = shown;
    if (shown !== undefined) this.cells = new RetentionCells(this.periods, shown.count + 1);
    const scan = this.scan(this.periods.lastMs, [this.query.start, this.query.return]);
    const fold = async (snapshot: PartitionSnapshot): Promise<void> => {
      await this.open(snapshot);
      await this.foldUsers(scan, snapshot);
    };
    return {scan, fold, ...partialOf(scan, this.cells.sums)};
  }

  /** Finds who may be in a cohort. */
  private async open(snapshot: PartitionSnapshot): Promise<void> {
    const {reading, query, grouping} = this;
    if (this.members.has(snapshot)) return;
    const users = await filteredUsers(reading, snapshot, query.users);
    const isFirst = query.cohort === 'first';
    const earlier = isFirst ? await usersBefore(reading, snapshot, query.start, query.fromMs) : undefined;
    this.members.set(snapshot, earlier === undefined ? users : without(users, earlier));
    await grouping?.open(reading.scan, snapshot);
  }

  /** Members of a cohort, or of all whose period is complete, and of these perhaps only those who returned in the period. */
  async noteUsers(
    {bucket, row, period, outcome}: Point,
    snapshots: readonly PartitionSnapshot[],
    note: NoteUser,
  ): Promise<void> {
    const {periods, query} = this;
    const grouping = row && must(this.grouping, 'a row is of a breakdown');
    const choose = async () => choiceOf(grouping!, await foldAll(this.choiceRound(grouping!), snapshots));
    const isInRow = row && (await grouping!.groupsOf(row, choose));
    const seriesOf = (group: number): number => (isInRow === undefined || isInRow(group) ? 1 : 0);
    const isMeant = (cohort: number): boolean =>
      bucket === undefined ? periods.isComplete(cohort, period!, this.asOfMs) : cohort === bucket;
    const isOfMembers = period === undefined || outcome === 'member';
    const scan = this.scan(periods.lastMs, [query.start, query.return]);
    for (const snapshot of snapshots) {
      await this.open(snapshot);
      await this.walk(scan, snapshot, seriesOf, (user, times, kinds, start, end) => {
        const returns = [...times.subarray(start, end)].filter((_, i) => (kinds[start + i]! & returnBit) !== 0);
        forEachMembership(periods, times, kinds, start, end, (cohort, at, returnsBefore) => {
          if (!isMeant(cohort) || kinds[at]! >>> seriesShift === 0) return;
          if (isOfMembers || periods.isBack(cohort, times[at]!, period!, returns, returnsBefore)) note(snapshot, user);
        });
      });
    }
  }

  /** Members by the value of the event that makes them one. RQ1 */
  private choiceRound(grouping: Grouping): RetentionChoice {
    const totals = new GroupCounts();
    const scan = this.scan(this.query.toMs, [this.query.start]);
    const note =
      (snapshot: PartitionSnapshot): NoteRows =>
      (rows, [chosen], walk) => {
        const groupOf = grouping.of(snapshot, rows);
        for (const row of chosen!) walk.add(rows.users[row]!, timeOf(rows, row), startOf(groupOf(row)));
      };
    const count: WalkUser = (_, times, kinds, start, end) =>
      forEachMembership(this.periods, times, kinds, start, end, (_cohort, at) =>
        totals.add(kinds[at]! >>> seriesShift, 0),
      );
    return {
      totals,
      fold: async (snapshot) => {
        await this.open(snapshot);
        await scan.walk(snapshot, note(snapshot), count, this.members.get(snapshot));
      },
      *write(to) {
        yield* grouping.groups.write(to);
        yield* totals.write(to);
      },
      *add(from) {
        yield* totals.addRead(from, yield* grouping.groups.read(from));
      },
    };
  }

  private async foldUsers(scan: RowScan, snapshot: PartitionSnapshot): Promise<void> {
    if (await this.foldSets(scan, snapshot)) return;
    const {cells, periods} = this;
    const members = this.members.get(snapshot);
    const {count} = snapshot.index.users;
    const isSplit = this.grouping !== undefined;
    const cellBytes = count * UserPeriods.bytesEach(periods.edges, isSplit);
    const areRowsLess = cellBytes > scan.walkBytes(snapshot); // RQ3
    if (periods.rules.frame === 'rolling' || areRowsLess) {
      const seriesOf = (group: number): number => (isSplit ? this.shown!.rowOf[group]! + 1 : 0);
      return this.walk(scan, snapshot, seriesOf, (_, times, kinds, start, end) =>
        cells.addUser(times, kinds, start, end),
      );
    }
    const {gatheredBytesMax} = this.reading;
    const afterTo = {startMs: this.query.toMs + 1, lastMs: Number.POSITIVE_INFINITY};
    const users = new UserPeriods(count, periods.edges, isSplit, gatheredBytesMax, (all, place) =>
      cells.addPeriods(all, place),
    );
    const fold: ChosenFold = (rows, [starts, returns]) => {
      users.addStarts(rows, starts!, afterTo, this.seriesOf(snapshot, rows, starts!));
      users.addReturns(rows, returns!);
      users.nextChunk();
    };
    await scan.inPasses(snapshot, users, fold, members);
  }

  /** Walks the users over the rows that start or return. `seriesOf`: series of a start event by its group. */
  private walk(
    scan: RowScan,
    snapshot: PartitionSnapshot,
    seriesOf: (group: number) => number,
    walkUser: WalkUser,
  ): Promise<void> {
    const note: NoteRows = (rows, chosen, walk) =>
      this.forEachRow(snapshot, rows, chosen, seriesOf, (user, timeMs, series, isReturn) =>
        walk.add(user, timeMs, (series === undefined ? 0 : startOf(series)) + (isReturn ? returnBit : 0)),
      );
    return scan.walk(snapshot, note, walkUser, this.members.get(snapshot));
  }

  /** False: the partition's rows are to be scanned. RQ2 */
  private async foldSets(scan: RowScan, snapshot: PartitionSnapshot): Promise<boolean> {
    const {reading, periods, grouping, cells} = this;
    if (grouping !== undefined || periods.rules.frame === 'rolling') return false;
    const asked = this.returnBuckets();
    const open = reading.fast.sets?.openFor(snapshot, asked, scan.chunks(snapshot), setsOfReturns);
    if (open === undefined) return false;
    const buckets = await returnSets(reading, snapshot, asked, open);
    const members = setOfUsers(this.members.get(snapshot), wordsOf(snapshot.index.users.count));
    await reading.scan.inSlices(cells.addSets(buckets, members));
    return true;
  }

  private returnBuckets(): ReturnBuckets {
    const {query, periods} = this;
    const {cohorts, lastMs} = periods;
    const cuts = cutsOf(cohorts.edges, query.fromMs, query.toMs);
    const edges = lastMs > cohorts.toMs ? periods.edges : cohorts.edges;
    const stretch = {startMs: query.fromMs, lastMs};
    return {selectors: [query.start, query.return], kind: cohorts.kind, edges, cuts, stretch, cut: cuts[1]};
  }

  /** The series of each of these rows; undefined without a breakdown. */
  private seriesOf(snapshot: PartitionSnapshot, rows: RowsView, starts: Uint16Array): Uint32Array | undefined {
    const {grouping, shown, startSeries} = this;
    if (grouping === undefined) return undefined;
    grouping.read(snapshot, rows, starts, startSeries);
    for (let i = 0; i < starts.length; i++) startSeries[i] = shown!.rowOf[startSeries[i]!]! + 1;
    return startSeries;
  }

  /** The rows of a chunk that start or return, by (time, row). */
  private forEachRow(
    snapshot: PartitionSnapshot,
    rows: RowsView,
    chosen: readonly Uint16Array[],
    seriesOf: (group: number) => number,
    note: NoteRow,
  ): void {
    const {sets, grouping} = this;
    const groupOf = grouping?.of(snapshot, rows);
    sets.forEachRow(rows.order, chosen, (row, set) => {
      const timeMs = timeOf(rows, row);
      const isStart = sets.has(set, 0) && timeMs <= this.query.toMs;
      const isReturn = sets.has(set, 1);
      if (!isStart && !isReturn) return;
      const series = isStart ? seriesOf(groupOf?.(row) ?? missingGroup) : 0;
      note(rows.users[row]!, timeMs, isStart ? series : undefined, isReturn);
    });
  }

  private scan(lastMs: number, selectors: readonly Selector[]): RowScan {
    const stretch = {startMs: this.query.fromMs, lastMs};
    return new RowScan(this.reading, {stretch, selectors, properties: this.grouping?.properties ?? []});
  }

  private fields(asOfMs: number): string {
    const {cells, grouping, shown} = this;
    const labels = this.cohorts.labels();
    const whole = retentionFields(cells, 0, labels, asOfMs);
    if (grouping === undefined) return whole;
    const rows: string[] = [];
    for (let row = 0; row < shown!.count; row++) {
      if (membersOf(cells, row + 1) === 0) continue;
      rows.push(`{${shown!.name(row)},${retentionFields(cells, row + 1, labels, asOfMs)}}`);
    }
    return `${whole},"breakdown":{${brokenBy(grouping.names)},"additive":true,"rows":[${rows.join()}]}`;
  }
}

const startOf = (series: number): number => series * 2 ** seriesShift + startBit;

interface RetentionChoice extends Round {
  readonly totals: GroupCounts;
}

const choiceOf = (grouping: Grouping, {totals}: RetentionChoice): ShownRows => grouping.choose(totals.totals());
