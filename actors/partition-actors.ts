// The actors of one partition, for what applies an entry to several of them (events.ts, arrivals.ts, erasures.ts).
import type {Aggregator} from './aggregator/aggregator.js';
import type {Changes} from './changes.js';
import type {Chunks} from './chunk/chunks.js';
import type {Dedupe} from './dedupe/dedupe.js';
import type {Deletions} from './deletions.js';
import type {Identity} from './identity/identity.js';
import type {LogicalTime} from './log/logical-time.js';
import type {EventRetention} from './retention.js';
import type {UserActors} from './user/user-actors.js';

export interface PartitionActors {
  readonly time: LogicalTime;
  readonly dedupe: Dedupe;
  readonly deletions: Deletions;
  readonly retention: EventRetention;
  readonly changes: Changes;
  readonly identity: Identity;
  readonly users: UserActors;
  readonly aggregator: Aggregator;
  readonly chunks: Chunks;
  /** Keyed hash of a user key, hex: identifies a user in records without naming it. */
  hashOf(key: Uint8Array): string;
}
