// What all twins are asked about: the newest snapshots of a data set, and a cache that holds their parts.
//   T1. Parts are in the cache, and indexes built before anything is timed.

import {NumberLists} from '../../actors/report/funnel/median.js';
import type {ReportQuery} from '../../src/asks/report.js';
import {createLogger} from '../../src/observe.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {PartsMemory} from '../../src/parts/parts-memory.js';
import {DerivedIndexes} from '../../src/report/derived/derived-indexes.js';
import {Evaluation} from '../../src/report/evaluate.js';
import type {PartitionSnapshot} from '../../src/report/published/newest-snapshots.js';
import type {FastPaths} from '../../src/report/reading.js';
import type {SnapshotsLink} from '../engine/snapshots-link.js';
import {cacheMib} from '../engine/store.js';
import type {WorkloadOptions} from '../workload/events.js';

/** Half of the service's, as its report role has. */
export const cacheBytesMax = cacheMib * 2 ** 19;
export const gatheredBytesMax = Math.floor((cacheBytesMax * 14) / 64 / 2);

export class Ground {
  readonly snapshots: readonly PartitionSnapshot[];
  readonly cache: PartsCache;
  readonly logger = createLogger('warn', 'bench');
  readonly lists = new NumberLists(cacheBytesMax / 64);

  constructor(
    readonly link: SnapshotsLink,
    readonly workload: WorkloadOptions,
    readonly isSmall: boolean,
  ) {
    this.snapshots = link.snapshots;
    this.cache = new PartsCache(link.values, cacheBytesMax);
  }

  evaluate(query: ReportQuery, parts: PartsCache, paths: FastPaths = {}): Promise<string> {
    const evaluation = new Evaluation(parts, gatheredBytesMax, {lists: this.lists, ...paths});
    return evaluation.answer(query, this.snapshots);
  }

  /** Indexes of their own over the parts of `cache`, with as much room as the parts have. */
  derived(): DerivedIndexes {
    return new DerivedIndexes(new PartsMemory(cacheBytesMax), this.logger);
  }
}
