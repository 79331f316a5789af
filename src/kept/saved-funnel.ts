// The definition of a saved funnel. Webhooks are notified of users who complete it (`funnel.completed`). The owners of partitions find
// those users, and keep each user's progress in the partition's state (src/partition/funnels).
import type {Definition} from './definition.js';
import type {Definitions, KeptStore} from './kept-store.js';

export const savedFunnelsMax = 20;

export interface SavedFunnel extends Definition {
  readonly name: string;
  /** Names of events, in order. */
  readonly steps: readonly string[];
  /** Conversion window in ms, inclusive, from the first step. */
  readonly windowMs?: number;
}

export const savedFunnelsOf = (store: KeptStore): Definitions<SavedFunnel> => store.definitions<SavedFunnel>('fn');
