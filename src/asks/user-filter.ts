// Which users a question is about: by their traits, and by what they did.
import type {Condition} from '../../actors/report/rows/condition.js';

/** Whom a question is about. A question without a filter is about all users. */
export interface UserFilter extends UserRules {
  /** Users for whom all of this holds are left out. */
  readonly except?: UserRules;
}

/** All conditions and all deeds hold for each user. */
export interface UserRules {
  /** Conditions on the users' current traits. */
  readonly where: readonly Condition[];
  readonly did: readonly Deed[];
}

/** Events of a range. Bounds are inclusive epoch ms. */
export interface EventsMeant {
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
