// A funnel from rows: with conditions, orders, exclusions, ranges of entries, held values, breakdowns or buckets.
//   WF1. Where conditions are all that a funnel of plain steps lacks, postings of the events that they choose answer as for plain
//        funnels, and no user is walked.

import {intervalText} from '../../../actors/report/counts/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import type {FunnelResult} from '../../../actors/report/funnel/funnel.js';
import {PathLog} from '../../../actors/report/funnel/path-log.js';
import {type PathSummary, summarize, summarizeResults} from '../../../actors/report/funnel/path-summary.js';
import {funnelBreakdownFields, funnelFields, type ShownFunnel} from '../../../actors/report/funnel/walked-answer.js';
import {rowsOf} from '../../../actors/report/rows/series-answer.js';
import type {QueryOf} from '../../asks/report.js';
import {filteredUsers} from '../operators/filtered-users.js';
import {isUndecided} from '../operators/funnel-point.js';
import {type FunnelWalks, groupedWalks, type UserPath} from '../operators/funnel-walks.js';
import type {Grouping} from '../operators/grouped-rows.js';
import {areStepsPlain, postedFunnel} from '../operators/posted-funnel.js';
import {asOf} from '../published/freshness.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {BeyondMemory} from '../row-scan.js';

/** Bytes of a short path in the log. */
const pathBytes = 40;
/** Paths between two checks of the log's memory. */
const pathsBetweenLooks = 1_024;

/** JSON text of the answer. @throws MissingPart, DamagedPart, BeyondMemory */
export async function walkedFunnel(
  reading: Reading,
  query: QueryOf<'funnel'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const users = snapshots.reduce((sum, {index}) => sum + index.users.count, 0);
  const bytes = Math.min(reading.gatheredBytesMax, users * pathBytes);
  return reading.scan.borrowing(bytes, () => new WalkedFunnel(reading, query).answer(snapshots));
}

class WalkedFunnel {
  private readonly reading: Reading;
  private readonly query: QueryOf<'funnel'>;
  private readonly grouping: Grouping | undefined;
  private readonly walks: FunnelWalks;
  private readonly buckets: Buckets | undefined;
  private readonly log = new PathLog();

  constructor(reading: Reading, query: QueryOf<'funnel'>) {
    this.reading = reading;
    this.query = query;
    const {walks, grouping} = groupedWalks(reading, query);
    this.walks = walks;
    this.grouping = grouping;
    const {interval} = query;
    this.buckets = interval === undefined ? undefined : Buckets.of({...query, interval});
  }

  async answer(snapshots: readonly PartitionSnapshot[]): Promise<string> {
    const posted = await this.postedSummary(snapshots);
    if (posted === undefined) await this.walk(snapshots);
    const {order = 'sequential', hold} = this.query;
    const {skipped} = this.walks;
    const fields = [
      ...(order === 'sequential' ? [] : [`"order":"${order}"`]),
      ...(hold === undefined ? [] : [`"unit":"user_and_value","hold":${JSON.stringify(hold)}`]),
      ...(this.buckets === undefined ? [] : [intervalText(this.buckets)]),
      funnelFields(posted ?? (await this.summary(undefined)), this.shown),
      ...(await this.breakdown()),
      ...(skipped === undefined ? [] : [`"skipped":${skipped}`]),
    ];
    return `{${fields.join()}}`;
  }

  /** From postings; undefined: users are to be walked. WF1 */
  private async postedSummary(snapshots: readonly PartitionSnapshot[]): Promise<PathSummary | undefined> {
    const {query, reading} = this;
    if (!areStepsPlain(query)) return undefined;
    const results: FunnelResult[] = [];
    try {
      for (const snapshot of snapshots) {
        // Every partition is asked, as each counts the questions for itself.
        const result = await postedFunnel(reading, query, snapshot);
        if (result !== undefined) results.push(result);
      }
      if (results.length < snapshots.length) return undefined;
      return await reading.scan.inSlices(summarizeResults(results, this.summaryShape));
    } finally {
      for (const {durations} of results) for (const list of durations) reading.lists.giveBack(list);
    }
  }

  private async walk(snapshots: readonly PartitionSnapshot[]): Promise<void> {
    const asOfMs = asOf(snapshots.map(({manifest}) => manifest));
    for (const snapshot of snapshots) {
      const users = await filteredUsers(this.reading, snapshot, this.query.users);
      await this.walks.walk(snapshot, users, (path) => this.note(path, asOfMs));
    }
  }

  private note(path: UserPath, asOfMs: number): void {
    const {log, buckets, query} = this;
    log.add(path, path.group, buckets?.indexOf(path.firstEntryMs) ?? 0, isUndecided(query, path, asOfMs));
    if (log.count % pathsBetweenLooks === 0 && log.bytes > this.reading.gatheredBytesMax)
      throw new BeyondMemory('the paths of the users take', this.reading.gatheredBytesMax);
  }

  /** Summary of these paths; undefined: of all. */
  private summary(paths: Uint32Array | undefined) {
    const shape = {...this.summaryShape, bucketCount: this.buckets?.count ?? 1};
    return this.reading.scan.inSlices(summarize(this.log, paths, shape, this.reading.lists));
  }

  private get summaryShape() {
    const {steps, hasPercentiles = false, histogram} = this.query;
    return {stepCount: steps.length, hasPercentiles, histogram};
  }

  private get shown(): ShownFunnel {
    const {steps, order, range} = this.query;
    return {
      events: steps.map(({event}) => event),
      isAnyOrder: order === 'any',
      hasUndecided: range === 'entry',
      labels: this.buckets?.labels(),
    };
  }

  /** The breakdown's field, if there is a breakdown. */
  private async breakdown(): Promise<readonly string[]> {
    const {grouping, log} = this;
    if (grouping === undefined) return [];
    const {scan} = this.reading;
    const {groups} = grouping;
    const chosen = grouping.choose(await scan.inSlices(log.totals(groups.count)));
    const rows = await scan.inSlices(log.byRow(chosen.rowOf, rowsOf(chosen)));
    const summaries = [];
    for (const paths of rows) summaries.push(await this.summary(paths));
    return [funnelBreakdownFields(grouping.property, groups, chosen, summaries, this.shown)];
  }
}
