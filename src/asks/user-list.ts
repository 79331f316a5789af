// The list of users by their traits and by what they did.
import type {Behind} from './people-behind.js';
import type {EventsMeant, UserFilter} from './user-filter.js';

/** Users: the last seen first, or those with the largest value. */
export interface UserListQuery {
  readonly report: 'user_list';
  /** Prefix of the ids. */
  readonly prefix?: string;
  /** Only users with this text in their id or in one of these traits. */
  readonly search?: {readonly text: string; readonly traits: readonly string[]};
  /** Only the people behind a number. */
  readonly behind?: Behind;
  readonly users?: UserFilter;
  /** Every user is listed as if without traits. */
  readonly withoutTraits?: true;
  /** What ranks them; absent: when they were last seen. */
  readonly sort?: UserSort;
  readonly limit: number;
  /** The last user of the previous page. */
  readonly after?: UserPlace;
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
