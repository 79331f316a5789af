// Merges sorted runs, so that readers merge few. A run is merged with its predecessor once it is at least a quarter of its size
// (user records: half of it). So sizes fall by more than four, or two, from run to run, and a byte is rewritten once a level. A
// block that no newer run reaches into is not rewritten; where events come in order of time, these are nearly all.
//   A run that cannot be read is merged with nothing: it stays, and so do those before it. Folded events still reach snapshots;
//   only answers that need the damaged part are missing.

import {daysOf, mergeDay, WindowsBuilder, windowBlockBytes} from '../../../actors/aggregator/window-deltas.js';
import {encodeWindows, viewWindows, type WindowsView, windowsFrom} from '../../../actors/aggregator/windows.js';
import {must} from '../../../actors/invariant.js';
import {mergeCount, sizeRatio} from '../../../actors/journal.js';
import type {EncodedBlock, PartRef, Run, RunBlock} from '../../../actors/manifest.js';
import {mergeRecords, UserBlockReader, UserBlockWriter, type UserRecord} from '../../../actors/user/user-records.js';
import type {TimeSlicer} from '../../pacing/time-slicer.js';
import {isUnreadable} from '../../parts/damage.js';
import type {PartStore} from './part-store.js';
import {
  aloneAhead,
  blockInMemory,
  blockInStore,
  lowestOf,
  RunCursor,
  type SourceBlock,
  unopenedAt,
} from './run-cursor.js';

/**
 * Ratio for user records. Reports do not read them, and a look-up of one user reads a block of each run. But the runs of
 * millions of users are the largest, and a snapshot touches a third of each: with a quarter nearly every snapshot rewrote all
 * of them.
 */
const userSizeRatio = 2;
/** Least size of a block that splits a merged run, or that is taken over. */
const blockBytesMin = 64 * 1024;
/** Users merged between two pauses: less than 1 ms. */
const usersAtOnce = 256;

/** The parts store, for writing runs. */
type RunParts = Pick<PartStore, 'put' | 'retire'>;

/** Reads blocks without a cache: a merge reads each block once. */
export interface PartLoader {
  load(ref: PartRef): Promise<Uint8Array>;
}

async function encodeAll(blocks: Iterable<EncodedBlock>, slicer: TimeSlicer): Promise<EncodedBlock[]> {
  const encoded: EncodedBlock[] = [];
  for (const block of blocks) {
    encoded.push(block);
    await slicer.pause();
  }
  return encoded;
}

async function putRun(parts: RunParts, blocks: readonly EncodedBlock[], slicer: TimeSlicer): Promise<Run> {
  const put: RunBlock[] = [];
  for (const {first, last, payload} of blocks) {
    put.push({first, last, part: await parts.put(payload)});
    await slicer.pause();
  }
  return {blocks: put, bytes: bytesOf(blocks)};
}

const bytesOf = (blocks: readonly EncodedBlock[]): number => blocks.reduce((sum, {payload}) => sum + payload.length, 0);

/** Appends a run and merges the newest ones; an empty run changes nothing. Erased members leave the day sets. */
export async function appendWindowRun(
  runs: readonly Run[],
  blocks: Iterable<EncodedBlock>,
  parts: RunParts,
  loader: PartLoader,
  erased: ReadonlySet<number>,
  slicer: TimeSlicer,
): Promise<readonly Run[]> {
  return append(runs, blocks, sizeRatio, parts, loader, slicer, (merged, output, isWhole) =>
    mergeWindowRuns(merged, output, erased, isWhole, slicer),
  );
}

export async function appendUserRun(
  runs: readonly Run[],
  blocks: Iterable<EncodedBlock>,
  parts: RunParts,
  loader: PartLoader,
  slicer: TimeSlicer,
): Promise<readonly Run[]> {
  return append(runs, blocks, userSizeRatio, readLive(parts), loader, slicer, (merged, output) =>
    mergeUserRuns(merged, output, slicer),
  );
}

/** A look-up of one user reads a whole block. */
const readLive = (parts: RunParts): RunParts => ({
  put: (payload) => parts.put(payload, 'whole'),
  retire: (...refs) => parts.retire(...refs),
});

