// A funnel from rows: with conditions, orders, exclusions, ranges of entries, held values, breakdowns or buckets.
//   WF1. Where conditions are all that a funnel of plain steps lacks, postings of the events that they choose answer as for plain
//        funnels, and no user is walked.

import {intervalText} from '../../../actors/report/counts/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {PathLog} from '../../../actors/report/funnel/path-log.js';
import {type PathSummary, summarize, summarizeResults} from '../../../actors/report/funnel/path-summary.js';
import {funnelBreakdownFields, funnelFields, type ShownFunnel} from '../../../actors/report/funnel/walked-answer.js';
import {missingGroup} from '../../../actors/report/rows/value-groups.js';
import type {QueryOf} from '../../asks/report.js';
import {filteredUsers} from '../operators/filtered-users.js';
import {isUndecided} from '../operators/funnel-point.js';
import {type FunnelWalks, groupedWalks, type UserPath} from '../operators/funnel-walks.js';
import type {Grouping} from '../operators/grouped-rows.js';
import {areStepsPlain, funnelRound} from '../operators/posted-funnel.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {partialOf, type Question, type Round, type RunRound} from '../rounds.js';
import {BeyondMemory} from '../row-scan.js';

/** Paths between two checks of the log's memory. */
const pathsBetweenLooks = 1_024;

export class WalkedFunnel implements Question<null> {
  private readonly reading: Reading;
  private readonly query: QueryOf<'funnel'>;
  private readonly asOfMs: number;
  private readonly grouping: Grouping | undefined;
  private readonly walks: FunnelWalks;
  private readonly buckets: Buckets | undefined;
  private readonly log = new PathLog();

  constructor(reading: Reading, query: QueryOf<'funnel'>, asOfMs: number) {
    this.reading = reading;
    this.query = query;
    this.asOfMs = asOfMs;
    const {walks, grouping} = groupedWalks(reading, query);
    this.walks = walks;
    this.grouping = grouping;
    const {interval} = query;
    this.buckets = interval === undefined ? undefined : Buckets.of({...query, interval});
  }

  round(): Round {
    return areStepsPlain(this.query) ? funnelRound(this.reading, this.query) : this.pathsRound();
  }

  /** WF1 */
  async answer(run: RunRound<null>): Promise<string> {
    const {query, reading} = this;
    if (!areStepsPlain(query)) {
      await run(this.pathsRound(), null);
      return this.text(await this.summary(undefined), this.walks, await this.breakdown());
    }
    const round = funnelRound(reading, query);
    const {results, walks} = round;
    try {
      await run(round, null);
      return this.text(await reading.scan.inSlices(summarizeResults(results.all, this.summaryShape)), walks);
    } finally {
      round.end();
    }
  }

  private text(summary: PathSummary, {skipped}: FunnelWalks, breakdown: readonly string[] = []): string {
    const {order = 'sequential', hold} = this.query;
    const fields = [
      ...(order === 'sequential' ? [] : [`"order":"${order}"`]),
      ...(hold === undefined ? [] : [`"unit":"user_and_value","hold":${JSON.stringify(hold)}`]),
      ...(this.buckets === undefined ? [] : [intervalText(this.buckets)]),
      funnelFields(summary, this.shown),
      ...breakdown,
      ...(skipped === undefined ? [] : [`"skipped":${skipped}`]),
    ];
    return `{${fields.join()}}`;
  }

  private pathsRound(): Round {
    const {reading, query, walks, log, grouping} = this;
    const check = (): void => this.checkLog();
    const partial = partialOf(walks.scan, {
      *write(to) {
        if (grouping !== undefined) yield* grouping.groups.write(to);
        yield* log.write(to);
      },
      *add(from) {
        const groups = grouping === undefined ? onlyMissing : yield* grouping.groups.read(from);
        yield* log.addRead(from, groups);
        if (log.count >= pathsBetweenLooks) check();
      },
    });
    const fold = async (snapshot: PartitionSnapshot): Promise<void> => {
      const users = await filteredUsers(reading, snapshot, query.users);
      await walks.walk(snapshot, users, (path) => this.note(path, this.asOfMs));
    };
    return {fold, ...partial};
  }

  private note(path: UserPath, asOfMs: number): void {
    const {log, buckets, query} = this;
    log.add(path, path.group, buckets?.indexOf(path.firstEntryMs) ?? 0, isUndecided(query, path, asOfMs));
    if (log.count % pathsBetweenLooks === 0) this.checkLog();
  }

  private checkLog(): void {
    const {bytes} = this.log;
    const {gatheredBytesMax} = this.reading;
    if (bytes > gatheredBytesMax) throw new BeyondMemory('the paths of the users take', gatheredBytesMax);
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
    const chosen = grouping.choose(await scan.inSlices(log.totals(grouping.groups.count)));
    const rows = await scan.inSlices(log.byRow(chosen.rowOf, chosen.count));
    const summaries = [];
    for (const paths of rows) summaries.push(await this.summary(paths));
    return [funnelBreakdownFields(grouping.names, chosen, summaries, this.shown)];
  }
}

/** Groups without a breakdown. */
const onlyMissing = Uint32Array.of(missingGroup);
