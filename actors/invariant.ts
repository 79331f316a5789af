// Errors that end the process. A broken invariant is our bug: the process ends near its cause and never answers it as a fault
// of the world.

export class InvariantError extends Error {
  override name = 'InvariantError';
}

/** A fault that the operator can mend: its message is one line, shown without a stack. */
export class OperatorFault extends Error {}

/** Throws a broken invariant again, in a `catch` that handles faults of the world. */
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
