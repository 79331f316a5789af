/** @returns undefined if `work` throws: for what an application, a browser or a store may refuse at any time. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (_error) {
    return undefined;
  }
}
