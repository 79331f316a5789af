// Loads what a scan will need while it folds what it has: in order, a bounded number ahead.

/**
 * Yields every item with what `load` brought for it. At most `aheadMax` loads are under way or wait to be taken: as many
 * at once, or `aheadFirst` at first and one more with each that is taken, where the first ones may do.
 */
export async function* loadAhead<T, V>(
  items: readonly T[],
  load: (item: T) => Promise<V>,
  aheadMax: number,
  aheadFirst = aheadMax,
): AsyncGenerator<readonly [T, V], void, void> {
  const ahead: Promise<V>[] = [];
  let started = 0;
  for (const [taken, item] of items.entries()) {
    while (started < items.length && ahead.length < Math.min(aheadMax, aheadFirst + taken)) {
      const loading = load(items[started++]!);
      // A failure is thrown in its turn; until then, and after an earlier failure, nobody else listens.
      loading.catch(() => undefined);
      ahead.push(loading);
    }
    yield [item, await ahead.shift()!];
  }
}

/**
 * Folds every item, in any order. What `held` finds comes first, and is folded at once: waiting for a promise, and for the
 * generator's, once for each of hundreds of parts at hand takes longer than folding them; and what is loaded may take the
 * place of what is held and was not folded yet. The others are loaded, a bounded number ahead. `fold` may give way by
 * returning a promise.
 */
export async function foldAhead<T, V>(
  items: readonly T[],
  held: (item: T) => V | undefined,
  load: (item: T) => Promise<V>,
  aheadMax: number,
  fold: (item: T, value: V) => Promise<void> | undefined,
): Promise<void> {
  const others: T[] = [];
  for (const item of items) {
    const value = held(item);
    if (value === undefined) {
      others.push(item);
      continue;
    }
    const folding = fold(item, value);
    if (folding !== undefined) await folding;
  }
  for await (const [item, value] of loadAhead(others, load, aheadMax)) await fold(item, value);
}
