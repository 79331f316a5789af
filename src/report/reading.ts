// What a question has at hand: the parts of the snapshots, its bounds, and what earlier questions left behind.
import type {FunnelProgress} from '../../actors/report/funnel/funnel-progress.js';
import type {NumberLists} from '../../actors/report/funnel/median.js';
import type {RowFinder} from '../../actors/report/rows/row-finder.js';
import type {ChosenNumbers} from './derived/chosen-numbers.js';
import type {HeldBuckets} from './derived/held-buckets.js';
import type {PostingsIndex} from './derived/postings-index.js';
import type {ValueIndex} from './derived/value-index.js';
import type {RowReading} from './row-scan.js';

/** Faster ways to an answer. Without one its plain twin answers. */
export interface FastPaths {
  readonly postings?: PostingsIndex | undefined;
  readonly values?: ValueIndex | undefined;
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
export interface Reading extends RowReading {
  readonly fast: FastPaths;
  /** Searches postings that are in plain memory. */
  readonly progress: FunnelProgress;
  readonly lists: NumberLists;
}
