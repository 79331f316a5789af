// Loads what a scan will need while it folds what it has: in order, a bounded number ahead.

/** Yields every item with what `load` brought for it. At most `aheadMax` loads are under way or wait to be taken. */
export async function* loadAhead<T, V>(
  items: readonly T[],
  load: (item: T) => Promise<V>,
  aheadMax: number,
): AsyncGenerator<readonly [T, V], void, void> {
  const ahead: Promise<V>[] = [];
  let started = 0;
  for (const item of items) {
    while (started < items.length && ahead.length < aheadMax) {
      const loading = load(items[started++]!);
      // A failure is thrown in its turn; until then, and after an earlier failure, nobody else listens.
      loading.catch(() => undefined);
      ahead.push(loading);
    }
    yield [item, await ahead.shift()!];
  }
}
