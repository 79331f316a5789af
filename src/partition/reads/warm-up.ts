// Reads ahead the parts that live reads need, before a start is ready: with an empty cache a question would read a hundred
// chunks one by one (0.1 s and more). User records and the newest chunks, as far as they fit (src/parts/warm-up.ts).
//   A start waits for a bounded time; the rest is read afterwards, part by part. Folding continues meanwhile.
import {throwBroken} from '../../../actors/invariant.js';
import type {ChunkEntry, PartRef, Run} from '../../../actors/manifest.js';
import {monotonicMs} from '../../clock.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import {WarmUp} from '../../parts/warm-up.js';

const loadsAheadMax = 8;
/** Share of the cache; the rest is for other parts that the first pages and the fold need. */
const readAheadShare = 15 / 16;

/** The chunks and records of one partition, as its snapshot has them. */
export interface StoredRows {
  readonly chunks: readonly ChunkEntry[];
  readonly userRuns: readonly Run[];
  /** Whether the state still names this part: a replaced one, as after a deletion, is not read. */
  readsFrom(part: PartRef): boolean;
}

/**
 * Fills the cache. Resolves when everything is cached, when the store fails, or after `msMax`; then the rest is read one part at a
 * time.
 */
export async function warmUp(cache: PartsCache, stored: readonly StoredRows[], msMax: number): Promise<void> {
  const plan = planned(cache, stored, Math.floor(cache.memory.bytesMax * readAheadShare));
  if ((await read(plan, loadsAheadMax, monotonicMs() + msMax)) === 'late') void read(plan, 1, Infinity);
}

async function read(plan: WarmUp, aheadMax: number, endMs: number): Promise<'read' | 'late' | 'failed'> {
  try {
    for await (const _ of plan.run(aheadMax)) if (monotonicMs() > endMs) return 'late';
    return 'read';
  } catch (error) {
    throwBroken(error);
    return 'failed'; // The store does not answer: questions that need it report that.
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
