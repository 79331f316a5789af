// Pairs of a userId and an anonymousId whose link (actors/identity) the log has acked: further events with both ids need none.
//   Owns: keyed hashes of such pairs. Does not own: the link entries (link-encoder.ts).
//   AL1. A pair is here only after its link was acked. A pair that is not costs a link entry more, which changes nothing.
//   AL2. A link that the partition forgets is forgotten here, too: a deletion calls `forget` on every edge, and a new
//        connection `clear`, because the log that comes back may have lost its tail.
//   AL3. Users come in random order, so the cache line of a pair is mostly in no near cache, and reading it takes longer than the
//        hash. A batch hashes all of its pairs, prefetches their lines, whose reads overlap, and compares then.

import {hashWords} from '../../actors/bytes/hash.js';
import {assert} from '../../actors/invariant.js';
import type {BothIds} from '../../actors/log/entries.js';

/** Number of pairs, 8 bytes each. They are allocated with the first one. */
const ackedPairsMax = 1024 * 1024;
/** Pairs with the same place: 64 bytes, a cache line. The oldest one makes room. */
const pairsPerPlace = 8;
const places = ackedPairsMax / pairsPerPlace;
/** Groups of users: a deletion forgets the pairs of its whole group. */
const userGroups = 16 * 1024;
assert((places & (places - 1)) === 0 && (userGroups & (userGroups - 1)) === 0, 'masks are powers of two less one');

/** A keyed hash of both ids. */
export interface LinkedPair {
  readonly high: number;
  readonly low: number;
}

export class AckedLinks {
  /** Links that were acked. */
  count = 0;
  private readonly seeds: Uint32Array;
  private readonly words = new Uint32Array(3);
  /** Both words of each pair, place by place. 0, 0: free. */
  private pairs: Uint32Array | undefined;
  /** Index per place of the pair that makes room next. */
  private readonly nexts = new Uint8Array(places);
  /** The pair that was hashed last. */
  high = 0;
  low = 1;
  /** Sink for prefetched words: without a use the compiler drops the loads. */
  protected read = 0;
  /** Part of the hash of each pair. AL2 */
  private readonly deletions = new Uint32Array(userGroups);

  /** `seeds`: three random words. */
  constructor(seeds: Uint32Array) {
    assert(seeds.length === 3, 'a seed for each lane of the hash');
    this.seeds = seeds;
  }

  /** The pair of the user key and the anonymousId in `bytes`; undefined when its link is acked. */
  missing(bytes: Uint8Array, ids: Readonly<BothIds>): LinkedPair | undefined {
    this.hash(bytes, ids);
    const {high, low} = this;
    return this.has(high, low) ? undefined : {high, low};
  }

  /** Hashes the user key and the anonymousId in `bytes` to `high` and `low`, which is not 0. */
  hash(bytes: Uint8Array, {keyStart, keyEnd, anonymousIdStart, anonymousIdEnd}: Readonly<BothIds>): void {
    const {words, seeds} = this;
    for (let lane = 0; lane < words.length; lane++) words[lane] = seeds[lane]!; // `set` takes as long as a hash.
    hashWords(bytes, keyStart, keyEnd, words);
    words[0]! += this.deletions[words[2]! & (userGroups - 1)]!;
    hashWords(bytes, anonymousIdStart, anonymousIdEnd, words);
    this.high = words[0]!;
    this.low = words[1]! || 1;
  }

  /** Reads the cache lines of the first `count` pairs, by the `high` of each. AL3 */
  prefetch(highs: Uint32Array, count: number): void {
    const {pairs} = this;
    if (pairs === undefined) return;
    let read = 0;
    for (let at = 0; at < count; at++) read ^= pairs[startOf(highs[at]!)]!;
    this.read = read;
  }

  /** Whether the link of this pair is acked. */
  has(high: number, low: number): boolean {
    const {pairs} = this;
    if (pairs === undefined) return false;
    const start = startOf(high);
    for (let at = start; at < start + 2 * pairsPerPlace; at += 2) {
      if (pairs[at] === high && pairs[at + 1] === low) return true;
    }
    return false;
  }

  /** The log has the link of this pair. AL1 */
  acked({high, low}: LinkedPair): void {
    this.count += 1;
    if (this.has(high, low)) return;
    this.pairs ??= new Uint32Array(2 * ackedPairsMax);
    const place = high & (places - 1);
    const at = startOf(high) + 2 * this.nexts[place]!;
    this.nexts[place] = (this.nexts[place]! + 1) % pairsPerPlace;
    this.pairs[at] = high;
    this.pairs[at + 1] = low;
  }

  /** Forgets the pairs of the user with this key. A link that was not acked before the call will not be found either. AL2 */
  forget(userKey: Uint8Array): void {
    this.words.set(this.seeds);
    hashWords(userKey, 0, userKey.length, this.words);
    this.deletions[this.words[2]! & (userGroups - 1)]! += 1;
  }

  clear(): void {
    this.pairs?.fill(0);
  }
}

/** Start of the pairs of a place. */
const startOf = (high: number): number => 2 * pairsPerPlace * (high & (places - 1));
