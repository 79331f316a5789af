// Who is signed in to the dashboard.
import type {DashboardRole} from './dashboard-role.js';

/** The person who is signed in, and their role. */
export interface Session {
  readonly role: DashboardRole;
  /** Id of the person's access token; `admin` for the admin token and a one-time link. */
  readonly by: string;
  /** Name of the person. */
  readonly name: string;
  /** Whether the person may see traits of people, and by them what they are called (src/edge/query/personal-data.ts). */
  readonly seesTraits: boolean;
  /** Id of the session, for its limits. */
  readonly id: string;
  /** When the person signed in. */
  readonly sinceMs: number;
  readonly untilMs: number;
}
