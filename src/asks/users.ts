// Questions to a partition about one user, and their answers. All but `deletion` are live.
import type {FunnelPath} from './funnels.js';

export const devicesListedMax = 100;

/** `user` is named by userId, `anonymous` by anonymousId: two name spaces (docs/api/events.md). */
export type UserKind = 'user' | 'anonymous';

export interface UserRef {
  readonly kind: UserKind;
  readonly id: string;
}

export type UserQuestion =
  | {readonly ask: 'profile'; readonly user: UserRef}
  | {readonly ask: 'exists'; readonly user: UserRef}
  /** Anonymous users of this partition who are linked to this user. */
  | {readonly ask: 'devices'; readonly userId: string}
  /** Steps that a user reached in each of these funnels. */
  | {readonly ask: 'funnels'; readonly user: UserRef; readonly funnels: readonly FunnelPath[]}
  /** Waits up to `waitMs` for the deletion to complete. */
  | {readonly ask: 'deletion'; readonly id: string; readonly waitMs: number};

/** A user's progress in a funnel. */
interface ReachedStep {
  /** Number of steps. */
  readonly reached: number;
  /** Time of the last step that the user reached; null: none is reached. */
  readonly reachedMs: number | null;
}

export interface Deletion {
  /** `del_<partition>_<32 hex digits>`. */
  readonly id: string;
  readonly status: 'pending' | 'completed';
  /** `<p>:<generation>.<sequence>` of the erase entry. */
  readonly log_position: string;
  readonly events_deleted: number;
  /** ISO 8601; null while pending. */
  readonly completed_at: string | null;
  /** Checks that were made, in words; null while pending. */
  readonly verified: readonly string[] | null;
}

export type UserAnswer =
  | {
      readonly kind: 'profile';
      readonly id: string;
      /** JSON text of the traits object, keys in the order in which they were first set. */
      readonly traitsJson: string;
      /** Names of the traits that a secret key set last. */
      readonly secretTraits: readonly string[];
      readonly createdMs: number;
      readonly lastSeenMs: number;
      /** Number of traits that were left out because the profile was full. */
      readonly traitsOverLimit: number;
    }
  /**
   * `deletion`: the newest deletion of this id, if it is pending or was completed within 30 days. `linkedTo`: id of the user
   * that an anonymous user is linked to.
   */
  | {readonly kind: 'unknown_user'; readonly deletion?: Deletion; readonly linkedTo?: string}
  | {readonly kind: 'known_user'}
  /** Progress in each funnel, in the order of the question. */
  | {readonly kind: 'funnels'; readonly reached: readonly ReachedStep[]}
  | {readonly kind: 'deletion'; readonly deletion: Deletion}
  | {readonly kind: 'unknown_deletion'}
  | {
      readonly kind: 'devices';
      /** The newest first, at most `devicesListedMax`, without devices that a second user named. */
      readonly anonymousIds: readonly string[];
      /** Whether the user has anything here, including a link to a device that another user named first. */
      readonly hasAny: boolean;
      /** The user's deletion that has to go on from here to these partitions. */
      readonly onward?: {readonly id: string; readonly partitions: readonly number[]};
    };
