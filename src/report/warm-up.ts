// Reads the parts that the first reports need into the cache after a start: hourly counts, daily sets, rows of the newest
// chunks and their properties, as far as they fit (src/parts/warm-up.ts). Rows and properties that a folding thread has cached
// are copied from it (src/parts/peer-rows.ts). Otherwise the first funnel over ten million events takes 1.6 s, nearly all of
// it reading.
//   It yields to reports, takes at most half of the thread's time, and uses free room alone.
import {setTimeout as pause} from 'node:timers/promises';
import type {ChunkEntry, RunBlock} from '../../actors/manifest.js';
import {monotonicMs} from '../clock.js';
import type {PartsCache} from '../parts/parts-cache.js';
import type {CachedRows} from '../parts/peer-rows.js';
import {WarmUp} from '../parts/warm-up.js';
import {readAheadBytesOf} from './memory-shares.js';
import {narrowBytesOf, readColumnsIfRoom} from './narrow-columns.js';
import type {PartitionSnapshot} from './published/newest-snapshots.js';

/** Number of concurrent loads, and ms of loading before an equally long pause. */
interface Pace {
  readonly aheadMax: number;
  readonly stretchMsMax: number;
}

const ofStore: Pace = {aheadMax: 4, stretchMsMax: 20};
/** A copy takes the folding thread a millisecond, so its questions wait for at most one copy. */
const ofThreads: Pace = {aheadMax: 1, stretchMsMax: 0};

/** Resolves when everything that fits is cached. `rowsAtHand`: copies from folding threads. Throws when the store fails. */
export async function warmUp(
  cache: PartsCache,
  snapshots: readonly PartitionSnapshot[],
  whenIdle: () => Promise<unknown>,
  rowsAtHand?: CachedRows,
): Promise<void> {
  const blocks = snapshots.flatMap(({index}) => index.windowRuns).flatMap((run) => run.blocks);
  const chunks = snapshots.flatMap(chunksOf).filter(({chunk}) => chunk.live > 0);
  const newestFirst = [...chunks].sort((a, b) => b.chunk.maxTimeMs - a.chunk.maxTimeMs);
  const pace = rowsAtHand === undefined ? ofStore : ofThreads;
  await run(planned(cache, blocks, newestFirst, rowsAtHand), pace, whenIdle);
}

interface OwnedChunk {
  readonly partition: number;
  readonly chunk: ChunkEntry;
}

const chunksOf = ({manifest: {partition}, index}: PartitionSnapshot): OwnedChunk[] =>
  index.chunks.map((chunk) => ({partition, chunk}));

async function run(plan: WarmUp, {aheadMax, stretchMsMax}: Pace, whenIdle: () => Promise<unknown>): Promise<void> {
  let startMs = monotonicMs();
  for await (const _ of plan.run(aheadMax)) {
    const tookMs = monotonicMs() - startMs;
    if (tookMs < stretchMsMax) continue;
    await pause(tookMs, undefined, {ref: false});
    await whenIdle();
    startMs = monotonicMs();
  }
}

function planned(
  cache: PartsCache,
  blocks: readonly RunBlock[],
  chunks: readonly OwnedChunk[],
  rowsAtHand: CachedRows | undefined,
): WarmUp {
  const plan = new WarmUp(readAheadBytesOf(cache.memory.bytesMax));
  for (const {part} of blocks) plan.take(part, () => cache.readIfRoom(part));
  // Every report over chunks reads their rows, and some read properties as well.
  for (const {partition, chunk} of chunks) {
    if (plan.isFull) return plan;
    const {rows} = chunk;
    plan.take(rows, () => cache.readIfRoom(rows, async () => rowsAtHand?.copy(partition, rows)));
  }
  for (const {partition, chunk} of chunks) {
    if (plan.isFull) return plan;
    const {properties} = chunk;
    const copy = async () => rowsAtHand?.copy(partition, properties);
    plan.take(properties, () => readColumnsIfRoom(cache, properties, copy), narrowBytesOf(properties));
  }
  return plan;
}
