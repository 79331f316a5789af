// Merging sorted runs, so that a reader has few to merge: a run is merged with its predecessor as soon as it is at least
// a quarter of its size (of user records: half of it). Sizes then fall by more than four, or two, from run to run, and a
// byte is rewritten once a level.
//   A run that cannot be read is merged with nothing: it stays as it is, and so do those before it. What was folded goes
//   into snapshots all the same, and only what needs the damaged part is missing.

import type {PartRef, Run, RunBlock} from '../../actors/manifest.js';
import type {EncodedBlock} from '../../actors/partition.js';
import {mergeRecords, UserBlockReader, UserBlockWriter, type UserRecord} from '../../actors/user-records.js';
import {daysOf, mergeDay, WindowsBuilder, windowBlockBytes} from '../../actors/window-deltas.js';
import {encodeWindows, viewWindows, type WindowsView} from '../../actors/windows.js';
import {isUnreadable} from '../parts/damage.js';
import type {PartStore} from './part-store.js';
import type {Errand} from './work-pace.js';

export const sizeRatio = 4;
/**
 * Of user records. Reports do not read them, and who looks for one user reads a block of each run; but those of millions of
 * users are the largest runs, of which each snapshot touches a third: at a quarter nearly every snapshot wrote all of them.
 */
export const userSizeRatio = 2;
/** Users merged in one go: less than 1 ms. */
const usersAtOnce = 256;

/** What compaction reads with: no cache, a merge reads each block once. */
export interface PartLoader {
  load(ref: PartRef): Promise<Uint8Array>;
}

/** How many of the newest runs are to be merged into one; 1: none. */
export function mergeCount(sizes: readonly number[], ratio: number): number {
  let count = 1;
  let bytes = sizes[sizes.length - 1] ?? 0;
  while (count < sizes.length && bytes * ratio >= sizes[sizes.length - 1 - count]) {
    bytes += sizes[sizes.length - 1 - count];
    count += 1;
  }
  return count;
}

async function encodeAll(blocks: Iterable<EncodedBlock>, errand: Errand): Promise<EncodedBlock[]> {
  const encoded: EncodedBlock[] = [];
  for (const block of blocks) {
    encoded.push(block);
    await errand.turn();
  }
  return encoded;
}

async function putRun(parts: PartStore, blocks: readonly EncodedBlock[], errand: Errand): Promise<Run> {
  const put: RunBlock[] = [];
  for (const {first, last, payload} of blocks) {
    put.push({first, last, part: await parts.put(payload)});
    await errand.turn();
  }
  return {blocks: put, bytes: bytesOf(blocks)};
}

const bytesOf = (blocks: readonly EncodedBlock[]): number => blocks.reduce((sum, {payload}) => sum + payload.length, 0);

/** Appends a run and merges the newest ones; an empty run changes nothing. `isErased` members leave day sets. */
export async function appendWindowRun(
  runs: readonly Run[],
  blocks: Iterable<EncodedBlock>,
  parts: PartStore,
  loader: PartLoader,
  isErased: (user: number) => boolean,
  errand: Errand,
): Promise<readonly Run[]> {
  return append(runs, blocks, sizeRatio, parts, loader, errand, (merged, isWhole) =>
    intoOneRun(parts, (output) => mergeWindowRuns(merged, parts, isErased, isWhole, output, errand)),
  );
}

export async function appendUserRun(
  runs: readonly Run[],
  blocks: Iterable<EncodedBlock>,
  parts: PartStore,
  loader: PartLoader,
  errand: Errand,
): Promise<readonly Run[]> {
  return append(runs, blocks, userSizeRatio, parts, loader, errand, (merged) =>
    intoOneRun(parts, (output) => mergeUserRuns(merged, parts, output, errand)),
  );
}

/**
 * The run that is appended is merged out of memory and stored only where it stays: a value that is stored to be replaced at
 * once would cost its put, and, when it is erased, its whole storage block written anew.
 */
async function append(
  runs: readonly Run[],
  blocks: Iterable<EncodedBlock>,
  ratio: number,
  parts: PartStore,
  loader: PartLoader,
  errand: Errand,
  merge: (runs: readonly RunSource[], isWhole: boolean) => Promise<Run | undefined>,
): Promise<readonly Run[]> {
  const fresh = await encodeAll(blocks, errand);
  if (fresh.length === 0) return runs;
  const sizes = [...runs.map((run) => run.bytes), bytesOf(fresh)];
  for (let count = mergeCount(sizes, ratio); count > 1; count--) {
    const kept = runs.slice(0, 1 - count);
    const merged = [...runs.slice(1 - count).map((run) => stored(run, loader)), inMemory(fresh)];
    const result = await merge(merged, kept.length === 0);
    if (result !== undefined) return result.blocks.length > 0 ? [...kept, result] : kept;
  }
  return [...runs, await putRun(parts, fresh, errand)];
}

/** The blocks of a run, in the store or not. */
type RunSource = readonly {load(): Promise<Uint8Array>}[];

