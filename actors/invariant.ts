// A broken invariant is our bug: it ends the process near its cause.

export class InvariantError extends Error {
  override name = 'InvariantError';
}

export function assert(holds: boolean, claim: string): asserts holds {
  if (!holds) throw new InvariantError(claim);
}

export function must<T>(value: T | undefined | null, claim: string): T {
  if (value === undefined || value === null) throw new InvariantError(claim);
  return value;
}
