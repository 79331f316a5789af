// Link entries (actors/identity) for what was accepted with a userId and an anonymousId, unless the log is known to have the link.
//   LE1. A link is in the log of the anonymous user's partition before the client is told that its write is stored (the routes
//        see to that): who was answered 200 finds the history joined.
//   LE2. An event with one id costs a look at one byte of its entry, as does one whose key may not identify: it joins no ids.
//   LE3. Links of a batch are in the order of its events: of two users of one device the first one in the batch is the first.
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {batchEventsMax, entryBytesMax} from '../../actors/limits.js';
import {type BothIds, entryJoins, findBothIds, partitionOfEntry, writeLink} from '../../actors/log/entries.js';
import {EntryView} from '../../actors/log/entry-view.js';
import type {AckedLinks, LinkedPair} from './acked-links.js';
import {type BatchEntries, EntryList} from './batch-entries.js';

/** Links that a batch needs. */
export interface BatchLinks {
  /** Their entries, whose `indexes` are places in `links`. Valid until the next batch. */
  readonly entries: BatchEntries;
  readonly links: readonly BatchLink[];
}

export interface BatchLink {
  readonly pair: LinkedPair;
  /** Indexes in the batch of the events that need it. */
  readonly events: readonly number[];
}

interface NeededLink extends BatchLink {
  readonly events: number[];
  readonly anonymousId: string;
  readonly userId: string;
  readonly receivedMs: number;
}

export class LinkEncoder {
  private readonly writer = new ByteWriter(entryBytesMax);
  private readonly list = new EntryList();
  private view = new EntryView(this.writer.bytes);
  private readonly ids: BothIds = {keyStart: 0, keyEnd: 0, anonymousIdStart: 0, anonymousIdEnd: 0};
  /** Hashed pairs of the newest batch, by entry. */
  private readonly highs = new Uint32Array(batchEventsMax);
  private readonly lows = new Uint32Array(batchEventsMax);
  /** Partition of the newest single link, whose entry is `bytes[0, end)`. */
  partition = 0;

  constructor(
    readonly acked: AckedLinks,
    private readonly partitionCount: number,
  ) {}

  get bytes(): Uint8Array {
    return this.writer.bytes;
  }

  get end(): number {
    return this.writer.position;
  }

  /** Writes the link that the event entry at `start` needs. Undefined: it needs none. */
  ofEvent(bytes: Uint8Array, start: number): LinkedPair | undefined {
    if (!entryJoins(bytes, start)) return undefined;
    findBothIds(bytes, start, this.ids);
    const pair = this.acked.missing(bytes, this.ids);
    if (pair === undefined) return undefined;
    const {anonymousId, userId, receivedMs} = this.idsOf(bytes, start);
    this.writeSingle(anonymousId, userId, receivedMs);
    return pair;
  }

  /** Writes the link of both ids. Undefined: the log has it. */
  ofIds(userId: string, anonymousId: string, receivedMs: number): LinkedPair | undefined {
    this.writeSingle(anonymousId, userId, receivedMs);
    const {keyStart, keyEnd, textStart, textEnd} = this.viewOf(this.bytes, 0);
    return this.acked.missing(this.bytes, {
      keyStart: textStart,
      keyEnd: textEnd,
      anonymousIdStart: keyStart + 1,
      anonymousIdEnd: keyEnd,
    });
  }

  /** Undefined: it needs none. */
  ofBatch(batch: BatchEntries): BatchLinks | undefined {
    if (!this.hashPairs(batch)) return undefined;
    const needed = this.neededBy(batch);
    if (needed.length === 0) return undefined;
    const links = needed.sort((a, b) => a.events[0]! - b.events[0]!); // LE3
    this.list.clear();
    for (const {anonymousId, userId, receivedMs} of links) {
      writeLink(this.list.writer, anonymousId, userId, receivedMs);
      this.list.endEvent();
    }
    return {entries: this.list.group(this.partitionCount), links};
  }

  /** Hashes the pairs of a batch, by entry; `low` 0: the entry has none. Returns whether there are any. LE2 */
  private hashPairs({bytes, firsts, starts, ends}: BatchEntries): boolean {
    const {acked, ids, highs, lows} = this;
    let hasPairs = false;
    for (let partition = 0; partition < this.partitionCount; partition++) {
      let start = starts[partition]!;
      for (let entry = firsts[partition]!; entry < firsts[partition + 1]!; start = ends[entry++]!) {
        lows[entry] = 0;
        if (!entryJoins(bytes, start)) continue;
        findBothIds(bytes, start, ids);
        acked.hash(bytes, ids);
        highs[entry] = acked.high;
        lows[entry] = acked.low;
        hasPairs = true;
      }
    }
    if (hasPairs) acked.prefetch(highs, firsts[this.partitionCount]!);
    return hasPairs;
  }

  /** Links of the hashed pairs that are not acked, one a pair. */
  private neededBy({bytes, firsts, starts, ends, indexes}: BatchEntries): NeededLink[] {
    const {acked, highs, lows} = this;
    const needed = new Map<string, NeededLink>();
    for (let partition = 0; partition < this.partitionCount; partition++) {
      let start = starts[partition]!;
      for (let entry = firsts[partition]!; entry < firsts[partition + 1]!; start = ends[entry++]!) {
        const high = highs[entry]!;
        const low = lows[entry]!;
        if (low === 0 || acked.has(high, low)) continue;
        const id = `${high} ${low}`;
        const index = indexes[entry]!;
        const link = needed.get(id);
        if (link !== undefined) link.events.push(index);
        else needed.set(id, {pair: {high, low}, events: [index], ...this.idsOf(bytes, start)});
      }
    }
    return [...needed.values()];
  }

  private viewOf(bytes: Uint8Array, start: number): EntryView {
    if (this.view.bytes !== bytes) this.view = new EntryView(bytes);
    this.view.moveTo(start);
    return this.view;
  }

  private idsOf(bytes: Uint8Array, start: number): Pick<NeededLink, 'anonymousId' | 'userId' | 'receivedMs'> {
    const view = this.viewOf(bytes, start);
    return {anonymousId: view.anonymousId(), userId: view.userKey().slice(1), receivedMs: view.receivedMs};
  }

  private writeSingle(anonymousId: string, userId: string, receivedMs: number): void {
    this.writer.position = 0;
    writeLink(this.writer, anonymousId, userId, receivedMs);
    this.partition = partitionOfEntry(this.writer.bytes, 0, this.partitionCount);
  }
}
