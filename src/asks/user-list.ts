// The list of users by their traits and by what they did.
import type {Condition} from '../../actors/report/rows/condition.js';

/** Users, the last seen first. */
export interface UserListQuery {
  readonly report: 'user_list';
  /** Prefix of the ids. */
  readonly prefix?: string;
  readonly userWhere: readonly Condition[];
  /** All of them hold for each user. */
  readonly deeds: readonly Deed[];
  readonly limit: number;
  /** The last user of the previous page. */
  readonly after?: UserPlace;
}

/** What a user did in a range, or did not. */
export interface Deed {
  /** Absent: an event of any name. */
  readonly event?: string;
  readonly where: readonly Condition[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether the user has no such event. */
  readonly isAbsent: boolean;
}

export interface UserPlace {
  readonly lastSeenMs: number;
  readonly partition: number;
  /** Index of the user in the partition. */
  readonly user: number;
}
