// Lists of events' names, and of the attributes of events and users, over all partitions.
import type {UserFilter} from './user-filter.js';

/** Names or properties that a list leaves out; with `areShown` it marks them instead. */
export interface HiddenTexts {
  readonly texts: readonly string[];
  readonly areShown: boolean;
}

/** Users with an event in [fromMs, toMs]. Absent: all users. */
export interface ActiveWithin {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One page of a list ranked by counts. */
interface ListPage {
  /** Prefix of the items' texts. */
  readonly prefix?: string;
  readonly limit: number;
  /** Number of items on earlier pages. */
  readonly passed: number;
}

export type ListQuery =
  | ({
      readonly report: 'properties';
      readonly hidden?: HiddenTexts;
      /** Undefined: events of every name. */
      readonly event?: string;
      readonly fromMs: number;
      readonly toMs: number;
    } & ListPage)
  | ({
      readonly report: 'property_values';
      readonly event?: string;
      readonly property: string;
      readonly fromMs: number;
      readonly toMs: number;
    } & ListPage)
  | ({readonly report: 'traits'; readonly active?: ActiveWithin} & ListPage)
  | ({readonly report: 'trait_values'; readonly trait: string; readonly active?: ActiveWithin} & ListPage);

/** Names of events, the most frequent first. */
export interface NameListQuery {
  readonly report: 'names';
  readonly fromMs: number;
  readonly toMs: number;
  /** Prefix of the names. */
  readonly prefix?: string;
  readonly limit: number;
  /** The last name of the previous page. */
  readonly after?: {readonly count: number; readonly name: string};
  /** Set when the answer has the number of users of each name. */
  readonly withUsers?: true;
  /** Whose events count; absent: those of all users. First and last times are those of all users in any case. */
  readonly users?: UserFilter;
  readonly hidden?: HiddenTexts;
}
