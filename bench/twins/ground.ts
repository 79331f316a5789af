// What all twins are asked about: the newest snapshots of a data set, and a cache that holds their parts.
//   T1. Parts are in the cache, and indexes built before anything is timed.

import type {RowFinder} from '../../actors/report/counts/row-finder.js';
import {NumberLists} from '../../actors/report/funnel/median.js';
import type {ReportQuery} from '../../src/asks.js';
import {createLogger} from '../../src/observe.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {HeldDayRanges} from '../../src/report/active/held-day-ranges.js';
import type {ValueIndex} from '../../src/report/counts/value-index.js';
import {Evaluation} from '../../src/report/evaluate.js';
import type {FunnelIndex} from '../../src/report/funnel/funnel-index.js';
import type {PartitionSnapshot} from '../../src/report/published/newest-snapshots.js';
import type {SnapshotsLink} from '../engine/snapshots-link.js';
import {cacheMib} from '../engine/store.js';
import type {WorkloadOptions} from '../workload/events.js';

/** Half of the service's, as its report role has. */
export const cacheBytesMax = cacheMib * 2 ** 19;
export const gatheredBytesMax = Math.floor((cacheBytesMax * 14) / 64 / 2);

/** Without one of them its plain twin answers. */
export interface FastPaths {
  readonly funnels?: FunnelIndex | undefined;
  readonly values?: ValueIndex;
  readonly finder?: RowFinder;
}

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

  evaluate(query: ReportQuery, parts: PartsCache, {funnels, values, finder}: FastPaths = {}): Promise<string> {
    const ranges = new HeldDayRanges(parts);
    const evaluation = new Evaluation(parts, gatheredBytesMax, ranges, funnels, values, this.lists, finder);
    return evaluation.answer(query, this.snapshots);
  }
}
