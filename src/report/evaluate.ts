// One question over one set of snapshots.
//   Owns: what a question has at hand (reading.ts). Does not own: how each kind is answered (questions/), how parts are loaded
//   (part-scan.ts), which snapshots (the engine).
//   EV1. Partitions are evaluated one after the other, so only one of them holds gathered rows at a time.
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
import type {PartitionSnapshot} from './published/newest-snapshots.js';
import {questions} from './questions/all.js';
import {type ChangesPage, changesPage} from './questions/changes.js';
import {converted} from './questions/converted.js';
import {type ExportedPage, exportedPage} from './questions/exported.js';
import type {FastPaths, Reading} from './reading.js';
import type {UserReferences} from './user-references.js';

type Question = (reading: Reading, query: ReportQuery, snapshots: readonly PartitionSnapshot[]) => Promise<string>;

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

  /** JSON text of the answer. @throws MissingPart, DamagedPart, BeyondMemory */
  answer(query: ReportQuery, snapshots: readonly PartitionSnapshot[]): Promise<string> {
    return (questions[query.report] as Question)(this.over(snapshots.length), query, snapshots);
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
