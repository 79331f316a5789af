// What live reads will need, read into their cache by a start, before it says that it is ready: a question that met an
// empty cache would read a hundred chunks one by one (0.1 s and more). User records and the newest chunks, as far as they
// fit (src/parts/warm-up.ts).
//   Bounded in time: a start waits for what that brings, not for all of it. What is folded meanwhile is none of this.
import type {ChunkEntry, Run} from '../../actors/manifest.js';
import {monotonicMs} from '../clock.js';
import type {PartsCache} from '../parts/parts-cache.js';
import {WarmUp} from '../parts/warm-up.js';

const loadsAheadMax = 8;
/** The rest is for what else the first pages and the fold ask for. Nothing is derived of what is read here. */
const cacheShare = 15 / 16;

/** Of one partition, as its snapshot has it. */
export interface StoredRows {
  readonly chunks: readonly ChunkEntry[];
  readonly userRuns: readonly Run[];
}

/** Resolves when everything that fits is at hand, when the store fails, or after `msMax`. */
export async function warmUp(cache: PartsCache, stored: readonly StoredRows[], msMax: number): Promise<void> {
  const endMs = monotonicMs() + msMax;
  try {
    for await (const _ of planned(cache, stored).run(loadsAheadMax)) {
      if (monotonicMs() > endMs) return;
    }
  } catch {
    // The store does not answer: so it will tell whoever asks.
  }
}

function planned(cache: PartsCache, stored: readonly StoredRows[]): WarmUp {
  const plan = new WarmUp(cache, cacheShare);
  for (const {part} of stored.flatMap(({userRuns}) => userRuns).flatMap(({blocks}) => blocks)) {
    plan.take(part, () => cache.load(part));
  }
  const newestFirst = stored.flatMap(({chunks}) => chunks).sort((a, b) => b.maxTimeMs - a.maxTimeMs);
  for (const {rows, bodies} of newestFirst) {
    if (plan.isFull) break;
    plan.take(rows, () => cache.loadRows(rows));
    plan.take(bodies, () => cache.loadBodies(bodies));
  }
  return plan;
}