type RunSource = readonly SourceBlock[];

/**
 * Merges the appended run out of memory, and stores it only where it stays. A value stored only to be replaced would cost its
 * put, and its erasure rewrites a whole storage block.
 */
async function append(
  runs: readonly Run[],
  blocks: Iterable<EncodedBlock>,
  ratio: number,
  parts: RunParts,
  loader: PartLoader,
  slicer: TimeSlicer,
  merge: (runs: readonly RunSource[], output: Output, isWhole: boolean) => Promise<void>,
): Promise<readonly Run[]> {
  const fresh = await encodeAll(blocks, slicer);
  if (fresh.length === 0) return runs;
  const load = (ref: PartRef): Promise<Uint8Array> => loader.load(ref);
  const sizes = [...runs.map((run) => run.bytes), bytesOf(fresh)];
  for (let count = mergeCount(sizes, ratio); count > 1; count--) {
    const kept = runs.slice(0, 1 - count);
    const older = runs.slice(1 - count).map((run) => run.blocks.map((block) => blockInStore(block, load)));
    const merged = [...older, fresh.map(blockInMemory)];
    const result = await intoOneRun(parts, (output) => merge(merged, output, kept.length === 0));
    if (result !== undefined) return result.blocks.length > 0 ? [...kept, result] : kept;
  }
  return [...runs, await putRun(parts, fresh, slicer)];
}

/** The run that a merge writes. */
class Output {
  readonly blocks: RunBlock[] = [];
  readonly put: PartRef[] = [];
  bytes = 0;
  private readonly parts: RunParts;

  constructor(parts: RunParts) {
    this.parts = parts;
  }

  async add({first, last, payload}: EncodedBlock): Promise<void> {
    const part = await this.parts.put(payload);
    this.put.push(part);
    this.append({first, last, part});
  }

  /** Takes over a block without reading it. RC1 (run-cursor.ts) */
  async takeOver({first, last, part, load}: SourceBlock): Promise<void> {
    if (part === undefined) await this.add({first, last, payload: await load()});
    else this.append({first, last, part});
  }

  private append(block: RunBlock): void {
    this.blocks.push(block);
    this.bytes += block.part.bytes;
  }
}

/** Undefined when a run cannot be read: the parts written until then are retired. */
async function intoOneRun(parts: RunParts, merge: (output: Output) => Promise<void>): Promise<Run | undefined> {
  const output = new Output(parts);
  try {
    await merge(output);
    return {blocks: output.blocks, bytes: output.bytes};
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    parts.retire(...output.put);
    return undefined;
  }
}

/** Whether taking over a block leaves neither it nor the merged data before it too small. */
const isWorthWhile = (block: SourceBlock, mergedBytes: number): boolean =>
  block.bytes >= blockBytesMin && (mergedBytes === 0 || mergedBytes >= blockBytesMin);

/**
 * Whether to close a block that is large enough. Not shortly before the end of the block read last: the rest would become a
 * small block before one that could be taken over, and shift all that follow.
 */
const isEndOfBlock = (cursor: RunCursor): boolean => !cursor.isOpen || cursor.restBytes >= blockBytesMin;

class DayCursor extends RunCursor {
  view: WindowsView | undefined;
  private days: readonly number[] = [];
  private next = 0;
  private bytes = 0;

  get restBytes(): number {
    return (this.bytes * (this.days.length - this.next + 1)) / this.days.length;
  }

  protected enter(payload: Uint8Array, first: number): void {
    this.bytes = payload.length;
    this.view = windowsFrom(viewWindows(payload), first);
    this.days = daysOf(this.view);
    this.next = 0;
  }

  protected nextKey(): number | undefined {
    return this.days[this.next++];
  }
}

