// What an exchange has counted: the port that metrics/traffic.ts keeps.
import type {ErrorCode} from '../failure.js';

/** A route, as far as counting needs it: itself, and whether it is of the dashboard. */
export interface CountedRoute {
  readonly isOfDashboard?: boolean;
}

/** What became of entries that clients sent. */
export interface Outcomes {
  /** In the log. */
  accepted: number;
  /** Invalid. */
  refused: number;
  /** Not taken by the log, or of unknown outcome. */
  unavailable: number;
}

export interface ExchangeCounts {
  readonly events: Outcomes;
  readonly identifies: Outcomes;
  /** Requests whose client went away, or whose framing was broken, before an answer. */
  unanswered: number;
  /** `status` begins with its three digits; `ms` since the request came. */
  answered(route: CountedRoute | undefined, method: string, status: string, ms: number): void;
  refused(code: ErrorCode): void;
  readonly refusalTap: {
    /** `route`: a path of ours. */
    note(
      code: ErrorCode,
      route: string | undefined,
      about: {readonly field?: string | undefined; readonly keyId?: string | undefined},
    ): void;
  };
}
