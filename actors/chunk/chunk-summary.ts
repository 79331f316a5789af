// Summary of a chunk for the chunk directory: live rows, their first, middle and last time, names.
import {type ChunkEntry, chunkNamesMax} from '../manifest.js';
import {type RowsView, timeOf} from './rows.js';

/** Slots of the filter below: a power of two. */
const addedPlaces = 256;

type ChunkSummary = Pick<ChunkEntry, 'live' | 'minTimeMs' | 'maxTimeMs' | 'middleTimeMs' | 'names'>;

export function summarizeRows(rows: RowsView): ChunkSummary {
  const live = rows.order.length;
  if (live === 0) return {live, minTimeMs: 1, maxTimeMs: 0, middleTimeMs: 0, names: []};
  const names = new Set<number>();
  // Recently added names, as name + 1: a look-up in the set for each row costs three times as much.
  const added = new Uint32Array(addedPlaces);
  for (let row = 0; row < rows.count && names.size <= chunkNamesMax; row++) {
    const name = rows.names[row];
    if (added[name & (addedPlaces - 1)] === name + 1 || rows.users[row] === rows.noUser) continue;
    names.add(name);
    added[name & (addedPlaces - 1)] = name + 1;
  }
  return {
    live,
    minTimeMs: timeOf(rows, rows.order[0]),
    maxTimeMs: timeOf(rows, rows.order[live - 1]),
    middleTimeMs: timeOf(rows, rows.order[live >> 1]),
    names: names.size > chunkNamesMax ? null : [...names].sort((a, b) => a - b),
  };
}
