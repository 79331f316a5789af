// The list of users by their traits and by what they did.
import type {Condition} from '../../actors/report/rows/condition.js';

/** Users: the last seen first, or those with the largest value. */
export interface UserListQuery {
  readonly report: 'user_list';
  /** Prefix of the ids. */
  readonly prefix?: string;
  readonly userWhere: readonly Condition[];
  /** All of them hold for each user. */
  readonly deeds: readonly Deed[];
  /** What ranks them; absent: when they were last seen. */
  readonly sort?: UserSort;
  readonly limit: number;
  /** The last user of the previous page. */
  readonly after?: UserPlace;
}

/** Events of a range. */
interface EventsMeant {
  /** Absent: an event of any name. */
  readonly event?: string;
  readonly where: readonly Condition[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a user did in a range, or did not. */
export interface Deed extends EventsMeant {
  /** Whether the user has no such event. */
  readonly isAbsent: boolean;
}

/** The value of a user is the number of these events, or the sum of the property's numbers in them. */
export interface UserSort {
  readonly events: EventsMeant;
  readonly property?: string;
}

export interface UserPlace {
  /** When the user was last seen, epoch ms, or the value that ranks it; null: it has none. */
  readonly rank: number | null;
  readonly partition: number;
  /** Index of the user in the partition. */
  readonly user: number;
}
