// The edge as its routes use it: a clock, and four ports. A route takes from them what it needs.

import type {ClusterWatch} from '../cluster/cluster-watch.js';
import type {EntryEncoder} from '../ingest/entry-encoder.js';
import type {FoldLag} from '../ingest/fold-lag.js';
import type {LinkEncoder} from '../ingest/link-encoder.js';
import type {NamedEntries} from '../ingest/named-entries.js';
import type {LogPublisher} from '../ingest/publisher.js';
import type {RequestOrder} from '../ingest/request-order.js';
import type {KeptStore} from '../kept/kept-store.js';
import type {ShareReads} from '../kept/share-reads.js';
import type {FixedKeys} from '../keys/fixed-keys.js';
import type {RevocationJournal} from '../keys/revocation-journal.js';
import type {KeyStore} from '../keys/store.js';
import type {Durability} from '../nats/server/durability.js';
import type {Addresses} from '../webhooks/addresses.js';
import type {DeliveryQueue} from '../webhooks/delivery-queue.js';
import type {Zone} from '../zone.js';
import type {BodiesUnderWay} from './admission/bodies-under-way.js';
import type {Intake} from './admission/intake.js';
import type {LargeBodies} from './admission/large-bodies.js';
import type {Obstacles} from './admission/obstacles.js';
import type {RejectedEvents} from './admission/rejected-events.js';
import type {AuditTrail} from './audit.js';
import type {ClientAddresses} from './http/client-address.js';
import type {RateOptions} from './http/rate-limit.js';
import type {LostRecords} from './lost-records.js';
import type {Traffic} from './metrics/traffic.js';
import type {ParquetThread} from './parquet/parquet-thread.js';
import type {Asks} from './query/asks.js';
import type {CursorSeal} from './query/cursor.js';
import type {LogGenerations} from './query/log-generations.js';
import type {StoredRecord} from './stored-record.js';
import type {Web} from './web/web.js';

export interface Readiness {
  /** Why the service cannot do all of its work now; empty when it can. */
  readonly reasons: readonly string[];
  /** Problems that an operator should know, and that another machine would have, too. */
  readonly warnings: readonly string[];
  /** Temporary conditions that are normal. */
  readonly notes: readonly string[];
}

/** The way of events to the logs. */
export interface Writes {
  readonly publisher: LogPublisher;
  readonly foldLag: FoldLag;
  readonly encoder: EntryEncoder;
  readonly named: NamedEntries;
  /** Reads again which names of events exist; resolves once this edge knows. */
  readonly readNames: () => Promise<void>;
  readonly stopNames: () => void;
  readonly order: RequestOrder;
  /** Undefined: anonymous users are not joined to known ones. */
  readonly links: LinkEncoder | undefined;
  /** Every edge forgets which links of this user the log has: a deletion forgets them. */
  readonly forgetLinks: (userId: string) => void;
  readonly largeBodies: LargeBodies;
  readonly intake: Intake;
  readonly underWay: BodiesUnderWay;
  /** Salt of the ids of visitors who come at a time, epoch ms; undefined: there is none now, and getting it has begun. */
  readonly visitorSalt: (timeMs: number) => Buffer | undefined;
  /** What the requests of web pages say of their visitors. */
  readonly web: Web;
  readonly rejected: RejectedEvents;
}

/** Questions to the owners of partitions and to the reports. */
export interface Reads {
  readonly asks: Asks;
  readonly generations: LogGenerations;
  readonly cursors: CursorSeal;
  readonly parquet: ParquetThread;
}

/** What people made and keep: things, keys, the record of what was done. */
export interface Kept {
  /** Resources: webhooks, saved funnels, alerts, boards, … */
  readonly store: KeptStore;
  readonly shareReads: ShareReads;
  readonly keys: KeyStore;
  readonly fixedKeys: FixedKeys;
  readonly revocations: RevocationJournal;
  readonly audit: AuditTrail;
  readonly record: Pick<StoredRecord, 'page'>;
  /** Deliveries that wait for webhooks, and dead letters. */
  readonly deliveryQueue: DeliveryQueue;
  readonly webhookAddresses: Addresses;
  /** Whether there is an SMTP server. */
  readonly sendsMail: boolean;
  /** `webhook-id` of these parts, with the deployment's secret. */
  readonly messageId: (...parts: readonly (string | number)[]) => string;
}

/** The state of the service, and its limits. */
export interface Operations {
  readonly obstacles: Obstacles;
  readonly lostRecords: Pick<LostRecords, 'warnings'>;
  /** Undefined: the nats-server is our own, and no other process folds. */
  readonly cluster: Pick<ClusterWatch, 'members' | 'unowned' | 'hasReturned' | 'ownerOf'> | undefined;
  /** Rate limits of each key. */
  readonly limits: RateOptions;
  readonly clientAddresses: ClientAddresses;
  readonly traffic: Traffic;
  /** The text of /metrics. */
  readonly metricsText: () => Promise<string>;
  /** Requests within `readinessKeptMs` share it (readiness.ts). */
  readonly readiness: () => Promise<Readiness>;
  readonly durability: Durability;
  readonly isDraining: () => boolean;
}

export interface Front {
  readonly partitionCount: number;
  /** Zone of requests that name none (REPORT_TIMEZONE); undefined: UTC, which answers do not name. */
  readonly reportZone: Zone | undefined;
  /** The wall clock, read once a turn (turn.ts). */
  readonly wallMs: () => number;
  readonly writes: Writes;
  readonly reads: Reads;
  readonly kept: Kept;
  readonly operations: Operations;
}
