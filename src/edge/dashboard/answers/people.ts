// People who may sign in.
import type {DashboardRole} from '../../../keys/dashboard-role.js';

/** A person who may sign in. */
export interface PersonAnswer {
  readonly id: string;
  readonly name: string;
  readonly role: DashboardRole;
  /** Whether they see what people are called, and their traits. */
  readonly sees_traits: boolean;
  /** The last four characters of the access token. */
  readonly last4: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly ends_at: string | null;
  readonly revoked_at: string | null;
}
