// What live reads will need, read into their cache by a start, before it says that it is ready: a question that met an
// empty cache would read a hundred chunks one by one (0.1 s and more).
//   W1. The newest chunks first, as far as they fill three quarters of the cache: the rest is room for what is asked.
//   W2. In the order in which the store has them. nats-server loads a storage block of 4 MiB to give one value, which takes
//       it about 2 ms; the neighbours of that value then take a tenth of that.
//   W3. Bounded in time: a start waits for what that brings, not for all of it. What is folded meanwhile is none of this.
//   W4. A part that cannot be read is left to the question that needs it, and fails that one alone.
import type {ChunkEntry, PartRef, Run} from '../../actors/manifest.js';
import {monotonicMs} from '../clock.js';
import {loadAhead} from '../parts/load-ahead.js';
import {DamagedPart, MissingPart, type PartsCache} from '../parts/parts-cache.js';

const cacheShare = 3 / 4;
const loadsAheadMax = 8;

/** Of one partition, as its snapshot has it. */
export interface StoredRows {
  readonly chunks: readonly ChunkEntry[];
  readonly userRuns: readonly Run[];
}

interface Load {
  readonly ref: PartRef;
  readonly load: () => Promise<unknown>;
}

/** Resolves when everything that fits is at hand, when the store fails, or after `msMax`. */
export async function warmUp(cache: PartsCache, stored: readonly StoredRows[], msMax: number): Promise<void> {
  const endMs = monotonicMs() + msMax;
  const loads = loadsOf(cache, stored).sort((a, b) => a.ref.revisions[0] - b.ref.revisions[0]); // W2
  try {
    for await (const _ of loadAhead(loads, ({load}) => load().catch(leave), loadsAheadMax)) {
      if (monotonicMs() > endMs) return; // W3
    }
  } catch {
    // The store does not answer: so it will tell whoever asks.
  }
}

/** W1 */
function loadsOf(cache: PartsCache, stored: readonly StoredRows[]): Load[] {
  const loads: Load[] = [];
  let left = cache.bytesMax * cacheShare;
  const take = (ref: PartRef, load: () => Promise<unknown>) => {
    left -= ref.bytes;
    if (left >= 0) loads.push({ref, load});
  };
  for (const {part} of stored.flatMap(({userRuns}) => userRuns).flatMap(({blocks}) => blocks)) {
    take(part, () => cache.load(part));
  }
  const newestFirst = stored.flatMap(({chunks}) => chunks).sort((a, b) => b.maxTimeMs - a.maxTimeMs);
  for (const {rows, bodies} of newestFirst) {
    if (left <= 0) break;
    take(rows, () => cache.loadRows(rows));
    take(bodies, () => cache.loadBodies(bodies));
  }
  return loads;
}

/** W4 */
function leave(error: unknown): void {
  if (!(error instanceof MissingPart) && !(error instanceof DamagedPart)) throw error;
}
