// The JSON of snapshots: manifests, indexes with the small state of actors, blocks of the chunk directory, deletions, changes.
//   ST1. What has another shape than this program writes is damaged, however whole its bytes are. It is read by nobody.
import {
  array,
  boolean,
  exactOptional,
  literal,
  looseObject,
  nullable,
  number,
  object,
  prettifyError,
  record,
  strictObject,
  string,
  tuple,
  union,
  type ZodMiniType,
} from 'zod/mini';
import type {Payload} from '../../actors/actor.js';
import type {AggregatorState} from '../../actors/aggregator/aggregator.js';
import type {ChangesRecord, ChangesState, Fact} from '../../actors/changes.js';
import type {DedupeState} from '../../actors/dedupe/dedupe.js';
import type {DeletionsState} from '../../actors/deletions.js';
import type {CompletionsState} from '../../actors/funnels/completions.js';
import type {IdentityState} from '../../actors/identity/identity.js';
import type {MovesState} from '../../actors/identity/moves.js';
import type {LogicalTimeState} from '../../actors/log/logical-time.js';
import type {ProducersState} from '../../actors/log/producers.js';
import {
  type ChunkEntry,
  type DeletionRecord,
  isClaim,
  type Manifest,
  manifestFormat,
  type PartRef,
  type StoredIndex,
  UnknownFormat,
} from '../../actors/manifest.js';
import type {RetentionState} from '../../actors/retention.js';
import type {UsersState} from '../../actors/user/user-actors.js';
import {jsonOrUndefined} from '../json.js';
import {DamagedState} from './damage.js';
import {DamagedPart} from './stored-parts.js';

const numbers = array(number());
const part = strictObject({key: string(), revisions: numbers, bytes: number(), valueBytes: number(), crcs: numbers});
const partsOrNone = array(part);
const position = strictObject({generation: number(), sequence: number()});
const moveCounts = strictObject({left: numbers, settled: numbers, received: numbers});
const runs = array(
  strictObject({blocks: array(strictObject({first: number(), last: number(), part})), bytes: number()}),
);
const tableSize = strictObject({count: number(), keyBytes: number()});
/** Blocks of a journal (actors/journal.ts). */
const blocksWith = <T>(note: ZodMiniType<T>) => array(strictObject({block: number(), count: number(), note}));

const chunks = array(
  strictObject({
    chunk: number(),
    baseOrdinal: number(),
    count: number(),
    live: number(),
    minTimeMs: number(),
    maxTimeMs: number(),
    middleTimeMs: number(),
    keptFromMs: number(),
    leftOut: number(),
    names: nullable(numbers),
    rows: part,
    properties: part,
    bodies: part,
  }),
) satisfies ZodMiniType<readonly ChunkEntry[]>;

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
) satisfies ZodMiniType<readonly DeletionRecord[]>;

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

/** Small state by actor; one that is not here checks its own. */
const values = looseObject({
  time: strictObject({logicalMs: number(), lastTickMs: number(), epoch: number()}),
  producers: array(tuple([string(), number(), number()])),
  dedupe: strictObject({
    forgotten: number(),
    heldFromDay: nullable(number()),
    messageIds: blocksWith(number()),
    erasedIds: blocksWith(number()),
  }),
  deletions: strictObject({
    pending: deletions,
    toTell: array(string()),
    erasedInLogSequence: number(),
    parts: blocksWith(number()),
  }),
  retention: strictObject({days: number(), fromDay: number(), raisedOnDay: number(), isCatchingUp: boolean()}),
  completions: array(tuple([string(), boolean()])),
  changes: strictObject({
    dropped: nullable(position),
    parts: blocksWith(strictObject({position, expiresLogicalMs: number()})),
  }),
  identity: array(strictObject({userId: string(), anonymousId: string()})),
  moves: strictObject({
    counts: moveCounts,
    pending: moves,
    candidates: numbers,
    arriving: array(tuple([number(), number()])),
  }),
  users: strictObject({keys: tableSize, erased: numbers}),
  aggregator: strictObject({names: tableSize}),
}) satisfies ZodMiniType<{
  time: LogicalTimeState;
  producers: ProducersState;
  dedupe: DedupeState;
  deletions: DeletionsState;
  retention: RetentionState;
  completions: CompletionsState;
  changes: ChangesState;
  identity: IdentityState;
  moves: MovesState;
  users: UsersState;
  aggregator: AggregatorState;
}>;

const index = strictObject({
  values,
  parts: record(string(), array(strictObject({block: number(), part}))),
  chunkBlocks: partsOrNone,
  lastChunks: chunks,
  windowRuns: runs,
  userRuns: runs,
  nextOrdinal: number(),
  nextChunk: number(),
}) satisfies ZodMiniType<StoredIndex>;

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
]) satisfies ZodMiniType<Fact>;

const changes = array(
  strictObject({
    generation: number(),
    sequence: number(),
    expiresLogicalMs: number(),
    facts: array(fact),
    identified: numbers,
  }),
) satisfies ZodMiniType<readonly ChangesRecord[]>;

const anyFormat = object({format: number(), writtenBy: exactOptional(string())});
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
}) satisfies ZodMiniType<Manifest>;

const decoder = new TextDecoder();
const jsonIn = (bytes: Uint8Array): unknown => jsonOrUndefined(decoder.decode(bytes));

/** @throws UnknownFormat, DamagedState */
export function readManifest(bytes: Uint8Array, partition: number): Manifest {
  const json = jsonIn(bytes);
  const {data: written} = anyFormat.safeParse(json);
  if (written !== undefined && written.format !== manifestFormat) throw new UnknownFormat(written);
  const {data, error} = manifestForm.safeParse(json);
  if (error === undefined) return data;
  throw new DamagedState(partition, `its newest manifest (${prettifyError(error)})`);
}

/** Undefined for a manifest without a snapshot. @throws UnknownFormat, DamagedState */
export function readPublished(bytes: Uint8Array, partition: number): Manifest | undefined {
  const manifest = readManifest(bytes, partition);
  return isClaim(manifest) ? undefined : manifest;
}

/** Reads the payload of a part. @throws DamagedPart ST1 */
const reader =
  <T>(form: ZodMiniType<T>) =>
  (bytes: Uint8Array, ref: PartRef): T => {
    const {data, error} = form.safeParse(jsonIn(bytes));
    if (error === undefined) return data;
    throw new DamagedPart(ref, prettifyError(error));
  };

export const readIndex = reader<StoredIndex>(index);
export const readChunks = reader<readonly ChunkEntry[]>(chunks);
export const readDeletions = reader<readonly DeletionRecord[]>(deletions);
export const readChanges = reader<readonly ChangesRecord[]>(changes);

/** Names whose parts are JSON. */
const jsonParts = new Map<string, (bytes: Uint8Array, ref: PartRef) => unknown>([
  ['deletions.completed', readDeletions],
  ['changes.records', readChanges],
]);

/** The payload of a part of an actor's state, for the actor. @throws DamagedPart ST1 */
export function payloadOf(name: string, bytes: Uint8Array, ref: PartRef): Payload {
  const read = jsonParts.get(name);
  return read === undefined ? bytes : {json: read(bytes, ref)};
}
