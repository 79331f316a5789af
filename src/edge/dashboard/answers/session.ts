// A session of the dashboard, as its pages see it.
import type {DashboardRole} from '../../../keys/dashboard-role.js';
import type {AnnotationAnswer} from '../../answers/annotations.js';
import type {BoardAnswer} from '../../answers/boards.js';
import type {SegmentAnswer} from '../../answers/segments.js';
import type {StateAnswer} from './state.js';

export interface SessionAnswer {
  readonly role: DashboardRole;
  readonly name: string;
  /** Whether people are shown with their traits and titles. */
  readonly sees_traits: boolean;
  /** The traits that titles of people come from: the first that is set. */
  readonly titles: readonly string[];
  /** Id of the segment of internal and test users; null: there is none. */
  readonly internal: string | null;
  /** Zone of pages whose address names none (REPORT_TIMEZONE). */
  readonly timezone: string;
  /** Id of the access token; `admin` for the admin token and a sign-in link. */
  readonly by: string;
  readonly until: string;
  /** Everything between the browser and the service is encrypted, as far as the service can tell. */
  readonly is_secure: boolean;
  readonly api: ApiPlace;
}

/** Answer of `GET session` with a valid session: what every page begins with. */
export interface StartAnswer extends SessionAnswer {
  readonly state: StateAnswer;
  readonly boards: readonly BoardAnswer[];
  readonly annotations: readonly AnnotationAnswer[];
  readonly segments: readonly Pick<SegmentAnswer, 'id' | 'name'>[];
}

/**
 * Address of the API for clients: that of the pages; another port of their host (ADMIN_PORT); or one that only a proxy knows.
 */
export type ApiPlace =
  | {readonly at: 'here'}
  | {readonly at: 'port'; readonly port: number}
  | {readonly at: 'elsewhere'};
