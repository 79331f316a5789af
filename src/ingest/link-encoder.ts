// Link entries (actors/identity) for what was accepted with a userId and an anonymousId, unless the log is known to have the link.
//   LE1. A link is in the log of the anonymous user's partition before the client is told that its write is stored (the routes
//        see to that): who was answered 200 finds the history joined.
//   LE2. An event with one id costs a look at one byte of its entry.
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {entryBytesMax} from '../../actors/limits.js';
import {EntryView, entryHasAnonymousId, partitionOfEntry, writeLink} from '../../actors/log/entries.js';
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

export class LinkEncoder {
  private readonly writer = new ByteWriter(entryBytesMax);
  private readonly list = new EntryList();
  private view = new EntryView(this.writer.bytes);
  /** Of the newest single link, whose entry is `bytes[0, end)`. */
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
    const pair = this.missing(bytes, start);
    if (pair !== undefined) this.writeSingle(this.view.anonymousId(), this.userId(), this.view.receivedMs);
    return pair;
  }

  /** Writes the link of both ids. Undefined: the log has it. */
  ofIds(userId: string, anonymousId: string, receivedMs: number): LinkedPair | undefined {
    this.writeSingle(anonymousId, userId, receivedMs);
    const {keyStart, keyEnd, textStart, textEnd} = this.viewOf(this.bytes, 0);
    return this.acked.missing(this.bytes, textStart, textEnd, keyStart + 1, keyEnd);
  }

  /** Undefined: it needs none. */
  ofBatch({bytes, firsts, starts, ends, indexes}: BatchEntries): BatchLinks | undefined {
    const links = new Map<string, {pair: LinkedPair; events: number[]}>();
    for (let partition = 0; partition < this.partitionCount; partition++) {
      let start = starts[partition]!;
      for (let entry = firsts[partition]!; entry < firsts[partition + 1]!; start = ends[entry++]!) {
        const pair = this.missing(bytes, start);
        if (pair === undefined) continue;
        const id = `${pair.high} ${pair.low}`;
        const link = links.get(id);
        if (link !== undefined) {
          link.events.push(indexes[entry]!);
          continue;
        }
        if (links.size === 0) this.list.clear();
        links.set(id, {pair, events: [indexes[entry]!]});
        writeLink(this.list.writer, this.view.anonymousId(), this.userId(), this.view.receivedMs);
        this.list.endEvent();
      }
    }
    if (links.size === 0) return undefined;
    return {entries: this.list.group(this.partitionCount), links: [...links.values()]};
  }

  /** The pair of the event entry at `start`, which `view` shows then; undefined: it needs no link. LE2 */
  private missing(bytes: Uint8Array, start: number): LinkedPair | undefined {
    if (!entryHasAnonymousId(bytes, start)) return undefined;
    const {keyStart, keyEnd, anonymousIdStart, anonymousIdEnd} = this.viewOf(bytes, start);
    return this.acked.missing(bytes, keyStart, keyEnd, anonymousIdStart, anonymousIdEnd);
  }

  private viewOf(bytes: Uint8Array, start: number): EntryView {
    if (this.view.bytes !== bytes) this.view = new EntryView(bytes);
    this.view.moveTo(start);
    return this.view;
  }

  private userId(): string {
    return this.view.userKey().slice(1);
  }

  private writeSingle(anonymousId: string, userId: string, receivedMs: number): void {
    this.writer.position = 0;
    writeLink(this.writer, anonymousId, userId, receivedMs);
    this.partition = partitionOfEntry(this.writer.bytes, 0, this.partitionCount);
  }
}
