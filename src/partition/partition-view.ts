// The parts of a partition that its readers and background tasks use. The loop (runner.ts) has more, which they do not see.
import type {Partition} from '../../actors/partition.js';
import type {Damage} from '../parts/damage.js';
import type {PartsCache} from '../parts/parts-cache.js';
import type {Refresh} from '../refresh.js';
import type {Outbox} from './effects.js';
import type {LogReader} from './log/log-reader.js';
import type {LogWriter} from './log/log-writer.js';
import type {Layout} from './snapshot/layout.js';
import type {Ownership} from './snapshot/ownership.js';
import type {PartSweep} from './snapshot/part-sweep.js';
import type {Snapshots} from './snapshot/snapshots.js';

export interface PartitionView {
  readonly partition: Partition;
  readonly layout: Layout;
  /** Reads parts for live reads: fails while the store is unreachable. */
  readonly cache: PartsCache;
  readonly snapshots: Snapshots;
  readonly ownership: Ownership;
  readonly damage: Damage;
  readonly refresh: Pick<Refresh, 'ms' | 'change'>;
  readonly reader: LogReader;
  readonly writer: LogWriter;
  readonly sweep: PartSweep;
  /** Queue of triggers. */
  readonly outbox: Outbox;
}

/** Where the rows of a partition are: in memory and in parts. */
export type RowSources = Pick<PartitionView, 'partition' | 'layout' | 'cache'>;
