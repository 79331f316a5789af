// Encoded manifests, indexes and the blocks of their chunk directory, and what reads them (src/parts/stored-state.ts).

import {describe, expect, test} from 'vitest';
import {
  chunkBlockEntries,
  type DeletionRecord,
  encodeChunkBlock,
  encodeIndex,
  encodeManifest,
  type Manifest,
  manifestFormat,
  type PartRef,
  partsOf,
  type SnapshotIndex,
  type StoredIndex,
  storedIndex,
  wholeIndex,
} from '../../actors/manifest.js';
import {DamagedState} from '../../src/parts/damage.js';
import {DamagedPart} from '../../src/parts/stored-parts.js';
import {readChunks, readDeletions, readIndex, readManifest} from '../../src/parts/stored-state.js';
import {Random} from '../../tools/random.js';
import {emptyValues} from '../support/snapshot.js';

const deletion: DeletionRecord = {
  id: 'd',
  userHash: 'aß',
  position: {generation: 1, sequence: 1},
  deviceHashes: [],
  eventsDeleted: 0,
  completed: null,
  expiresLogicalMs: 1,
};

/** Parts of `keys`; each is of one or more values. */
function indexOf(random: Random, keys: readonly string[]): SnapshotIndex {
  const parts = keys.map((key): PartRef => {
    const values = random.between(1, 3);
    const revisions = Array.from({length: values}, () => random.between(1, 1e9));
    return {key, revisions, bytes: random.between(0, 1e6), valueBytes: 524_288, crcs: revisions.map((r) => r * 3)};
  });
  const some = (share: number): PartRef[] => parts.splice(0, Math.ceil(parts.length * share));
  const runs = () => [{bytes: 1, blocks: some(0.2).map((part, first) => ({first, last: first, part}))}];
  const named = (share: number) => some(share).map((part, block) => ({block, part}));
  const records = named(0.1);
  const stored: StoredIndex = {
    values: {
      ...emptyValues,
      producers: [['producer', 1, 0]],
      deletions: {...emptyValues.deletions, pending: [deletion]},
      changes: {
        dropped: null,
        parts: records.map(({block}) => ({block, count: 1, note: {position: deletion.position, expiresLogicalMs: 1}})),
      },
      'of another actor': {anything: [1]},
    },
    parts: {
      'users.keys': named(0.1),
      'aggregator.names': named(0.1),
      links: named(0.1),
      'moves.leftOut': named(0.01),
      'dedupe.ids': named(0.2),
      'deletions.completed': named(0.1),
      'changes.records': records,
    },
    windowRuns: runs(),
    userRuns: runs(),
    chunkBlocks: [],
    lastChunks: Array.from({length: Math.floor(parts.length / 3)}, (_, chunk) => ({
      ...{chunk, baseOrdinal: chunk, count: 1, live: 1, leftOut: 0, minTimeMs: 1, maxTimeMs: 1, names: null},
      ...{middleTimeMs: 1, keptFromMs: 0},
      rows: parts[3 * chunk],
      properties: parts[3 * chunk + 1],
      bodies: parts[3 * chunk + 2],
    })),
    nextOrdinal: 1,
    nextChunk: 1,
  };
  return wholeIndex(stored, []);
}

const ref: PartRef = {key: 'p0.1.1', revisions: [1], bytes: 1, valueBytes: 1, crcs: [1]};

test('an index is read back whole from its own bytes and those of the blocks of its chunk directory', () => {
  const random = new Random(1);
  const keys = Array.from({length: 8_000}, (_, i) => `p0.${i % 7}.${i}`);
  const index = {...indexOf(random, keys), chunkBlocks: indexOf(random, ['p0.1.b0', 'p0.1.b1']).users.blocks};
  const {chunks} = index;
  expect(chunks.length).toBeGreaterThan(2 * chunkBlockEntries);
  const blockOf = (block: number) => chunks.slice(block * chunkBlockEntries, (block + 1) * chunkBlockEntries);
  const whole = {...index, chunkBlocks: [index.chunkBlocks[0]!, index.chunkBlocks[0]!]};
  const stored = readIndex(encodeIndex(storedIndex(whole)), ref);
  expect(stored.lastChunks).toHaveLength(chunks.length - 2 * chunkBlockEntries);
  const blocks = [0, 1].map((block) => readChunks(encodeChunkBlock(blockOf(block)), ref));
  expect(wholeIndex(stored, blocks)).toEqual(whole);
});

test('every part of an index is named once', () => {
  const keys = Array.from({length: 300}, (_, i) => `p0.${i % 7}.${i}`);
  const named = [...partsOf(indexOf(new Random(2), keys))].map(({key}) => key);
  expect(new Set(named).size).toBe(named.length);
  expect(keys.length - named.length).toBeLessThan(3); // A chunk has three of them.
});

describe('what is whole and of another shape is damaged', () => {
  const index = storedIndex(indexOf(new Random(3), ['p0.1.1', 'p0.1.2']));
  const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
  const {nextChunk: _, ...lacking} = index;
  const withPending = (one: unknown) => ({...index.values, deletions: {...emptyValues.deletions, pending: [one]}});

  test.each([
    ['no JSON', Buffer.from('{"users":')],
    ['a list of something else', bytesOf([1])],
    ['a field is missing', bytesOf(lacking)],
    ['a field is unknown', bytesOf({...index, more: 1})],
    ['a number is a text', bytesOf({...index, parts: {links: [{block: 0, part: {...ref, bytes: '1'}}]}})],
    ['a deletion has no id', bytesOf({...index, values: withPending({...deletion, id: undefined})})],
    ['an actor has no state', bytesOf({...index, values: {...index.values, users: undefined}})],
  ])('%s', (_what, bytes) => {
    expect(() => readIndex(bytes, ref)).toThrow(DamagedPart);
    expect(() => readDeletions(bytes, ref)).toThrow(DamagedPart);
  });

  test('a manifest, too; one of another format is named by its program', () => {
    const position = {generation: 1, sequence: 1};
    const manifest: Manifest = {
      ...{format: manifestFormat, writtenBy: 'test', partition: 1, position, mark: 'a 1', epoch: 1, asOfMs: 1},
      ...{index: ref, moves: {left: [0], settled: [0], received: [0]}, previous: null},
    };
    expect(readManifest(encodeManifest(manifest), 1)).toEqual(manifest);
    expect(() => readManifest(bytesOf({...manifest, mark: 1}), 1)).toThrow(/^partition 1: its newest manifest .*mark/s);
    expect(() => readManifest(bytesOf(null), 1)).toThrow(DamagedState);
    const other = {format: manifestFormat + 1, writtenBy: '9.9 (abc)', all: 'else'};
    expect(() => readManifest(bytesOf(other), 1)).toThrow(/written by 9\.9 \(abc\)/);
  });
});
