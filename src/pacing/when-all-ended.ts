// Waits for pieces of work that run together.

/** Throws the first failure in the order of the list, once all have ended: none of them runs on behind its caller's back. */
export async function whenAllEnded<T extends readonly unknown[]>(
  work: readonly [...T],
): Promise<{-readonly [P in keyof T]: Awaited<T[P]>}> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
