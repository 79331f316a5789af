// Events of a log: each is admitted once, then counted by the user actors, the aggregator and the rows.
//   Owns:    how many entries were counted, and how many were copies.
//   P8. Received = counted + arrived + duplicate + erased + expired (`tally`), always.
import type {Actor} from './actor.js';
import type {RowRun} from './aggregator/aggregator.js';
import type {ChunkRun} from './chunk/chunks.js';
import {StepWatch, type WatchedFunnel} from './funnels/step-watch.js';
import type {EntryView, MessageCursor} from './log/entry-view.js';
import type {PartitionActors} from './partition-actors.js';

/** Number of entries with a known message id: of entries that are kept, and of erased ones. */
interface Copies {
  duplicate: number;
  tombstoned: number;
}

export class Events {
  /** Actors that get every counted row, beside users and aggregator. A further one is a line here (CONTRIBUTING.md). */
  readonly rowActors: Actor<RowRun>[] = [];
  /** Counts of events since this process started. P8 */
  readonly tally = {counted: 0, arrived: 0, duplicate: 0, tombstoned: 0, expired: 0, redelivered: 0};
  /** Counts of identifies, as in `tally`. */
  readonly identifies = {counted: 0, duplicate: 0, tombstoned: 0};
  /** Absent if no funnel is saved. */
  private stepWatch: StepWatch | undefined;

  constructor(private readonly of: PartitionActors) {}

  /** Moves to the next entry that is no ordinary event, and folds the runs of ordinary events before it. */
  next(cursor: MessageCursor): boolean {
    const {chunks, users} = this.of;
    for (let run = chunks.take(cursor, users); run !== undefined; run = chunks.take(cursor, users)) this.applyRun(run);
    return cursor.next();
  }

  apply(entry: EntryView, sequence: number): void {
    if (!entry.hasMessageId || this.admit(entry, sequence, this.tally)) this.count(entry);
  }

  /** Counts an event that is admitted. */
  count(entry: EntryView): void {
    const {users, aggregator, chunks, time, retention} = this.of;
    if (entry.timeMs < retention.fromMs) {
      this.tally.expired += 1; // RT2 (retention.ts)
      return;
    }
    const user = users.intern(entry.bytes, entry.keyStart, entry.keyEnd);
    const name = aggregator.internName(entry.bytes, entry.textStart, entry.textEnd);
    const isNewDay = users.applyEvent(user, entry.timeMs, chunks.nextRowChunk);
    aggregator.applyEvent(entry.timeMs, name, user, isNewDay);
    chunks.append(entry, user, name);
    this.stepWatch?.noteRow(name, user, entry.timeMs);
    for (const actor of this.rowActors) actor.apply(rowOf(entry.timeMs, name, user), time.logicalMs);
    this.tally.counted += 1;
  }

  /** Applies rows that the kernel has appended already, like `apply`. */
  private applyRun(run: ChunkRun): void {
    this.of.users.apply(run);
    this.of.aggregator.apply(run);
    this.stepWatch?.noteRun(run);
    for (const actor of this.rowActors) actor.apply(run, this.of.time.logicalMs);
    this.tally.counted += run.end - run.start;
  }

  /** Whether to apply an entry that has a message id. */
  admit(entry: EntryView, sequence: number, tally: Copies): boolean {
    switch (this.of.dedupe.apply(entry, this.of.time.logicalMs)) {
      case 'first':
        return true;
      case 'duplicate':
        tally.duplicate += 1;
        return false;
      case 'erased':
        tally.tombstoned += 1;
        this.of.deletions.noteErasedInLog(sequence);
        this.of.identity.noteLateLink(entry);
        return false;
    }
  }

  /** Watches for rows of these funnels from now on, within `bytesMax`. */
  watchFunnels(funnels: readonly WatchedFunnel[], bytesMax: number): StepWatch | undefined {
    const {aggregator, users} = this.of;
    this.stepWatch =
      funnels.length === 0 ? undefined : new StepWatch(aggregator.names, funnels, users.table.count, bytesMax);
    return this.stepWatch;
  }

  /** A user who was to leave stays, with rows that the watch left out; or what funnels exclude may be erased. */
  touchFunnels(): void {
    this.stepWatch?.touchAll();
  }
}

/** A run of one row. */
const rowOf = (timeMs: number, name: number, user: number): RowRun => ({
  times: Float64Array.of(timeMs),
  names: Uint32Array.of(name),
  users: Uint32Array.of(user),
  start: 0,
  end: 1,
});