const stored = ({blocks}: Run, loader: PartLoader): RunSource =>
  blocks.map(({part}) => ({load: () => loader.load(part)}));
const inMemory = (blocks: readonly EncodedBlock[]): RunSource =>
  blocks.map(({payload}) => ({load: async () => payload}));

/** What a merge has put so far. */
interface Output {
  readonly blocks: RunBlock[];
  bytes: number;
}

/** Undefined when one of the runs cannot be read: what was put until then goes. */
async function intoOneRun(parts: PartStore, merge: (output: Output) => Promise<void>): Promise<Run | undefined> {
  const output: Output = {blocks: [], bytes: 0};
  try {
    await merge(output);
    return output;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    parts.retire(...output.blocks.map(({part}) => part));
    return undefined;
  }
}

/** A run's blocks one after the other. */
class RunCursor<T> {
  private readonly run: RunSource;
  private readonly open: (payload: Uint8Array) => T;
  private next = 0;

  constructor(run: RunSource, open: (payload: Uint8Array) => T) {
    this.run = run;
    this.open = open;
  }

  async nextBlock(): Promise<T | undefined> {
    const block = this.run[this.next];
    if (block === undefined) return undefined;
    this.next += 1;
    return this.open(await block.load());
  }
}

class DayCursor {
  private readonly blocks: RunCursor<WindowsView>;
  view: WindowsView | undefined;
  private days: number[] = [];
  private at = 0;

  constructor(run: RunSource) {
    this.blocks = new RunCursor(run, viewWindows);
  }

  get day(): number {
    return this.days[this.at] ?? Number.POSITIVE_INFINITY;
  }

  async advance(): Promise<void> {
    this.at += 1;
    while (this.at >= this.days.length) {
      this.view = await this.blocks.nextBlock();
      if (this.view === undefined) {
        this.days = [];
        return;
      }
      this.days = daysOf(this.view);
      this.at = 0;
    }
  }
}

async function mergeWindowRuns(
  runs: readonly RunSource[],
  parts: PartStore,
  isErased: (user: number) => boolean,
  isWhole: boolean,
  output: Output,
  errand: Errand,
): Promise<void> {
  const cursors = runs.map((run) => new DayCursor(run));
  for (const cursor of cursors) await cursor.advance();
  const builder = new WindowsBuilder();
  const flush = async () => {
    if (builder.isEmpty) return;
    const view = builder.finish();
    const payload = encodeWindows(view);
    output.bytes += payload.length;
    output.blocks.push({first: view.firstDay, last: view.lastDay, part: await parts.put(payload)});
  };
  for (;;) {
    const day = Math.min(...cursors.map((cursor) => cursor.day));
    if (day === Number.POSITIVE_INFINITY) break;
    const here = cursors.filter((cursor) => cursor.day === day);
    const views = here.map((cursor) => cursor.view as WindowsView);
    mergeDay(builder, day, views, isErased, isWhole);
    for (const cursor of here) await cursor.advance();
    if (builder.bytes >= windowBlockBytes) await flush();
    await errand.turn();
  }
  await flush();
}

class RecordCursor {
  private readonly blocks: RunCursor<UserBlockReader>;
  private reader: UserBlockReader | undefined;
  record: UserRecord | undefined;

  constructor(run: RunSource) {
    this.blocks = new RunCursor(run, (payload) => new UserBlockReader(payload));
  }

  /** Whether the next record is at hand without waiting for a part. */
  step(): boolean {
    this.record = this.reader?.next();
    return this.record !== undefined;
  }

  async advance(): Promise<void> {
    while (!this.step()) {
      this.reader = await this.blocks.nextBlock();
      if (this.reader === undefined) return;
    }
  }
}

async function mergeUserRuns(
  runs: readonly RunSource[],
  parts: PartStore,
  output: Output,
  errand: Errand,
): Promise<void> {
  const cursors = runs.map((run) => new RecordCursor(run));
  for (const cursor of cursors) await cursor.advance();
  const writer = new UserBlockWriter();
  const flush = async () => {
    if (writer.isEmpty) return;
    const {first, last, payload} = writer.finish();
    output.bytes += payload.length;
    output.blocks.push({first, last, part: await parts.put(payload)});
  };
  for (let users = 1; ; users++) {
    let lowest: UserRecord | undefined;
    for (const {record} of cursors) {
      if (record !== undefined && (lowest === undefined || record.user < lowest.user)) lowest = record;
    }
    if (lowest === undefined) break;
    const {user} = lowest;
    let merged: UserRecord | undefined;
    for (const cursor of cursors) {
      if (cursor.record?.user !== user) continue;
      merged = merged === undefined ? cursor.record : mergeRecords(merged, cursor.record);
      if (!cursor.step()) await cursor.advance();
    }
    writer.add(merged as UserRecord);
    if (writer.isFull) await flush();
    if (users % usersAtOnce === 0) await errand.turn();
  }
  await flush();
}