/** The content of a merged run, added key by key. */
interface Merging<Cursor extends RunCursor> {
  /** Encoded size of the keys added since the last block. */
  readonly bytes: number;
  readonly isFull: boolean;
  /** Keys between two pauses. */
  readonly keysAtOnce: number;
  /** Whether a block of this run may be taken over. */
  mayTakeOver(cursor: Cursor): boolean;
  /** Adds the data of these cursors, the oldest first, for one key. */
  add(key: number, here: readonly Cursor[]): void;
  /** The block of the keys added since the last one; undefined when there are none. */
  finish(): EncodedBlock | undefined;
}

async function mergeRuns<Cursor extends RunCursor>(
  cursors: readonly Cursor[],
  merging: Merging<Cursor>,
  output: Output,
  slicer: TimeSlicer,
): Promise<void> {
  const flush = async (): Promise<void> => {
    const block = merging.finish();
    if (block !== undefined) await output.add(block);
  };
  for (let keys = 1; ; keys++) {
    const lowest = lowestOf(cursors);
    const {key} = lowest;
    if (key === Number.POSITIVE_INFINITY) break;
    const alone = merging.mayTakeOver(lowest) ? aloneAhead(lowest, cursors) : undefined;
    if (alone !== undefined && isWorthWhile(alone, merging.bytes)) {
      await flush();
      await output.takeOver(alone);
      lowest.skip();
      continue;
    }
    const unopened = unopenedAt(key, cursors);
    if (unopened !== undefined) {
      await unopened.open();
      continue;
    }
    const here = cursors.filter((cursor) => cursor.key === key);
    merging.add(key, here);
    for (const cursor of here) cursor.step();
    if (merging.isFull && isEndOfBlock(lowest)) await flush();
    if (keys % merging.keysAtOnce === 0) await slicer.pause();
  }
  await flush();
}

/**
 * Merges runs of windows. A merge of all runs leaves out erased members in every block and drops zero cells: then only a block
 * of the oldest run, which has no zero cells, can be taken over, and only if no user is erased.
 */
async function mergeWindowRuns(
  runs: readonly RunSource[],
  output: Output,
  erased: ReadonlySet<number>,
  isWhole: boolean,
  slicer: TimeSlicer,
): Promise<void> {
  const cursors = runs.map((run) => new DayCursor(run));
  const builder = new WindowsBuilder();
  const isErased = (user: number): boolean => erased.has(user);
  const merging: Merging<DayCursor> = {
    get bytes() {
      return builder.bytes;
    },
    get isFull() {
      return builder.bytes >= windowBlockBytes;
    },
    keysAtOnce: 1,
    mayTakeOver: (cursor) => !isWhole || (cursor === cursors[0] && erased.size === 0),
    add(day, here) {
      const views = here.map(({view}) => must(view, 'a cursor at a key is open'));
      mergeDay(builder, day, views, isErased, isWhole);
    },
    finish() {
      if (builder.isEmpty) return undefined;
      const view = builder.finish();
      return {first: view.firstDay, last: view.lastDay, payload: encodeWindows(view)};
    },
  };
  await mergeRuns(cursors, merging, output, slicer);
}

class RecordCursor extends RunCursor {
  private reader: UserBlockReader | undefined;
  record: UserRecord | undefined;

  get restBytes(): number {
    return this.reader?.restBytes ?? 0;
  }

  protected enter(payload: Uint8Array): void {
    this.reader = new UserBlockReader(payload);
  }

  protected nextKey(): number | undefined {
    this.record = this.reader?.next();
    return this.record?.user;
  }
}

async function mergeUserRuns(runs: readonly RunSource[], output: Output, slicer: TimeSlicer): Promise<void> {
  const writer = new UserBlockWriter();
  const merging: Merging<RecordCursor> = {
    get bytes() {
      return writer.bytes;
    },
    get isFull() {
      return writer.isFull;
    },
    keysAtOnce: usersAtOnce,
    mayTakeOver: () => true,
    add(_user, here) {
      writer.add(here.map(({record}) => must(record, 'a cursor at a key is open')).reduce(mergeRecords));
    },
    finish: () => (writer.isEmpty ? undefined : writer.finish()),
  };
  await mergeRuns(
    runs.map((run) => new RecordCursor(run)),
    merging,
    output,
    slicer,
  );
}
