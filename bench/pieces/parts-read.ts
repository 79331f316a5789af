// How many parts a cache has to read when a large scan comes between what is asked for again and again: two queues
// (src/parts/two-queues.ts), beside a cache that drops what was used longest ago. The same questions, so there is no spread.

import {TwoQueues} from '../../src/parts/two-queues.js';
import {Random} from '../../tools/random.js';

export interface PartsRead {
  readonly questions: number;
  readonly twoQueues: number;
  readonly leastRecentlyUsed: number;
}

const partsMax = 100;
/** Dashboards ask about these again and again, while somebody goes through all of a store of so many. */
const popularParts = 60;
const storedParts = 20_000;
const seed = 3;

export function partsRead(): PartsRead {
  const asked = questions();
  return {
    questions: asked.length,
    twoQueues: readsOf(asked, new TwoQueues<true>(partsMax)),
    leastRecentlyUsed: readsOf(asked, new LeastRecentlyUsed()),
  };
}

/** In turn. */
function questions(): number[] {
  const random = new Random(seed);
  const asked: number[] = [];
  for (let part = popularParts; part < storedParts; part++) asked.push(part, Math.floor(random.next() * popularParts));
  return asked;
}

interface Cache {
  get(key: string): true | undefined;
  add(key: string, value: true, bytes: number): void;
}

function readsOf(asked: readonly number[], cache: Cache): number {
  let reads = 0;
  for (const part of asked) {
    if (cache.get(String(part)) !== undefined) continue;
    reads += 1;
    cache.add(String(part), true, 1);
  }
  return reads;
}

class LeastRecentlyUsed implements Cache {
  private readonly held = new Map<string, true>();

  get(key: string): true | undefined {
    if (!this.held.delete(key)) return undefined;
    this.held.set(key, true);
    return true;
  }

  add(key: string, value: true): void {
    this.held.set(key, value);
    if (this.held.size > partsMax) this.held.delete(this.held.keys().next().value!);
  }
}
