// Appends the entries of a request, and knows its outcome once the log has settled all of them.

import {assert} from '../../../actors/invariant.js';
import {entryBytesMax} from '../../../actors/limits.js';
import type {BatchRead, RefusedItem} from '../../ingest/batch.js';
import type {BatchEntries} from '../../ingest/batch-entries.js';
import type {BatchLink} from '../../ingest/link-encoder.js';
import type {Commit, CommitWaiter} from '../../ingest/log-message.js';
import {logUnavailable} from '../admission/obstacles.js';
import type {Failure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import type {Outcomes} from '../http/exchange-counts.js';
import {lostLink, lostWrite} from './lost-writes.js';

/** Entries go to the log in pieces of at most so many bytes. A log message takes whole pieces, so large ones would leave room in it. */
const pieceBytesMax = 64 * 1024;
assert(pieceBytesMax <= entryBytesMax, 'a piece of more than one entry fits wherever an entry does');

/** The entries from `first` to `end`, which leave together. */
interface Piece {
  readonly first: number;
  readonly end: number;
  /** Undefined: the log did not take them. */
  readonly commit: Commit | undefined;
}

/** Entries of a batch as they were appended. */
interface Pieces {
  readonly pieces: readonly Piece[];
  /** Index in the batch, by entry: the `indexes` of `BatchEntries`. */
  readonly indexes: Uint16Array;
}

const noPieces: Pieces = {pieces: [], indexes: new Uint16Array(0)};

/** An entry that the log did not take, or may not have taken. */
export interface LostEntry {
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

/** What became of all entries. */
export interface KnownOutcome {
  /** Entries in the log. */
  readonly received: number;
  readonly refused: readonly RefusedItem[];
  readonly lost: readonly LostEntry[];
  /** Messages that carry the entries. */
  readonly commits: readonly Commit[];
}

/** Collects the outcome of each entry of a request, and answers when all are known. */
export class BatchOutcome implements CommitWaiter {
  /** Messages that carry entries of this batch: one per partition, or a few where one became full. */
  private readonly commits = new Set<Commit>();
  private events: Pieces = noPieces;
  private links: Pieces = noPieces;
  /** Kind of each entry of `links`. */
  private linked: readonly BatchLink[] = [];
  private isComplete = false;
  private settledCount = 0;

  constructor(
    private readonly front: Front,
    private readonly exchange: Exchange,
    private readonly reading: Pick<BatchRead, 'refused' | 'mixed'>,
    private readonly answer: (outcome: KnownOutcome) => void,
  ) {}

  append(entries: BatchEntries): void {
    const needed = this.front.writes.links?.ofBatch(entries);
    if (needed !== undefined) {
      this.linked = needed.links;
      this.links = this.appendAll(needed.entries);
    }
    this.events = this.appendAll(entries);
  }

  private appendAll(entries: BatchEntries): Pieces {
    const {partitionCount} = this.front;
    const {firsts, starts, indexes} = entries;
    const pieces: Piece[] = [];
    for (let partition = 0; partition < partitionCount; partition++) {
      this.appendRun(entries, partition, firsts[partition]!, firsts[partition + 1]!, starts[partition]!, pieces);
    }
    return {pieces, indexes: indexes.slice(0, firsts[partitionCount])};
  }

  private appendRun(
    {bytes, ends}: BatchEntries,
    partition: number,
    first: number,
    runEnd: number,
    start: number,
    pieces: Piece[],
  ): void {
    while (first < runEnd) {
      const end = pieceEnd(ends, first, runEnd, start);
      const endByte = ends[end - 1]!;
      const commit = this.front.writes.publisher.append(partition, bytes, start, endByte, this, end - first);
      if (commit !== undefined) this.commits.add(commit);
      pieces.push({first, end, commit});
      start = endByte;
      first = end;
    }
  }

  /** Call it when all entries are appended. */
  complete(): void {
    this.isComplete = true;
    this.answerWhenKnown();
  }

  settled(): void {
    this.exchange.guard('answering a batch', () => {
      this.settledCount += 1;
      this.answerWhenKnown();
    });
  }

  private answerWhenKnown(): void {
    if (!this.isComplete || this.settledCount < this.commits.size) return;
    const lost = this.lostEvents();
    const received = this.events.indexes.length - lost.length;
    this.count(lost);
    this.noteRefused();
    const commits = this.events.pieces.flatMap(({commit}) => commit ?? []);
    this.answer({received, refused: this.reading.refused, lost, commits});
  }

  private count(lost: readonly LostEntry[]): void {
    const {events, identifies} = this.front.operations.traffic;
    const {refused, mixed} = this.reading;
    const sent = this.events.indexes;
    events.accepted += sent.length - lost.length;
    events.refused += refused.length;
    events.unavailable += lost.length;
    if (mixed === undefined) return;
    const move = (outcome: keyof Outcomes, count: number): void => {
      events[outcome] -= count;
      identifies[outcome] += count;
    };
    const lostCount = lost.filter(({index}) => mixed.identifies.has(index)).length;
    move('accepted', sent.filter((index) => mixed.identifies.has(index)).length - lostCount);
    move('refused', refused.filter(({isIdentify}) => isIdentify === true).length);
    move('unavailable', lostCount);
  }

  /** Counts and lists each refused event; the code of the whole answer is not counted in addition. */
  private noteRefused(): void {
    const {
      traffic,
      path,
      route,
      caller: {key},
    } = this.exchange;
    for (const {index, event, refusal} of this.reading.refused) {
      traffic.refused(refusal.code, route);
      traffic.refusalTap.note(refusal.code, path, {field: refusal.field, keyId: key?.id});
      if (key !== undefined) this.front.writes.rejected.add(refusal.code, key.id, {index, event, field: refusal.field});
    }
  }

  private lostEvents(): LostEntry[] {
    const failures = new Map<number, Failure>();
    const {linked} = this;
    for (const {first, end, commit} of this.links.pieces) {
      for (const link of this.links.indexes.subarray(first, end)) {
        const {pair, events} = linked[link]!;
        if (commit?.outcome === 'stored') this.front.writes.links!.acked.acked(pair);
        else for (const index of events) failures.set(index, lostLink);
      }
    }
    for (const {first, end, commit} of this.events.pieces) {
      if (commit?.outcome === 'stored') continue;
      const failure = commit === undefined ? logUnavailable : lostWrite(commit);
      for (const index of this.events.indexes.subarray(first, end)) failures.set(index, failure);
    }
    return Array.from(failures, ([index, {code, message}]) => ({index, code, message}));
  }
}

/** End of the piece that begins with entry `first`, at `start`: it has at least one entry. */
function pieceEnd(ends: Uint32Array, first: number, runEnd: number, start: number): number {
  if (ends[runEnd - 1]! - start <= pieceBytesMax) return runEnd;
  let end = first + 1;
  while (end < runEnd && ends[end]! - start <= pieceBytesMax) end += 1;
  return end;
}
