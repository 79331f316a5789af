// The rows of a partition's open chunk, which a WebAssembly kernel makes (kernels/event-rows.ts), many in one call: the shell
// hands in a kernel of the partition's own. test/twins/open-chunk.ts makes the same rows one by one.
//   Owns: what of the log stands in the kernel's memory. The chunk is in actors/chunk/kernel-chunk.ts.
//
//   ER1. A kernel is deterministic: its memory is written by what is called here alone.
//   ER2. What an erased user left in that memory is overwritten before the erasure is folded: rows and bodies when the chunk
//        that has them is closed or left, names, users and log bytes by `forget`.
//   D1. Of a column whose values are nearly all different (sessions, amounts) each value gets a code of its own: to look for
//       equal ones would cost more than it saves. Two codes may then stand for equal values.
//   D2. Which columns those are is decided at the first row of each block, from the rows before. A column that became one stays
//       one. The rows of a chunk that was erased from may be decided on otherwise when they are appended again.

import {ByteWriter} from '../bytes/bytes.js';
import {assert} from '../invariant.js';
import {EntryView, entryKind, type MessageCursor} from '../log/entries.js';
import type {InternedTable} from '../table/interned.js';
import {noName} from './rows.js';

/** Values of a column before D1 is considered, and the share of new ones from which on it holds. */
export const distinctSampleMin = 256;
export const distinctShare = 0.75;
/** Codes that columns of different values leave to the others. */
export const codesReserved = 8_192;
/** Names whose last shape is tried first: events of one name mostly have the same properties in the same order. */
export const predictedShapes = 256;

/** A kernel's memory by what stands where, and its functions; addresses are bytes from the memory's start. */
export interface RowKernel {
  readonly memory: Uint8Array;
  /** Bytes of the log that are looked at together: any entry fits. */
  readonly windowAt: number;
  readonly windowBytes: number;
  /** Of the open chunk. */
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
  /** Four words a block: two of `receivedBase`, where its bodies begin, and its first place in `blockShapes`. */
  readonly blocks: Uint32Array;
  readonly receivedBases: Float64Array;
  readonly blockShapes: Uint16Array;
  /** Of the rows of the newest run whose users the kernel does not know: their numbers in the run, and the users' keys. */
  readonly missedRows: Uint32Array;
  readonly userStarts: Uint32Array;
  readonly userLengths: Uint32Array;
  readonly userHashes: Uint32Array;
  readonly calls: {
    begin(): void;
    take(at: number, end: number, entryCount: number): number;
    append(payload: number, payloadEnd: number, name: number): void;
    missedUsers(): number;
    /** The users of the rows that were missed stand in `users`, where the run begins at row `first`. */
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

/** Gives numbers to users by their keys. */
export type UserNumbers = Pick<InternedTable, 'internHashed'>;

export class EventRows {
  readonly kernel: RowKernel;
  /** The entry whose message's bytes [from, to) are in the window. */
  private loaded: EntryView | undefined;
  private from = 0;
  private to = 0;

  constructor(kernel: RowKernel) {
    this.kernel = kernel;
    this.forget();
  }

  /**
   * Makes rows of the cursor's next entries as long as they are ordinary events, and moves it behind them. `users` gives numbers
   * to users that the kernel does not know; `first`: the number of the first row. Returns how many.
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

  /** Makes the row of an event entry, whatever it has. */
  append(entry: EntryView, name: number): void {
    const {calls} = this.kernel;
    if (!this.isLoaded(entry, entry.payloadStart, entry.payloadEnd)) this.load(entry, entry.payloadStart);
    assert(entry.payloadEnd <= this.to, 'event rows: an entry fits the window');
    calls.append(this.addressOf(entry.payloadStart), this.addressOf(entry.payloadEnd), name);
    this.requireWhole();
    calls.learnName(this.addressOf(entry.textStart), entry.textEnd - entry.textStart, name);
  }

  /** Makes the row of an erased event: a body without fields. `receivedMs`: what the bodies of its block count from. */
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

  /** The names and users that the kernel knows, and the bytes of the log, leave its memory. ER2 */
  forget(): void {
    const {memory, windowAt, windowBytes, calls} = this.kernel;
    calls.forgetNames();
    calls.forgetUsers();
    memory.fill(0, windowAt, windowAt + windowBytes);
    this.loaded = undefined;
  }
}
