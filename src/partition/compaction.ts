// Merging sorted runs, so that a reader has few to merge: a run is merged with its predecessor as soon as it is at least
// a quarter of its size. Sizes then fall by more than four from run to run, and a byte is rewritten once a level.
//   A run that cannot be read is merged with nothing: it stays as it is, and so do those before it. What was folded goes
//   into snapshots all the same, and only what needs the damaged part is missing.

import type {PartRef, Run, RunBlock} from '../../actors/manifest.js';
import type {EncodedBlock} from '../../actors/partition.js';
import {
  mergeRecords,
  UserBlockReader,
  UserBlockWriter,
  type UserRecord,
  userBlockBytes,
} from '../../actors/user-records.js';
import {daysOf, mergeDay, WindowsBuilder, windowBlockBytes} from '../../actors/window-deltas.js';
import {encodeWindows, viewWindows, type WindowsView} from '../../actors/windows.js';
import {isUnreadable} from '../parts/damage.js';
import type {PartStore} from './part-store.js';
import type {Errand} from './work-pace.js';

const sizeRatio = 4;
/** Users merged in one go: less than 1 ms. */
const usersAtOnce = 256;

/** What compaction reads with: no cache, a merge reads each block once. */
export interface PartLoader {
  load(ref: PartRef): Promise<Uint8Array>;
}

/** How many of the newest runs are to be merged into one; 1: none. */
export function mergeCount(sizes: readonly number[]): number {
  let count = 1;
  let bytes = sizes[sizes.length - 1] ?? 0;
  while (count < sizes.length && bytes * sizeRatio >= sizes[sizes.length - 1 - count]) {
    bytes += sizes[sizes.length - 1 - count];
    count += 1;
  }
  return count;
}

async function putRun(parts: PartStore, blocks: Iterable<EncodedBlock>, errand: Errand): Promise<Run> {
  const put: RunBlock[] = [];
  let bytes = 0;
  for (const {first, last, payload} of blocks) {
    put.push({first, last, part: await parts.put(payload)});
    bytes += payload.length;
    await errand.turn();
  }
  return {blocks: put, bytes};
}

/** Appends a run and merges the newest ones; an empty run changes nothing. `isErased` members leave day sets. */
export async function appendWindowRun(
  runs: readonly Run[],
  blocks: Iterable<EncodedBlock>,
  parts: PartStore,
  loader: PartLoader,
  isErased: (user: number) => boolean,
  errand: Errand,
): Promise<readonly Run[]> {
  return append(runs, blocks, parts, errand, (merged, isWhole) =>
    intoOneRun(parts, (output) => mergeWindowRuns(merged, parts, loader, isErased, isWhole, output, errand)),
  );
}

export async function appendUserRun(
  runs: readonly Run[],
  blocks: Iterable<EncodedBlock>,
  parts: PartStore,
  loader: PartLoader,
  errand: Errand,
): Promise<readonly Run[]> {
  return append(runs, blocks, parts, errand, (merged) =>
    intoOneRun(parts, (output) => mergeUserRuns(merged, parts, loader, output, errand)),
  );
}

async function append(
  runs: readonly Run[],
  blocks: Iterable<EncodedBlock>,
  parts: PartStore,
  errand: Errand,
  merge: (runs: readonly Run[], isWhole: boolean) => Promise<Run | undefined>,
): Promise<readonly Run[]> {
  const run = await putRun(parts, blocks, errand);
  if (run.blocks.length === 0) return runs;
  const all = [...runs, run];
  for (let count = mergeCount(all.map((run) => run.bytes)); count > 1; count--) {
    const merged = all.slice(-count);
    const result = await merge(merged, count === all.length);
    if (result === undefined) continue;
    // The run that was just put was never named: it goes at once.
    parts.retire(...merged[merged.length - 1].blocks.map((block) => block.part));
    return [...all.slice(0, -count), ...(result.blocks.length > 0 ? [result] : [])];
  }
  return all;
}

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
  private readonly run: Run;
  private readonly open: (ref: PartRef) => Promise<T>;
  private next = 0;

  constructor(run: Run, open: (ref: PartRef) => Promise<T>) {
    this.run = run;
    this.open = open;
  }

  async nextBlock(): Promise<T | undefined> {
    const block = this.run.blocks[this.next];
    if (block === undefined) return undefined;
    this.next += 1;
    return this.open(block.part);
  }
}

class DayCursor {
  private readonly blocks: RunCursor<WindowsView>;
  view: WindowsView | undefined;
  private days: number[] = [];
  private at = 0;

  constructor(run: Run, loader: PartLoader) {
    this.blocks = new RunCursor(run, async (ref) => viewWindows(await loader.load(ref)));
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
  runs: readonly Run[],
  parts: PartStore,
  loader: PartLoader,
  isErased: (user: number) => boolean,
  isWhole: boolean,
  output: Output,
  errand: Errand,
): Promise<void> {
  const cursors = runs.map((run) => new DayCursor(run, loader));
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

  constructor(run: Run, loader: PartLoader) {
    this.blocks = new RunCursor(run, async (ref) => new UserBlockReader(await loader.load(ref)));
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
  runs: readonly Run[],
  parts: PartStore,
  loader: PartLoader,
  output: Output,
  errand: Errand,
): Promise<void> {
  const cursors = runs.map((run) => new RecordCursor(run, loader));
  for (const cursor of cursors) await cursor.advance();
  const writer = new UserBlockWriter();
  const flush = async () => {
    if (writer.bytes === 0) return;
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
    if (writer.bytes >= userBlockBytes) await flush();
    if (users % usersAtOnce === 0) await errand.turn();
  }
  await flush();
}
