// Reads the parts that reports need into the cache: hourly counts, daily sets, rows of the newest chunks and their properties, as
// far as they fit (src/parts/warm-up.ts). Otherwise the first funnel over ten million events takes 1.6 s, nearly all of it reading.
//   It yields to reports, takes at most half of the thread's time, and reads no more than is free when it begins.
import {setTimeout as pause} from 'node:timers/promises';
import type {PartRef} from '../../actors/manifest.js';
import {monotonicMs} from '../clock.js';
import type {PartsCache} from '../parts/parts-cache.js';
import {WarmUp} from '../parts/warm-up.js';
import {loadNarrowColumns, narrowBytesOf} from './narrow-columns.js';
import type {PartitionSnapshot} from './published/newest-snapshots.js';

const loadsAheadMax = 4;
/** Share of the free room; the rest is for values that reports derive from the parts. */
const readAheadShare = 3 / 4;
/** Time of loading before an equally long pause. */
const stretchMsMax = 20;

/** Resolves when everything that fits is cached. Throws when the store fails. */
export async function warmUp(
  cache: PartsCache,
  snapshots: readonly PartitionSnapshot[],
  whenIdle: () => Promise<unknown>,
): Promise<void> {
  const plan = planned(cache, snapshots);
  let startMs = monotonicMs();
  for await (const _ of plan.run(loadsAheadMax)) {
    const tookMs = monotonicMs() - startMs;
    if (tookMs < stretchMsMax) continue;
    await pause(tookMs, undefined, {ref: false});
    await whenIdle();
    startMs = monotonicMs();
  }
}

function planned(cache: PartsCache, snapshots: readonly PartitionSnapshot[]): WarmUp {
  const {bytesMax, bytesHeld} = cache.memory;
  const plan = new WarmUp((bytesMax - bytesHeld) * readAheadShare);
  const take = (part: PartRef): void => {
    if (cache.memory.peek(part.key) === undefined) plan.take(part, () => cache.load(part));
  };
  const blocks = snapshots.flatMap(({index}) => index.windowRuns).flatMap((run) => run.blocks);
  for (const {part} of blocks) take(part);
  const chunks = snapshots.flatMap(({index}) => index.chunks).filter(({live}) => live > 0);
  const newestFirst = chunks.sort((a, b) => b.maxTimeMs - a.maxTimeMs);
  // Every report over chunks reads their rows, and some read properties as well.
  for (const {rows} of newestFirst) {
    if (plan.isFull) return plan;
    take(rows);
  }
  for (const {properties} of newestFirst) {
    if (plan.isFull) return plan;
    if (cache.columnBytes(properties) === undefined)
      plan.take(properties, () => loadNarrowColumns(cache, properties), narrowBytesOf(properties));
  }
  return plan;
}
