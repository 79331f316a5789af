// What a question has at hand: the parts of the snapshots, its bounds, and what earlier questions left behind.
import type {ChunkEntry} from '../../actors/manifest.js';
import type {FunnelProgress} from '../../actors/report/funnel/funnel-progress.js';
import type {NumberLists} from '../../actors/report/funnel/median.js';
import {gatheredRowBytes} from '../../actors/report/rows/gathered-rows.js';
import type {RowFinder} from '../../actors/report/rows/row-finder.js';
import {liveRows} from '../../actors/report/selection.js';
import type {NamedCells} from './counts/named-cells.js';
import type {ValueIndex} from './counts/value-index.js';
import type {FunnelIndex} from './funnel/funnel-index.js';
import type {ChosenNumbers} from './operators/chosen-numbers.js';
import type {ChosenPostings} from './operators/chosen-postings.js';
import type {HeldBuckets} from './operators/held-buckets.js';
import type {PartScan} from './part-scan.js';

/** Faster ways to an answer. Without one its plain twin answers. */
export interface FastPaths {
  readonly namedCells?: NamedCells | undefined;
  readonly funnels?: FunnelIndex | undefined;
  readonly values?: ValueIndex | undefined;
  readonly chosen?: ChosenPostings | undefined;
  readonly numbers?: ChosenNumbers | undefined;
  /** Whether day sets answer for sets of users. */
  readonly daySets?: boolean | undefined;
  readonly sets?: HeldBuckets | undefined;
  readonly lists?: NumberLists | undefined;
  /** Absent: the kernels of this thread. */
  readonly finder?: RowFinder | undefined;
  readonly progress?: FunnelProgress | undefined;
}

/** Tools and bounds of a question. */
export interface Reading {
  readonly scan: PartScan;
  readonly fast: FastPaths;
  /** Finds rows by name. */
  readonly finder: RowFinder;
  /** Searches postings that are in plain memory. */
  readonly progress: FunnelProgress;
  readonly lists: NumberLists;
  /** Bytes of rows and values that a question holds at once. */
  readonly gatheredBytesMax: number;
}

/** Rows that a question may gather. */
export const gatheredRowsMax = ({gatheredBytesMax}: Reading): number =>
  Math.max(2, Math.floor(gatheredBytesMax / gatheredRowBytes));

/** Bytes of gathered rows of these chunks in one pass. */
export const gatheredBytesOf = ({gatheredBytesMax}: Reading, chunks: readonly ChunkEntry[]): number =>
  Math.min(gatheredBytesMax, liveRows(chunks) * gatheredRowBytes);
