// Encoded indexes: what is read out of one without decoding it is what decoding it says.
import {expect, test} from 'vitest';
import {
  decodeIndex,
  encodeIndex,
  type PartRef,
  partsBeside,
  partsOf,
  type SnapshotIndex,
} from '../../actors/manifest.js';
import {Random} from '../../tools/random.js';

/** Parts of `keys`; each is of one or more values. */
function indexOf(random: Random, keys: readonly string[]): SnapshotIndex {
  const parts = keys.map((key): PartRef => {
    const values = random.between(1, 3);
    const revisions = Array.from({length: values}, () => random.between(1, 1e9));
    return {key, revisions, bytes: random.between(0, 1e6), valueBytes: 524_288, crcs: revisions.map((r) => r * 3)};
  });
  const some = (share: number): PartRef[] => parts.splice(0, Math.ceil(parts.length * share));
  const runs = () => [{bytes: 1, blocks: some(0.2).map((part, first) => ({first, last: first, part}))}];
  return {
    users: {count: 1, blocks: some(0.1)},
    names: {count: 1, blocks: some(0.1)},
    nameCounts: parts.pop() ?? null,
    windowRuns: runs(),
    userRuns: runs(),
    dedupe: some(0.2).map((part, logicalDay) => ({logicalDay, part, count: 1})),
    dedupeCount: 1,
    dedupeHeldFromDay: null,
    erasedIds: some(0.1).map((part, logicalDay) => ({logicalDay, part, count: 1})),
    completedDeletions: some(0.1).map((part) => ({part, count: 1, expiresLogicalMs: 1})),
    chunks: Array.from({length: parts.length >> 1}, (_, chunk) => ({
      ...{chunk, baseOrdinal: chunk, count: 1, live: 1, minTimeMs: 1, maxTimeMs: 1, names: null},
      rows: parts[2 * chunk],
      bodies: parts[2 * chunk + 1],
    })),
    // Text within strings is no part, whatever it looks like.
    producers: [['{"key":"not a part"}', 1, 0]],
    deletions: [
      {
        id: 'd{"key":"',
        userHash: 'aß',
        position: {generation: 1, sequence: 1},
        eventsDeleted: 0,
        completed: null,
        expiresLogicalMs: 1,
      },
    ],
    ...{erasedUsers: [], erasedInLogSequence: 0, nextOrdinal: 1, nextChunk: 1, logicalMs: 1, lastTickMs: 1},
  };
}

test.each([0, 1, 2, 3, 4, 5])('parts of the older index beside the newer one (seed %i)', (seed) => {
  const random = new Random(seed);
  const keys = Array.from({length: random.between(0, 300)}, (_, i) => `p0.${i % 7}.${i}`);
  const older = indexOf(random, keys);
  const known = new Set(keys.filter(() => random.chance(0.9)));
  const encoded = encodeIndex(older);
  const parts = [...partsOf(decodeIndex(encoded))];
  const {keys: found, others} = partsBeside(encoded, known);
  expect([...found].sort()).toEqual(parts.map(({key}) => key).sort());
  const byKey = (a: PartRef, b: PartRef): number => (a.key < b.key ? -1 : 1);
  expect([...others].sort(byKey)).toEqual(parts.filter(({key}) => !known.has(key)).sort(byKey));
});
