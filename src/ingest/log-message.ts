// One log message: the entries of many requests, and the requests that wait for it.
import type {ByteWriter} from '../../actors/bytes/bytes.js';
import {beginMessage, messageHeadBytes, sealMessage} from '../../actors/log/entries.js';

/**
 * Outcome of a message. `unsent`: it never left, so nothing is stored. `refused`: the log says that it did not store it.
 * `unknown`: it left, and no answer came.
 */
export type MessageOutcome = 'stored' | 'unsent' | 'refused' | 'unknown';

/** A request's view of the message that carries its entries. */
export interface Commit {
  readonly partition: number;
  readonly outcome: 'pending' | MessageOutcome;
  /** Position in the log, once stored; `generation` 0: unknown. */
  readonly generation: number;
  readonly sequence: number;
}

export interface CommitWaiter {
  /** Called once for every message that carries entries of this waiter, when its outcome is known. */
  settled(commit: Commit): void;
}

export class LogMessage implements Commit {
  readonly partition: number;
  /** Time at which its first entry was appended. */
  readonly openedMs: number;
  readonly writer: ByteWriter;
  outcome: Commit['outcome'] = 'pending';
  generation = 0;
  sequence = 0;
  entryCount = 0;
  /** Requests whose first entry it carries. */
  requestCount = 0;
  /** Ticket of the first send. In its partition all tickets from this one on are this message's until it is settled. */
  firstTicket = 0;
  sends = 0;
  firstSentMs = 0;
  lastSentMs = 0;
  /** Set by the first send and used for all later ones, as are the bytes (publisher.ts G2). */
  id = '';
  private sealed: Uint8Array | undefined;
  private readonly waiters: CommitWaiter[] = [];
  /** The last waiter. Not read from the array: a first read at -1 would make every later one slow. */
  private newestWaiter: CommitWaiter | undefined;

  constructor(partition: number, writer: ByteWriter, openedMs: number) {
    this.partition = partition;
    this.openedMs = openedMs;
    this.writer = writer;
    beginMessage(writer);
  }

  add(bytes: Uint8Array, start: number, end: number, waiter: CommitWaiter, entryCount: number): void {
    this.writer.raw(bytes, start, end);
    this.entryCount += entryCount;
    // The entries of one request arrive together: comparing with the last waiter suffices.
    if (waiter === this.newestWaiter) return;
    this.newestWaiter = waiter;
    this.waiters.push(waiter);
  }

  seal(id: string, producer: Uint8Array, n: number, logTimeMs: number): void {
    this.id = id;
    this.sealed = sealMessage(this.writer, producer, n, logTimeMs, this.entryCount);
  }

  get byteLength(): number {
    return this.writer.position;
  }

  /** Bytes without the head. */
  get entriesBytes(): number {
    return this.writer.position - messageHeadBytes;
  }

  get bytes(): Uint8Array {
    return this.sealed!;
  }

  /** `generation` and `sequence`: for a stored message. */
  settle(outcome: MessageOutcome, generation = 0, sequence = 0): void {
    this.outcome = outcome;
    this.generation = generation;
    this.sequence = sequence;
    for (const waiter of this.waiters) waiter.settled(this);
  }
}
