// Loads the next items of a scan while it folds the current one: in order, a bounded number ahead.

/**
 * Yields every item with its loaded value. At most `aheadMax` loads run or wait to be taken. For a caller that may stop after
 * a few items, `aheadFirst` loads start at once; each item that it takes allows one more.
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
      // The failure is thrown when its item is due; until then, and after an earlier failure, nothing else handles it.
      loading.catch(() => undefined);
      ahead.push(loading);
    }
    yield [item, await ahead.shift()!];
  }
}

/**
 * Folds every item, in any order. Cached items (`held`) come first, without awaits: two promises for each of hundreds of
 * cached parts take longer than folding them, and a load might evict a cached part that was not folded yet. The others are
 * loaded, a bounded number ahead. `fold` may yield by returning a promise.
 */
export async function foldAhead<T, V>(
  items: readonly T[],
  held: (item: T) => V | undefined,
  load: (item: T) => Promise<V>,
  aheadMax: number,
  fold: (item: T, value: V) => Promise<void> | void,
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
