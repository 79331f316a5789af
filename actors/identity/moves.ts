// Anonymous users that leave a partition for their owner's, and events that arrive from others.
//   Owns:    who may leave, the moves under way, who left, what came from elsewhere.
//   Does not own: who is whose (links.ts), nor rows: the shell reads those of a move, and appends them to the log of its destination.
//
//   A user of a linked device is a candidate until a leave entry decides. Then it is in a move. The move is in a published
//   snapshot first (J2), its events are appended to the log of its destination next, and it is settled once the destination
//   has published a snapshot with them. From then on the user's rows count no more here; they go when their chunk is written anew.
//
//   J1. What is in a move follows from the log alone: whoever folds it again makes the same moves with the same numbers.
//   J2. A move is in a published snapshot before its events are in another log: so a reader of both finds here what to leave out.
//   J3. A destination applies a partition's moves in the order of their numbers, each once and as a whole. An owner that has a
//       successor may append a move together with it, and other pieces: a move is of the pieces of one of them.
//   J4. Pieces of a move that is not whole yet are in snapshots: a start folds on as the owner before did. An erasure forgets
//       them, as they may be of the erased user; all pieces of the move come again.
//   J5. A reader of several snapshots leaves the users of a move out exactly where the destination's snapshot has it.
//   J6. A move without pieces says that it and those before it are lost: they were settled, and the log and the snapshots with
//        them went. What follows is next in order again.

import type {ErasedRow} from '../aggregator/aggregator.js';
import {assert, must} from '../invariant.js';
import {hourMs} from '../limits.js';
import {type Arrival, haveOneProducer} from '../log/entries.js';
import type {Move, MoveContents, MoveCounts} from '../manifest.js';
import {UserSet} from '../table/user-set.js';

/** Numbers of moves begin anew, higher, with each generation of the log that they follow from. J1 */
const numbersPerGeneration = 2 ** 32;

/** The generation that a move's number is of. */
export const generationOf = (n: number): number => Math.floor(n / numbersPerGeneration);

/** The pieces of a move that is not whole yet. J4 */
export interface Arriving {
  readonly from: number;
  readonly n: number;
  readonly messages: readonly Uint8Array[];
}

export class Moves {
  /** Users of linked devices that have rows. */
  readonly candidates = new Set<number>();
  /** In the order of their numbers by destination. */
  pending: Move[] = [];
  /** Users whose rows count no more here. */
  readonly leftOut = new UserSet();
  private left: number[];
  private settled: number[];
  private received: number[];
  /** By the partition that they come from. */
  private readonly pieces = new Map<number, Arriving>();

  constructor(partitions: number) {
    this.left = new Array(partitions).fill(0);
    this.settled = new Array(partitions).fill(0);
    this.received = new Array(partitions).fill(0);
  }

  get counts(): MoveCounts {
    const {left, settled, received} = this;
    return {left: [...left], settled: [...settled], received: [...received]};
  }

  /** The number of the newest move that arrived from a partition as a whole. */
  receivedFrom(partition: number): number {
    return this.received[partition];
  }

  /** These users leave together. J1 */
  leave(to: number, users: number[], generation: number): void {
    const n = Math.max(this.left[to] + 1, generation * numbersPerGeneration + 1);
    this.left[to] = n;
    this.pending.push({to, n, users, contents: null});
  }

  /** The destination's published snapshot has the moves up to `n`; returns those that are settled by that. */
  settle(to: number, n: number): Move[] {
    // The destination knows of moves that this state forgot with the tail of its log: later ones have higher numbers.
    this.left[to] = Math.max(this.left[to], n);
    if (n <= this.settled[to]) return [];
    this.settled[to] = n;
    const done = this.pending.filter((move) => move.to === to && move.n <= n);
    this.pending = this.pending.filter((move) => !done.includes(move));
    for (const {users} of done) for (const user of users) this.leftOut.add(user);
    return done;
  }

  /** The pending move that a user is in. */
  moveOf(user: number): Move | undefined {
    return this.pending.find(({users}) => users.includes(user));
  }

  /** The rows of a user are erased: it is no candidate and in no move from now on. */
  erase(user: number, rows: readonly ErasedRow[]): void {
    this.candidates.delete(user);
    const move = this.moveOf(user);
    if (move === undefined) return;
    move.users.splice(move.users.indexOf(user), 1);
    if (move.contents !== null) move.contents = without(move.contents, rows);
  }

  /** A message of a move came. Returns the messages of the move if it is whole with that and next in order. J3 */
  arrive({from, n, piece, pieces}: Arrival, message: Uint8Array): readonly Uint8Array[] | undefined {
    if (pieces === 0) return this.giveUp(from, n);
    if (!this.isNext(from, n)) return undefined;
    const held = this.pieces.get(from);
    const isNextPiece = held?.n === n && piece > 0 && haveOneProducer(held.messages[0], message);
    const before = isNextPiece ? held.messages : [];
    if (before.length !== piece) return undefined; // The pieces before were lost: all of them come again.
    const messages = [...before, pieces === 1 ? message : message.slice()];
    if (messages.length < pieces) {
      this.pieces.set(from, {from, n, messages});
      return undefined;
    }
    this.pieces.delete(from);
    this.received[from] = n;
    return messages;
  }

  /** J6 */
  private giveUp(from: number, n: number): readonly Uint8Array[] {
    if (n > this.received[from]) {
      this.received[from] = n;
      this.pieces.delete(from);
    }
    return [];
  }

  get arriving(): readonly Arriving[] {
    return [...this.pieces.values()];
  }

  /** J4 */
  restoreArriving(arriving: Arriving): void {
    this.pieces.set(arriving.from, arriving);
  }

  /** J4 */
  forgetArriving(): void {
    this.pieces.clear();
  }

  private isNext(from: number, n: number): boolean {
    const last = this.received[from];
    return n === last + 1 || (n > last && n % numbersPerGeneration === 1);
  }

  restore(counts: MoveCounts, pending: readonly Move[], candidates: readonly number[]): void {
    assert(counts.left.length === this.left.length, 'identity: the number of partitions stays the same');
    this.left = [...counts.left];
    this.settled = [...counts.settled];
    this.received = [...counts.received];
    this.pending = pending.map((move) => ({...move, users: [...move.users]}));
    for (const user of candidates) this.candidates.add(user);
  }
}

function without({cells, chunks}: MoveContents, rows: readonly ErasedRow[]): MoveContents {
  const leftCells = new Map(cells.map((cell) => [`${cell[0]}.${cell[1]}`, cell]));
  const leftChunks = new Map(chunks.map((chunk) => [chunk[0], chunk]));
  for (const {timeMs, name, chunk} of rows) {
    const key = `${Math.floor(timeMs / hourMs)}.${name}`;
    const [hour, , count] = must(leftCells.get(key), 'the cells of a move count the rows of its users');
    leftCells.set(key, [hour, name, count - 1]);
    const [, rowsOfChunk] = must(leftChunks.get(chunk), 'the chunks of a move have the rows of its users');
    leftChunks.set(chunk, [chunk, rowsOfChunk - 1]);
  }
  return {
    cells: [...leftCells.values()].filter(([, , count]) => count > 0),
    chunks: [...leftChunks.values()].filter(([, count]) => count > 0),
  };
}
