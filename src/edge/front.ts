// What every route works with.
import type {EntryEncoder} from '../ingest/entry-encoder.js';
import type {FoldLag} from '../ingest/fold-lag.js';
import type {LogPublisher} from '../ingest/publisher.js';
import type {FixedKeys} from '../keys/fixed-keys.js';
import type {KeyStore} from '../keys/store.js';
import type {Durability} from '../nats/server/durability.js';
import type {Asks} from './asks.js';
import type {AuditTrail} from './audit.js';
import type {BodiesUnderWay} from './bodies-under-way.js';
import type {ClientAddresses} from './client-address.js';
import type {CursorSeal} from './cursor.js';
import type {Dashboard} from './dashboard/dashboard.js';
import type {Intake} from './intake.js';
import type {LargeBodies} from './large-bodies.js';
import type {LogGenerations} from './log-generations.js';
import type {Traffic} from './metrics/traffic.js';
import type {Obstacles} from './obstacles.js';
import type {RejectedEvents} from './rejected-events.js';
import type {Readiness} from './routes/health.js';

export interface Front {
  readonly partitionCount: number;
  readonly publisher: LogPublisher;
  readonly foldLag: FoldLag;
  readonly encoder: EntryEncoder;
  readonly largeBodies: LargeBodies;
  readonly intake: Intake;
  readonly underWay: BodiesUnderWay;
  readonly asks: Asks;
  readonly generations: LogGenerations;
  readonly obstacles: Obstacles;
  readonly keys: KeyStore;
  readonly fixedKeys: FixedKeys;
  readonly dashboard: Dashboard;
  readonly audit: AuditTrail;
  readonly cursors: CursorSeal;
  readonly clientAddresses: ClientAddresses;
  readonly traffic: Traffic;
  readonly rejected: RejectedEvents;
  /** What /metrics shows. */
  readonly metricsText: () => Promise<string>;
  /** Shared by requests that come within a moment (routes/health.ts). */
  readonly readiness: () => Promise<Readiness>;
  readonly durability: Durability;
  /** Looked at once a turn (turn.ts). */
  readonly wallMs: () => number;
  readonly isDraining: () => boolean;
}
