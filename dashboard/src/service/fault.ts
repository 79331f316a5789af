// Why a request has no answer.
export interface Fault {
  /** The service's own code; `unreachable` when no answer came. */
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly status: number;
  /** Seconds, where the service says when to come back. */
  readonly retryAfter?: number;
  /** Further fields of the answer, such as an earlier deletion of an unknown user. */
  readonly more?: Readonly<Record<string, unknown>>;
}
