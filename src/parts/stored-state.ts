// The JSON of snapshots: manifests, indexes, blocks of the chunk directory, deletions, changes.
//   ST1. What has another shape than this program writes is damaged, however whole its bytes are. It is read by nobody.
import * as z from 'zod/mini';
import type {ChangesRecord, Fact} from '../../actors/changes.js';
import {
  type ChunkEntry,
  type DeletionRecord,
  type Manifest,
  manifestFormat,
  type PartRef,
  type StoredIndex,
  UnknownFormat,
} from '../../actors/manifest.js';
import {jsonOrUndefined} from '../json.js';
import {DamagedState} from './damage.js';
import {DamagedPart} from './stored-parts.js';

const {array, boolean, exactOptional, literal, nullable, number, strictObject, string, tuple, union} = z;

const numbers = array(number());
const part = strictObject({key: string(), revisions: numbers, bytes: number(), valueBytes: number(), crcs: numbers});
const partsOrNone = array(part);
const table = strictObject({count: number(), blocks: partsOrNone});
const position = strictObject({generation: number(), sequence: number()});
const moveCounts = strictObject({left: numbers, settled: numbers, received: numbers});
const runs = array(
  strictObject({blocks: array(strictObject({first: number(), last: number(), part})), bytes: number()}),
);
const fingerprints = array(strictObject({logicalDay: number(), part, count: number()}));

const chunks = array(
  strictObject({
    chunk: number(),
    baseOrdinal: number(),
    count: number(),
    live: number(),
    minTimeMs: number(),
    maxTimeMs: number(),
    leftOut: number(),
    names: nullable(numbers),
    rows: part,
    properties: part,
    bodies: part,
  }),
) satisfies z.ZodMiniType<readonly ChunkEntry[]>;

const deletions = array(
  strictObject({
    id: string(),
    userHash: string(),
    isOfName: exactOptional(literal(true)),
    deviceHashes: array(string()),
    position,
    receivedMs: exactOptional(number()),
    eventsDeleted: number(),
    onward: exactOptional(strictObject({key: string(), partitions: numbers})),
    stepsLeft: exactOptional(number()),
    completed: nullable(strictObject({timeMs: number(), verified: array(string())})),
    expiresLogicalMs: number(),
  }),
) satisfies z.ZodMiniType<readonly DeletionRecord[]>;

const moves = array(
  strictObject({
    to: number(),
    n: number(),
    users: numbers,
    contents: nullable(
      strictObject({
        cells: array(tuple([number(), number(), number()])),
        chunks: array(tuple([number(), number()])),
      }),
    ),
  }),
);

const index = strictObject({
  users: table,
  names: table,
  nameCounts: nullable(part),
  chunkBlocks: partsOrNone,
  lastChunks: chunks,
  windowRuns: runs,
  userRuns: runs,
  erasedUsers: numbers,
  dedupe: fingerprints,
  dedupeCount: number(),
  dedupeHeldFromDay: nullable(number()),
  erasedIds: fingerprints,
  deletions,
  lateLinks: exactOptional(array(strictObject({userId: string(), anonymousId: string()}))),
  completedDeletions: array(strictObject({part, count: number(), expiresLogicalMs: number()})),
  deletionsToTell: array(string()),
  completed: array(strictObject({funnel: string(), hasBegun: boolean(), users: nullable(part)})),
  changes: array(strictObject({part, count: number(), position, expiresLogicalMs: number()})),
  changesDropped: nullable(position),
  erasedInLogSequence: number(),
  producers: array(tuple([string(), number(), number()])),
  devices: table,
  owners: table,
  links: partsOrNone,
  candidates: numbers,
  moves,
  moveCounts,
  arriving: array(strictObject({from: number(), n: number(), messages: partsOrNone})),
  leftOut: nullable(part),
  nextOrdinal: number(),
  nextChunk: number(),
  logicalMs: number(),
  lastTickMs: number(),
}) satisfies z.ZodMiniType<StoredIndex>;

const fact = union([
  strictObject({
    kind: literal('joined'),
    anonymousHash: string(),
    userHash: string(),
    user: number(),
    from: string(),
    through: string(),
  }),
  strictObject({kind: literal('erased'), userHash: string()}),
  strictObject({kind: literal('erased'), userHash: string(), from: string(), through: string()}),
  strictObject({kind: literal('erased'), eventHash: string(), through: string()}),
  strictObject({kind: literal('removed'), event: string()}),
]) satisfies z.ZodMiniType<Fact>;

const changes = array(
  strictObject({
    generation: number(),
    sequence: number(),
    expiresLogicalMs: number(),
    facts: array(fact),
    identified: numbers,
  }),
) satisfies z.ZodMiniType<readonly ChangesRecord[]>;

const anyFormat = z.object({format: number(), writtenBy: exactOptional(string())});
const manifestForm = strictObject({
  format: literal(manifestFormat),
  writtenBy: string(),
  partition: number(),
  position,
  mark: string(),
  epoch: number(),
  asOfMs: number(),
  index: part,
  moves: moveCounts,
  generations: exactOptional(array(strictObject({generation: number(), ordinal: number(), users: number()}))),
  previous: nullable(strictObject({position, mark: string(), asOfMs: number(), index: part})),
}) satisfies z.ZodMiniType<Manifest>;

const decoder = new TextDecoder();
const jsonIn = (bytes: Uint8Array): unknown => jsonOrUndefined(decoder.decode(bytes));

/** @throws UnknownFormat, DamagedState */
export function readManifest(bytes: Uint8Array, partition: number): Manifest {
  const json = jsonIn(bytes);
  const {data: written} = anyFormat.safeParse(json);
  if (written !== undefined && written.format !== manifestFormat) throw new UnknownFormat(written);
  const {data, error} = manifestForm.safeParse(json);
  if (error === undefined) return data;
  throw new DamagedState(partition, `its newest manifest (${z.prettifyError(error)})`);
}

/** Reads the payload of a part. @throws DamagedPart ST1 */
const reader =
  <T>(form: z.ZodMiniType<T>) =>
  (bytes: Uint8Array, ref: PartRef): T => {
    const {data, error} = form.safeParse(jsonIn(bytes));
    if (error === undefined) return data;
    throw new DamagedPart(ref, z.prettifyError(error));
  };

export const readIndex = reader<StoredIndex>(index);
export const readChunks = reader<readonly ChunkEntry[]>(chunks);
export const readDeletions = reader<readonly DeletionRecord[]>(deletions);
export const readChanges = reader<readonly ChangesRecord[]>(changes);
