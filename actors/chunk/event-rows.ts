// Appends rows to a partition's open chunk, many in one call, through the partition's WebAssembly kernel
// (kernels/event-rows.ts), which the shell provides. test/twins/open-chunk.ts appends the same rows one by one.
//   Owns: which bytes of the log are in the kernel's memory. Does not own: the chunk (kernel-chunk.ts).
//
//   ER1. A kernel is deterministic: only the calls below write its memory.
//   ER2. An erased user's data in that memory is overwritten before the erasure is folded: rows and bodies when their chunk is
//        closed or left; names, users and log bytes by `forget`.
//   D1. High-cardinality columns (sessions, amounts) are not deduplicated: every value gets a fresh code, because the look-up
//       costs more than it saves. Two codes may then stand for equal values.
//   D2. The first row of each block decides which columns those are, from the rows before it. Such a column stays one. The
//       choice may differ when the rows of a chunk are appended again after an erasure.

import {ByteWriter} from '../bytes/bytes.js';
import {assert} from '../invariant.js';
import {entryKind} from '../log/entries.js';
import {EntryView, type MessageCursor} from '../log/entry-view.js';
import type {InternedTable} from '../table/interned.js';
import {noName} from './rows.js';

/** Values that a column needs before D1 is considered, and the share of new ones from which it applies. */
export const distinctSampleMin = 256;
export const distinctShare = 0.75;
/** Codes that high-cardinality columns leave to the other columns. */
export const codesReserved = 8_192;
/** Names whose last shape is tried first: events of one name mostly have the same properties in one order. */
export const predictedShapes = 256;

/** A kernel's memory, by region, and its functions. Addresses are bytes from the memory's start. */
export interface RowKernel {
  readonly memory: Uint8Array;
  /** Bytes of the log that the kernel sees at once: any entry fits. */
  readonly windowAt: number;
  readonly windowBytes: number;
  /** Columns of the open chunk. */
  readonly times: Float64Array;
  readonly users: Uint32Array;
  readonly names: Uint32Array;
  readonly codes: readonly Uint16Array[];
  /** Key of each column at `keysAt + column * keyStride`: a varint of its length, then its bytes. */
  readonly keysAt: number;
  readonly keyStride: number;
  readonly keyLengths: Uint32Array;
  readonly dictionaryAt: number;
  readonly offsets: Uint32Array;
  readonly shapeColumns: Uint8Array;
  readonly shapeOffsets: Uint32Array;
  /** Four words a block: two of `receivedBase`, the address of its bodies, and its first position in `blockShapes`. */
  readonly blocks: Uint32Array;
  readonly receivedBases: Float64Array;
  readonly blockShapes: Uint16Array;
  /** Rows of the newest run whose users the kernel does not know: row number in the run, and the user's key. */
  readonly missedRows: Uint32Array;
  readonly userStarts: Uint32Array;
  readonly userLengths: Uint32Array;
  readonly userHashes: Uint32Array;
  readonly calls: {
    begin(): void;
    keepFrom(fromMs: number): void;
    take(at: number, end: number, entryCount: number): number;
    append(payload: number, payloadEnd: number, name: number): void;
    missedUsers(): number;
    /** Caches the users of the missed rows, which the caller wrote to `users`; the run begins at row `first`. */
    learnUsers(first: number): void;
    forgetUsers(): void;
    learnName(at: number, length: number, index: number): void;
    forgetNames(): void;
    isBroken(): number;
    stoppedBefore(): number;
    rows(): number;
    bodyBytes(): number;
    columns(): number;
    codes(): number;
    bodiesEndAt(): number;
    blockShapes(): number;
    keysInBody(): number;
  };
}

/** Interns users by their keys. */
export type UserNumbers = Pick<InternedTable, 'internHashed'>;

export class EventRows {
  readonly kernel: RowKernel;
  /** The entry whose bytes [from, to) are in the window. */
  private loaded: EntryView | undefined;
  private from = 0;
  private to = 0;

  constructor(kernel: RowKernel) {
    this.kernel = kernel;
    this.keepFrom(0);
    this.forget();
  }

  /**
   * Appends rows from the cursor's next entries while they are ordinary events, and moves the cursor past them. `users` interns
   * users that the kernel does not know; `first` is the number of the first row. Returns the number of rows.
   */
  take(cursor: MessageCursor, users: UserNumbers, first: number): number {
    const {entry, position, left} = cursor;
    if (left === 0) return 0;
    const {calls} = this.kernel;
    if (!this.isLoaded(entry, position, Math.min(cursor.nextEnd, entry.bytes.length))) this.load(entry, position);
    const at = this.addressOf(position);
    const taken = calls.take(at, this.addressOf(this.to), left);
    this.requireWhole();
    if (taken === 0) return 0;
    cursor.skip(taken, position + calls.stoppedBefore() - at);
    this.lookUpUsers(users, first);
    return taken;
  }

  private lookUpUsers(table: UserNumbers, first: number): void {
    const {memory, users, missedRows, userStarts, userLengths, userHashes, calls} = this.kernel;
    const missed = calls.missedUsers();
    if (missed === 0) return;
    for (let i = 0; i < missed; i++) {
      const start = userStarts[i];
      users[first + missedRows[i]] = table.internHashed(memory, start, start + userLengths[i], userHashes[i]);
    }
    calls.learnUsers(first);
  }

  /** Appends the row of any event entry. */
  append(entry: EntryView, name: number): void {
    const {calls} = this.kernel;
    if (!this.isLoaded(entry, entry.payloadStart, entry.payloadEnd)) this.load(entry, entry.payloadStart);
    assert(entry.payloadEnd <= this.to, 'event rows: an entry fits the window');
    calls.append(this.addressOf(entry.payloadStart), this.addressOf(entry.payloadEnd), name);
    this.requireWhole();
    calls.learnName(this.addressOf(entry.textStart), entry.textEnd - entry.textStart, name);
  }

  /** Appends the row of an erased event: an empty body. `receivedMs` is the base of its block's received times. */
  appendErased(receivedMs: number): void {
    const writer = new ByteWriter(64);
    writer.u8(0);
    writer.f64(0);
    writer.f64(receivedMs);
    writer.string('u');
    writer.string('');
    const entry = new EntryView(writer.finish());
    entry.movePayload(entryKind.event, 0, entry.bytes.length);
    this.load(entry, 0);
    this.kernel.calls.append(this.addressOf(0), this.addressOf(entry.payloadEnd), noName);
    this.requireWhole();
  }

  private requireWhole(): void {
    assert(this.kernel.calls.isBroken() === 0, 'log: the fields of an entry end within it');
  }

  private addressOf(position: number): number {
    return this.kernel.windowAt + position - this.from;
  }

  private isLoaded(entry: EntryView, start: number, end: number): boolean {
    return this.loaded === entry && start >= this.from && end <= this.to;
  }

  private load(entry: EntryView, from: number): void {
    const {memory, windowAt, windowBytes} = this.kernel;
    this.loaded = entry;
    this.from = from;
    this.to = Math.min(entry.bytes.length, from + windowBytes);
    memory.set(entry.bytes.subarray(from, this.to), windowAt);
  }

  /** Events before this time are no ordinary ones. */
  keepFrom(fromMs: number): void {
    this.kernel.calls.keepFrom(fromMs);
  }

  /** Clears names, users and log bytes from the kernel's memory. ER2 */
  forget(): void {
    const {memory, windowAt, windowBytes, calls} = this.kernel;
    calls.forgetNames();
    calls.forgetUsers();
    memory.fill(0, windowAt, windowAt + windowBytes);
    this.loaded = undefined;
  }
}
