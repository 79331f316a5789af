// Entries of a batch, grouped by partition: those of one partition go there in one piece.
//   E1. Within a partition entries keep the order of their events.

import {ByteWriter} from '../../actors/bytes/bytes.js';
import {batchEventsMax} from '../../actors/limits.js';
import {markEntry, partitionOfEntry} from '../../actors/log/entries.js';
import {EntryView} from '../../actors/log/entry-view.js';

/** Valid until its owner reads the next batch. */
export interface BatchEntries {
  readonly bytes: Uint8Array;
  /** Partition p has the entries from `firsts[p]` up to `firsts[p + 1]`; the last element is the number of entries. */
  readonly firsts: Uint32Array;
  /** Start in `bytes` of the first entry of each partition. */
  readonly starts: Uint32Array;
  /** End of each entry; the next one of the same partition begins there. */
  readonly ends: Uint32Array;
  /** Index in the batch of each entry's event. */
  readonly indexes: Uint16Array;
}

/** Marks every entry with what its key says about it (actors/log/entries.ts). */
export function markEntries(entries: BatchEntries, partitionCount: number, mark: number): void {
  if (mark !== 0) forEachStart(entries, partitionCount, (start) => markEntry(entries.bytes, start, mark));
}

/** Visits the start of each entry, and its number. Partition after partition: there may be bytes between two. */
export function forEachStart(
  {firsts, starts, ends}: BatchEntries,
  partitionCount: number,
  visit: (start: number, entry: number) => void,
): void {
  for (let partition = 0; partition < partitionCount; partition++) {
    let start = starts[partition]!;
    for (let entry = firsts[partition]!; entry < firsts[partition + 1]!; start = ends[entry++]!) visit(start, entry);
  }
}

/** Writes the start of each event's entry to `startOf`, by the event's index; -1 for an event that was refused. */
export function findStarts(
  entries: BatchEntries,
  eventCount: number,
  partitionCount: number,
  startOf: Int32Array,
): void {
  startOf.fill(-1, 0, eventCount);
  forEachStart(entries, partitionCount, (start, entry) => {
    startOf[entries.indexes[entry]!] = start;
  });
}

/** A copy with little more than the entries. Its buffers may be transferred to another thread. */
export function copyOf({bytes, firsts, starts, ends, indexes}: BatchEntries, partitionCount: number): BatchEntries {
  const count = firsts[partitionCount]!;
  const start = starts[0]!;
  return {
    bytes: bytes.slice(start, count === 0 ? start : ends[count - 1]!),
    firsts: firsts.slice(0, partitionCount + 1),
    starts: starts.slice(0, partitionCount).map((at) => at - start),
    ends: ends.slice(0, count).map((at) => at - start),
    indexes: indexes.slice(0, count),
  };
}

/** Buffers of a copy, to be transferred. */
export const buffersOf = ({bytes, firsts, starts, ends, indexes}: BatchEntries): ArrayBuffer[] =>
  [bytes, firsts, starts, ends, indexes].map(({buffer}) => buffer as ArrayBuffer);

/** Bytes from the first entry to the end of the last one. */
export function bytesOf({firsts, starts, ends}: BatchEntries, partitionCount: number): number {
  const count = firsts[partitionCount]!;
  return count === 0 ? 0 : ends[count - 1]! - starts[0]!;
}

/** Entries as they are written, in the order of their events. */
export class EntryList {
  readonly writer = new ByteWriter(1024 * 1024);
  eventCount = 0;
  /** End of each event's entry; the entry of a refused event is empty. */
  private readonly ends = new Uint32Array(batchEventsMax);
  private readonly partitions = new Uint16Array(batchEventsMax);
  private grouped = new Uint8Array(0);
  private readonly groupedEnds = new Uint32Array(batchEventsMax);
  private readonly indexes = new Uint16Array(batchEventsMax);

  clear(): void {
    this.writer.position = 0;
    this.eventCount = 0;
  }

  /** Makes the bytes written since the last call, perhaps none, the entry of the next event. */
  endEvent(): void {
    this.ends[this.eventCount++] = this.writer.position;
  }

  /**
   * Takes the entries at `startOf` (`findStarts`), in the order of their events. `write` may append another entry in the place of the
   * one that the view is at; false: it appended nothing, and the entry stays. Valid until the next call.
   */
  replace(
    bytes: Uint8Array,
    startOf: Int32Array,
    eventCount: number,
    partitionCount: number,
    write: (writer: ByteWriter, view: EntryView, index: number) => boolean,
  ): BatchEntries {
    this.clear();
    const view = new EntryView(bytes);
    for (let index = 0; index < eventCount; index++) {
      const start = startOf[index]!;
      if (start >= 0) {
        const end = view.moveTo(start);
        if (!write(this.writer, view, index)) this.writer.raw(bytes, start, end);
      }
      this.endEvent();
    }
    return this.group(partitionCount);
  }

  /** Valid until the next call. */
  group(partitionCount: number): BatchEntries {
    const firsts = new Uint32Array(partitionCount + 1);
    const starts = new Uint32Array(partitionCount);
    this.measure(partitionCount, firsts, starts);
    this.move(firsts.slice(), starts.slice());
    return {bytes: this.grouped, firsts, starts, ends: this.groupedEnds, indexes: this.indexes};
  }

  /** Finds the partition of every entry, and the start of every partition's entries. */
  private measure(partitionCount: number, firsts: Uint32Array, starts: Uint32Array): void {
    const {bytes} = this.writer;
    for (let index = 0, start = 0; index < this.eventCount; start = this.ends[index++]!) {
      if (this.ends[index] === start) continue;
      const partition = partitionOfEntry(bytes, start, partitionCount);
      this.partitions[index] = partition;
      firsts[partition + 1]! += 1;
      if (partition + 1 < partitionCount) starts[partition + 1]! += this.ends[index]! - start;
    }
    for (let partition = 1; partition <= partitionCount; partition++) firsts[partition]! += firsts[partition - 1]!;
    for (let partition = 1; partition < partitionCount; partition++) starts[partition]! += starts[partition - 1]!;
  }

  /** Consumes `nexts` and `places`: number and place of the next entry of each partition. E1 */
  private move(nexts: Uint32Array, places: Uint32Array): void {
    const {bytes, position} = this.writer;
    if (this.grouped.length < position) this.grouped = new Uint8Array(bytes.length);
    for (let index = 0, start = 0; index < this.eventCount; start = this.ends[index++]!) {
      const end = this.ends[index]!;
      if (end === start) continue;
      const partition = this.partitions[index]!;
      this.grouped.set(bytes.subarray(start, end), places[partition]!);
      places[partition]! += end - start;
      const next = nexts[partition]!++;
      this.groupedEnds[next] = places[partition]!;
      this.indexes[next] = index;
    }
  }
}
