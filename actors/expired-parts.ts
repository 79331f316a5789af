// Parts that still hold expired events (retention.ts), as their readers find them.
//   XP1. The directory says from when on rows of a chunk count (`keptFromMs`), and from which day on a block of windows does
//        (`first`). Whoever reads a part leaves out what is older. What was left out once never counts again.
//   XP2. A chunk is rewritten without its expired rows when these are half of its rows, and it loses its parts when no other row is
//        left. Windows lose whole blocks; the rest leaves them when runs are merged.

import {dayMs} from './limits.js';
import {type ChunkEntry, noPart, partsOfChunk, type Run, type RunBlock, type SnapshotIndex} from './manifest.js';

type ChunkState = Pick<ChunkEntry, 'live' | 'minTimeMs' | 'maxTimeMs' | 'names' | 'leftOut' | 'keptFromMs'>;

/** The entry of a chunk whose rows before `fromMs` have expired. XP1 */
export function chunkFrom<E extends ChunkState>(entry: E, fromMs: number): E {
  const {live, minTimeMs, maxTimeMs} = entry;
  if (live === 0 || minTimeMs >= fromMs) return entry;
  if (maxTimeMs >= fromMs) return {...entry, minTimeMs: fromMs, keptFromMs: fromMs};
  return {...entry, live: 0, minTimeMs: 1, maxTimeMs: 0, names: [], leftOut: 0, keptFromMs: fromMs};
}

/** Whether the bytes of a chunk's expired rows are to leave. XP2 */
export const isChunkDue = (entry: ChunkEntry): boolean =>
  (entry.live === 0 || entry.middleTimeMs < entry.keptFromMs) && partsOfChunk(entry).length > 0;

/** The entry of a chunk without live rows, whose parts leave. XP2 */
export const withoutParts = (entry: ChunkEntry): ChunkEntry => ({
  ...entry,
  rows: noPart,
  properties: noPart,
  bodies: noPart,
});

/** Runs of windows of which days before `day` have expired; the same ones where nothing has. XP1 */
export function runsFrom(runs: readonly Run[], day: number): readonly Run[] {
  const isWhole = ({first}: RunBlock): boolean => first >= day;
  if (runs.every(({blocks}) => blocks.every(isWhole))) return runs;
  return runs.flatMap((run) => {
    if (run.blocks.every(isWhole)) return [run];
    const blocks = run.blocks
      .filter(({last}) => last >= day)
      .map((block) => (isWhole(block) ? block : {...block, first: day}));
    return blocks.length === 0 ? [] : [{blocks, bytes: blocks.reduce((sum, {part}) => sum + part.bytes, 0)}];
  });
}

/** The index as it counts in a set of snapshots of which one keeps events from `fromDay` on only. */
export function indexFrom(index: SnapshotIndex, fromDay: number): SnapshotIndex {
  if (index.retainedFromDay >= fromDay) return index;
  return {
    ...index,
    retainedFromDay: fromDay,
    chunks: index.chunks.map((entry) => chunkFrom(entry, fromDay * dayMs)),
    windowRuns: runsFrom(index.windowRuns, fromDay),
  };
}
