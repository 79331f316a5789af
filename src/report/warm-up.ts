// What the first reports will need, read into their cache behind a start: hourly counts and daily sets, and the rows of the
// newest chunks, as far as they fit (src/parts/warm-up.ts). A funnel over ten million events that nobody prepared took 1.6
// to 1.9 s, and 5 s with a disk that had just come up, nearly all of it reading.
//   Nobody waits for it: it gives way to reports, takes half of the thread's time at most, and free room alone.
import {setTimeout as pause} from 'node:timers/promises';
import type {ChunkEntry, RunBlock} from '../../actors/manifest.js';
import {monotonicMs} from '../clock.js';
import type {PartsCache} from '../parts/parts-cache.js';
import {WarmUp} from '../parts/warm-up.js';
import {readAheadBytesOf} from './memory-shares.js';
import type {PartitionSnapshot} from './newest-snapshots.js';

const loadsAheadMax = 4;
/** In so many ms at once. */
const stretchMsMax = 20;

/** Resolves when everything that fits is at hand. Throws when the store fails. */
export async function warmUp(
  cache: PartsCache,
  snapshots: readonly PartitionSnapshot[],
  whenQuiet: () => Promise<void>,
): Promise<void> {
  const indexes = snapshots.map(({index}) => index);
  const blocks = indexes.flatMap(({windowRuns}) => windowRuns).flatMap((run) => run.blocks);
  const chunks = indexes.flatMap((index) => index.chunks).filter(({live}) => live > 0);
  const newestFirst = [...chunks].sort((a, b) => b.maxTimeMs - a.maxTimeMs);
  const largest = [...chunks].sort((a, b) => b.rows.bytes - a.rows.bytes).slice(0, 1);
  await run(planned(cache, [], largest), whenQuiet); // How much of such a part is kept, the others are planned by.
  await run(planned(cache, blocks, newestFirst), whenQuiet);
}

async function run(plan: WarmUp, whenQuiet: () => Promise<void>): Promise<void> {
  let startMs = monotonicMs();
  for await (const _ of plan.run(loadsAheadMax)) {
    const tookMs = monotonicMs() - startMs;
    if (tookMs < stretchMsMax) continue;
    await pause(tookMs, undefined, {ref: false});
    await whenQuiet();
    startMs = monotonicMs();
  }
}

function planned(cache: PartsCache, blocks: readonly RunBlock[], chunks: readonly ChunkEntry[]): WarmUp {
  const plan = new WarmUp(readAheadBytesOf(cache.memory.bytesMax));
  for (const {part} of blocks) plan.take(part, () => cache.readWindowsAside(part));
  for (const {rows} of chunks) {
    if (plan.isFull) break;
    plan.take(rows, () => cache.loadRowsAside(rows), cache.bytesOfRows(rows));
  }
  return plan;
}
