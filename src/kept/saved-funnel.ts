// The definition of a saved funnel. Webhooks are notified of users who complete it (`funnel.completed`). The owners of partitions find
// those users, and keep each user's progress in the partition's state (src/partition/funnels).
import type {FollowedQuestion} from '../asks/question/funnel.js';
import type {Definition} from './definition.js';
import type {Definitions, KeptStore} from './kept-store.js';

export const savedFunnelsMax = 20;

export interface SavedFunnel extends Definition {
  readonly name: string;
  /** In its normal form. */
  readonly question: FollowedQuestion;
}

export const savedFunnelsOf = (store: KeptStore): Definitions<SavedFunnel> => store.definitions<SavedFunnel>('fn');
