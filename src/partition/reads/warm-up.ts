// What live reads will need, read into their cache by a start, before it says that it is ready: a question that met an
// empty cache would read a hundred chunks one by one (0.1 s and more). User records and the newest chunks, as far as they
// fit (src/parts/warm-up.ts).
//   A start waits for it for a bounded time; what did not come by then is read behind it, part by part. What is folded
//   meanwhile is none of this.
import {throwBroken} from '../../../actors/invariant.js';
import type {ChunkEntry, PartRef, Run} from '../../../actors/manifest.js';
import {monotonicMs} from '../../clock.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import {WarmUp} from '../../parts/warm-up.js';

const loadsAheadMax = 8;
/** Of its own room; the rest is for what else the first pages and the fold ask for. Nothing is derived of what is read here. */
const ownShare = 15 / 16;

/** Of one partition, as its snapshot has it. */
export interface StoredRows {
  readonly chunks: readonly ChunkEntry[];
  readonly userRuns: readonly Run[];
  /** Whether it still has this part: what was replaced meanwhile, as for a deletion, is not read back. */
  readsFrom(part: PartRef): boolean;
}

/**
 * Reads what fits into the cache, and so many bytes that it will have beside its own room. Resolves when it is at hand, when
 * the store fails, or after `msMax`; then the rest is read one part at a time.
 */
export async function warmUp(
  cache: PartsCache,
  stored: readonly StoredRows[],
  borrowedBytes: number,
  msMax: number,
): Promise<void> {
  const plan = planned(cache, stored, Math.floor(cache.memory.roomBytes * ownShare) + borrowedBytes);
  if ((await read(plan, loadsAheadMax, monotonicMs() + msMax)) === 'late') void read(plan, 1, Infinity);
}

async function read(plan: WarmUp, aheadMax: number, endMs: number): Promise<'read' | 'late' | 'failed'> {
  try {
    for await (const _ of plan.run(aheadMax)) if (monotonicMs() > endMs) return 'late';
    return 'read';
  } catch (error) {
    throwBroken(error);
    return 'failed'; // The store does not answer: questions that need it say so.
  }
}

function planned(cache: PartsCache, stored: readonly StoredRows[], bytesMax: number): WarmUp {
  const plan = new WarmUp(bytesMax);
  const take = (rows: StoredRows, part: PartRef, load: () => Promise<unknown>): void =>
    plan.take(part, async () => {
      if (!rows.readsFrom(part)) return;
      await load();
      if (!rows.readsFrom(part)) cache.forget(part);
    });
  for (const of of stored) {
    for (const {part} of of.userRuns.flatMap(({blocks}) => blocks)) take(of, part, () => cache.load(part));
  }
  const chunks = stored.flatMap((of) => of.chunks.map((chunk) => ({of, chunk})));
  for (const {of, chunk} of chunks.sort((a, b) => b.chunk.maxTimeMs - a.chunk.maxTimeMs)) {
    if (plan.isFull) break;
    take(of, chunk.rows, () => cache.load(chunk.rows));
    take(of, chunk.properties, () => cache.load(chunk.properties));
    take(of, chunk.bodies, () => cache.loadBodies(chunk.bodies));
  }
  return plan;
}
