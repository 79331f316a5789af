// Answers of a partition that starts halted: nothing that is stored of it gives a state. It folds nothing, publishes nothing and
// truncates nothing; its log takes events, which wait there.
import type {PartitionAnswer, PartitionQuestion} from '../../asks/partition.js';
import type {PartitionMeasures} from '../../measures.js';
import type {Damage} from '../../parts/damage.js';
import type {Refresh} from '../../refresh.js';

interface HaltedSetup {
  readonly partition: number;
  readonly damage: Damage;
  readonly refresh: Refresh;
  readonly funnelBytesMax: number;
  readonly dedupeBytesMax: number;
}

export class HaltedReads {
  constructor(private readonly setup: HaltedSetup) {}

  async answer({ask}: Exclude<PartitionQuestion, {ask: 'measures'}>): Promise<PartitionAnswer> {
    const {partition, damage, refresh, funnelBytesMax: bytesMax} = this.setup;
    switch (ask) {
      case 'status':
        return {
          kind: 'status',
          partition,
          phase: 'halted',
          appliedSequence: 0,
          published: null,
          appendFault: null,
          refreshChange: refresh.change ?? null,
          lag: null,
          damagedParts: damage.countOf(partition),
        };
      case 'publish':
        return {kind: 'publishing'};
      case 'conflicts':
        return {kind: 'conflicts', conflicts: []};
      case 'funnel_memory':
        return {kind: 'funnel_memory', memory: {bytes: 0, bytesMax, lateUsers: 0}};
      default:
        return {kind: 'unavailable', message: 'the partition stands still: what is stored of it cannot be read'};
    }
  }

  /** Zero stands for what is unknown. */
  async measures(): Promise<PartitionMeasures> {
    const {partition, damage, funnelBytesMax, dedupeBytesMax} = this.setup;
    return {
      alarms: ['standing_still'],
      lagMessages: null,
      lagMs: 0,
      generation: 0,
      snapshot: null,
      snapshotMs: null,
      snapshots: 0,
      events: {counted: 0, arrived: 0, duplicate: 0, erased: 0, expired: 0},
      identifies: {counted: 0, duplicate: 0, erased: 0},
      joins: {joined: 0, shared: 0, too_large: 0},
      moves: {candidates: 0, pending: 0, waitedMs: 0},
      expiredBytesPending: 0,
      conflicts: 0,
      redelivered: 0,
      gaps: 0,
      logLosses: 0,
      damagedParts: damage.countOf(partition),
      users: 0,
      names: 0,
      profiles: 0,
      dictionaries: [],
      dedupe: {ids: 0, bytes: 0, bytesMax: dedupeBytesMax, windowMs: 0, erasedIds: 0, erasedBytes: 0},
      funnels: {bytes: 0, bytesMax: funnelBytesMax, lateUsers: 0},
      deletions: {pending: 0, oldestPendingMs: 0, completed: 0},
    };
  }
}
