// Errors that end the process. A broken invariant is our bug: it ends near its cause, and is never answered as the world's fault.

export class InvariantError extends Error {
  override name = 'InvariantError';
}

/** What the operator can mend: its message is one line, shown without a stack. */
export class OperatorFault extends Error {}

/** For a `catch` that deals with what the world did: a bug is thrown on. */
export function throwBroken(error: unknown): void {
  if (error instanceof InvariantError) throw error;
}

export function assert(holds: boolean, claim: string): asserts holds {
  if (!holds) throw new InvariantError(claim);
}

export function must<T>(value: T | undefined | null, claim: string): T {
  if (value === undefined || value === null) throw new InvariantError(claim);
  return value;
}
