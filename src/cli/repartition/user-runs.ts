// The records of all users of a partition, merged over its runs.
import type {PartRef, Run} from '../../../actors/manifest.js';
import {mergeRecords, UserBlockReader, type UserRecord} from '../../../actors/user/user-records.js';

type Load = (ref: PartRef) => Promise<Uint8Array>;

/** Position in one run. */
class RunRecords {
  private readonly run: Run;
  private readonly load: Load;
  private block = 0;
  private reader: UserBlockReader | undefined;
  /** Undefined at the end. */
  record: UserRecord | undefined;

  constructor(run: Run, load: Load) {
    this.run = run;
    this.load = load;
  }

  /** Moves to the next record; undefined where that needs no read. */
  step(): Promise<void> | undefined {
    this.record = this.reader?.next();
    return this.record === undefined && this.block < this.run.blocks.length ? this.open() : undefined;
  }

  private async open(): Promise<void> {
    this.reader = new UserBlockReader(await this.load(this.run.blocks[this.block]!.part));
    this.block += 1;
    await this.step();
  }
}

/** By ascending user. `runs`: the oldest first. */
export async function* recordsOf(runs: readonly Run[], load: Load): AsyncGenerator<UserRecord> {
  const cursors = runs.map((run) => new RunRecords(run, load));
  for (const cursor of cursors) await cursor.step();
  for (;;) {
    const left = cursors.filter(({record}) => record !== undefined);
    if (left.length === 0) return;
    const user = Math.min(...left.map(({record}) => record!.user));
    let merged: UserRecord | undefined;
    for (const cursor of left) {
      const {record} = cursor;
      if (record?.user !== user) continue;
      merged = merged === undefined ? record : mergeRecords(merged, record);
      const reading = cursor.step();
      if (reading !== undefined) await reading;
    }
    yield merged!;
  }
}
