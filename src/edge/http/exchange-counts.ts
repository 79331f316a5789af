// Counts of an exchange: a port that metrics/traffic.ts implements.
import type {ErrorCode} from '../failure.js';

/** A route as counting sees it: itself, and whether it is the dashboard's. */
export interface CountedRoute {
  readonly isOfDashboard?: boolean;
  /** Shown in place of the path that was asked, which may have a key in it. */
  readonly shownPath?: string;
}

/** Outcomes of the entries that clients sent. */
export interface Outcomes {
  /** Entries in the log. */
  accepted: number;
  /** Invalid. */
  refused: number;
  /** Entries that the log did not take, or whose outcome is unknown. */
  unavailable: number;
}

export interface ExchangeCounts {
  readonly events: Outcomes;
  readonly identifies: Outcomes;
  /** Requests without an answer: the client left, or the framing was broken. */
  unanswered: number;
  /** `status` begins with its three digits; `ms` since the request arrived. */
  answered(route: CountedRoute | undefined, method: string, status: string, ms: number): void;
  /** `route` undefined: no route has the path. */
  refused(code: ErrorCode, route: CountedRoute | undefined): void;
  readonly refusalTap: {
    /** `route`: a path of the service. */
    note(
      code: ErrorCode,
      route: string | undefined,
      about: {readonly field?: string | undefined; readonly keyId?: string | undefined},
    ): void;
  };
}
