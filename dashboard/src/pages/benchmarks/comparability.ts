// Comparable runs: those of one machine, with the same options.
import type {ListedRun} from '../../../../src/bench-run.js';

export type Break = 'other host' | 'other options';

type Comparable = Pick<ListedRun, 'host' | 'options'>;

/** Text of all values in the order of their names: two texts are equal when all values are. */
function textOf(value: object): string {
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(entries.map(([name, part]) => [name, part instanceof Object ? textOf(part) : part]));
}

export const isSameHost = (a: Comparable, b: Comparable): boolean => textOf(a.host) === textOf(b.host);

/** Undefined: they can be compared. */
export function breakBetween(a: Comparable, b: Comparable): Break | undefined {
  if (!isSameHost(a, b)) return 'other host';
  return textOf(a.options) === textOf(b.options) ? undefined : 'other options';
}

/** Differences as texts such as `partitions 4 → 1`. */
export function differences(a: object, b: object): string[] {
  const [before, after] = [a, b] as unknown as Record<string, unknown>[];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((name) => {
    const [from, to] = [before![name], after![name]];
    if (from instanceof Object && to instanceof Object) return differences(from, to);
    return from === to ? [] : [`${name} ${String(from ?? 'none')} → ${String(to ?? 'none')}`];
  });
}

/** The newest two runs of one bench that can be compared; of any bench where none is named. */
export function newestPair(
  runs: readonly ListedRun[],
  bench?: string,
): {readonly a: ListedRun; readonly b: ListedRun} | undefined {
  const wanted = runs.filter((run) => bench === undefined || run.bench === bench);
  for (let at = wanted.length - 1; at > 0; at--) {
    const b = wanted[at]!;
    const a = wanted.slice(0, at).findLast((run) => run.bench === b.bench && breakBetween(run, b) === undefined);
    if (a !== undefined) return {a, b};
  }
  return undefined;
}

/** The newest run before this one that it can be compared with. */
export const comparableBefore = (runs: readonly ListedRun[], run: ListedRun): ListedRun | undefined =>
  runs.findLast(
    (other) => other.bench === run.bench && other.time < run.time && breakBetween(other, run) === undefined,
  );
