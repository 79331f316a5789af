// Rows of load, one a second, as they are read and as the stream brings them.

import type {LoadRows} from '../../../src/edge/dashboard/answers/load.js';

export const ringMinutes = 15;
const keptMs = ringMinutes * 60_000;

type Value = number | null;

/** Rows that are newer than what is known, after it; those older than a quarter of an hour go. */
export function joined(known: LoadRows | undefined, more: LoadRows): LoadRows {
  const after = known?.at.at(-1) ?? Number.NEGATIVE_INFINITY;
  const from = more.at.findIndex((at) => at > after);
  if (known !== undefined && from < 0) return known;
  const fresh = more.at.slice(from);
  const cut = (known?.at ?? []).findIndex((at) => at > (fresh.at(-1) ?? 0) - keptMs);
  const kept = cut < 0 ? 0 : (known?.at.length ?? 0) - cut;
  const names = new Set([...Object.keys(known?.columns ?? {}), ...Object.keys(more.columns)]);
  const columns = [...names].map((name) => {
    // A column of refusals that had nothing but zeros is left out.
    const before = known?.columns[name]?.slice(cut) ?? new Array<Value>(kept).fill(0);
    const newer = more.columns[name]?.slice(from) ?? new Array<Value>(fresh.length).fill(0);
    return [name, [...(kept === 0 ? [] : before), ...newer]] as const;
  });
  return {at: [...(kept === 0 ? [] : known!.at.slice(cut)), ...fresh], columns: Object.fromEntries(columns)};
}
