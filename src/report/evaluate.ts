// One question over one set of snapshots.
//   Owns: what a question has at hand (reading.ts). Does not own: how each kind is answered (questions/), how parts are loaded
//   (part-scan.ts), which snapshots (the engine).
//   EV1. Partitions are evaluated one after the other, so only one of them holds gathered rows at a time.
import {ByteReader, ByteWriter} from '../../actors/bytes/bytes.js';
import {must} from '../../actors/invariant.js';
import {NumberLists} from '../../actors/report/funnel/median.js';
import type {UserSet} from '../../actors/table/user-set.js';
import type {ChangesQuery, PositionGone} from '../asks/changes.js';
import type {ExportQuery} from '../asks/exports.js';
import type {FunnelPath} from '../asks/funnels.js';
import type {ReportQuery} from '../asks/report.js';
import type {PartsCache} from '../parts/parts-cache.js';
import {threadProgress} from './kernels/funnel-kernel.js';
import {rowFinder} from './kernels/name-kernel.js';
import {PartScan} from './part-scan.js';
import {asOf} from './published/freshness.js';
import type {PartitionSnapshot} from './published/newest-snapshots.js';
import {alone, inRounds} from './questions/all.js';
import {type ChangesPage, changesPage} from './questions/changes.js';
import {converted} from './questions/converted.js';
import {type ExportedPage, exportedPage} from './questions/exported.js';
import type {FastPaths, Reading} from './reading.js';
import {type AskedShare, type FoldedShare, foldAll, type Others, type Question, type Round} from './rounds.js';
import type {UserReferences} from './user-references.js';

type AnyRounds = (reading: Reading, query: ReportQuery, asOfMs: number) => Question<unknown>;
type AnyAlone = (reading: Reading, query: ReportQuery, snapshots: readonly PartitionSnapshot[]) => Promise<string>;

export class Evaluation {
  private readonly reading: Reading;

  /**
   * `gatheredBytesMax` bounds the rows that a question holds at once. `nextSlice` resolves when work may go on after a slice; absent:
   * in the next turn of the event loop.
   */
  constructor(parts: PartsCache, gatheredBytesMax: number, fast: FastPaths = {}, nextSlice?: () => Promise<void>) {
    this.reading = {
      scan: new PartScan(parts, nextSlice),
      fast,
      gatheredBytesMax,
      finder: fast.finder ?? rowFinder,
      progress: fast.progress ?? threadProgress,
      lists: fast.lists ?? new NumberLists(0),
    };
  }

  /** JSON text of the answer. `others`: absent, all partitions are folded here. @throws MissingPart, DamagedPart, BeyondMemory */
  answer(query: ReportQuery, snapshots: readonly PartitionSnapshot[], others?: Others): Promise<string> {
    const reading = this.over(snapshots.length);
    const question = questionOf(reading, query, snapshots);
    if (question === undefined)
      return (alone[query.report as keyof typeof alone] as AnyAlone)(reading, query, snapshots);
    if (others === undefined) return question.answer((round) => foldAll(round, snapshots));
    reading.scan.partitionCount = others.ownOf(snapshots).length;
    return question.answer((round, step) => this.withOthers(round, others.ask(snapshots, JSON.stringify(step))));
  }

  /** RO1 (rounds.ts) */
  private async withOthers<R extends Round>(round: R, shares: readonly FoldedShare[]): Promise<R> {
    const {scan} = this.reading;
    for (const share of shares) {
      const {partials = [], own} = await share;
      for (const partial of partials) await scan.inSlices(round.add(new ByteReader(partial)));
      await foldAll(round, own);
    }
    return round;
  }

  /**
   * What the round of a step has of some partitions, for another process; undefined: it takes more than `bytesMax`.
   * @throws MissingPart, DamagedPart, BeyondMemory
   */
  async partial(
    {query, step, partitions}: Pick<AskedShare, 'query' | 'step' | 'partitions'>,
    snapshots: readonly PartitionSnapshot[],
    bytesMax: number,
  ): Promise<Uint8Array | undefined> {
    const reading = this.over(partitions.length);
    const question = must(questionOf(reading, query, snapshots), 'shares are of questions in rounds');
    const round = question.round(JSON.parse(step));
    try {
      for (const partition of partitions) await round.fold(must(snapshots[partition], 'a share is of partitions'));
      const writer = new ByteWriter(4_096);
      for (const _ of round.write(writer)) {
        if (writer.position > bytesMax) return undefined;
        await reading.scan.pauseIfDue();
      }
      return writer.position > bytesMax ? undefined : writer.finish();
    } finally {
      round.end?.();
    }
  }

  /** A page of an export; undefined when no event has the id of its cursor. @throws MissingPart, DamagedPart */
  exported(query: ExportQuery, snapshots: readonly PartitionSnapshot[]): Promise<ExportedPage | undefined> {
    return exportedPage(this.over(snapshots.length), query, snapshots);
  }

  /** Users who completed the funnel, by all events of the snapshot. @throws MissingPart, DamagedPart */
  converted(funnel: FunnelPath, snapshot: PartitionSnapshot, partitionCount: number): Promise<UserSet> {
    return converted(this.over(partitionCount), funnel, snapshot);
  }

  /** A page of changes. @throws MissingPart, DamagedPart */
  changes(
    query: ChangesQuery,
    references: UserReferences,
    snapshots: readonly PartitionSnapshot[],
  ): Promise<ChangesPage | PositionGone> {
    return changesPage(this.over(snapshots.length), references, query, snapshots);
  }

  private over(partitionCount: number): Reading {
    this.reading.scan.partitionCount = partitionCount;
    return this.reading;
  }
}

/** Undefined: the question is not in rounds. */
function questionOf(
  reading: Reading,
  query: ReportQuery,
  snapshots: readonly PartitionSnapshot[],
): Question<unknown> | undefined {
  if (!(query.report in inRounds)) return undefined;
  const asOfMs = asOf(snapshots.map(({manifest}) => manifest));
  return (inRounds[query.report as keyof typeof inRounds] as unknown as AnyRounds)(reading, query, asOfMs);
}
