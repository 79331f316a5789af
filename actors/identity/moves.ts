// Anonymous users that leave a partition for their owner's, and events that arrive from others.
//   Owns:    candidates, moves under way, users who left, pieces of moves that arrived.
//   Does not own: the links (links.ts), nor rows: the shell reads the rows of a move, and appends them to the log of its destination.
//
//   A user of a linked device is a candidate until a leave entry decides. Then it is in a move. The move is in a published
//   snapshot first (J2), its events are appended to the log of its destination next, and it is settled once the destination
//   has published a snapshot with them. From then on the user's rows do not count here; a rewrite of their chunk deletes them.
//
//   J1. The contents of a move follow from the log alone: every fold of it makes the same moves with the same numbers.
//   J2. A move is in a published snapshot before its events are in another log: a reader of both snapshots finds here which users
//       to leave out.
//   J3. A destination applies a partition's moves in the order of their numbers, each once and as a whole. An owner and its
//       successor may both append a move, in different pieces: the destination takes all pieces from the same one of them.
//   J4. Pieces of an incomplete move are in snapshots: a start folds on as the owner before did. An erasure forgets
//       them, since they may be of the erased user; all pieces of the move come again.
//   J5. A reader of several snapshots leaves the users of a move out exactly where the destination's snapshot has it.
//   J6. A move without pieces says that it and those before it are lost: they were settled, and then the log and the snapshots that
//       had them were lost. The move after it is next in order.

import {type Actor, bytesIn, type FrozenPart, jsonOf, jsonPart, type Payload} from '../actor.js';
import type {ErasedRow} from '../aggregator/aggregator.js';
import {assert, must} from '../invariant.js';
import {hourMs} from '../limits.js';
import {type Arrival, haveOneProducer} from '../log/entries.js';
import type {Move, MoveContents, MoveCounts} from '../manifest.js';
import {UserSet} from '../table/user-set.js';

/** Numbers of moves start again, higher, with each generation of the log: a move follows from one generation. J1 */
const numbersPerGeneration = 2 ** 32;

/** Generation of the log that made the move with this number. */
export const generationOf = (n: number): number => Math.floor(n / numbersPerGeneration);

/** One message of a move. */
interface ArrivingMessage {
  readonly arrival: Arrival;
  readonly bytes: Uint8Array;
}

/** The pieces of an incomplete move. J4 */
interface Arriving {
  readonly n: number;
  readonly messages: readonly Uint8Array[];
}

/** Small state. */
export interface MovesState {
  readonly counts: MoveCounts;
  readonly pending: readonly Move[];
  /** Indexes of linked devices' users who have not left yet. */
  readonly candidates: readonly number[];
  /** Moves of which some pieces have not arrived yet. The pieces are parts. */
  readonly arriving: readonly (readonly [from: number, n: number])[];
}

const leftOutName = 'moves.leftOut';
const arrivingName = 'moves.arriving';

export class Moves implements Actor<ArrivingMessage> {
  readonly name = 'moves';
  /** Users of linked devices that have rows. */
  readonly candidates = new Set<number>();
  /** Moves that are not settled. Those to one destination are in the order of their numbers. */
  pending: Move[] = [];
  /** The pending move of each user who is in one: an erasure asks for it row by row. */
  private readonly moveOfUser = new Map<number, Move>();
  /** Users whose rows no longer count here. */
  readonly leftOut = new UserSet();
  private left: number[];
  private settled: number[];
  private received: number[];
  /** Incomplete moves by the partition that they come from. */
  private readonly pieces = new Map<number, Arriving>();
  /** Number of users who left, and pieces, in the last snapshot. */
  private frozenLeftOut = 0;
  private readonly frozenPieces = new Map<number, readonly Uint8Array[]>();

  constructor(partitions: number) {
    this.left = new Array(partitions).fill(0);
    this.settled = new Array(partitions).fill(0);
    this.received = new Array(partitions).fill(0);
  }

  get counts(): MoveCounts {
    const {left, settled, received} = this;
    return {left: [...left], settled: [...settled], received: [...received]};
  }

  /** Number of the newest complete move from a partition. */
  receivedFrom(partition: number): number {
    return this.received[partition];
  }

  /** Begins a move of these users. J1 */
  leave(to: number, users: number[], generation: number): void {
    const n = Math.max(this.left[to] + 1, generation * numbersPerGeneration + 1);
    this.left[to] = n;
    this.pend({to, n, users, contents: null});
  }

  private pend(move: Move): void {
    this.pending.push(move);
    for (const user of move.users) this.moveOfUser.set(user, move);
  }

  /** Settles the moves up to `n`, which the destination has published. Returns those that were pending. */
  settle(to: number, n: number): Move[] {
    // The destination knows of moves that this state forgot with the tail of its log: later ones have higher numbers.
    this.left[to] = Math.max(this.left[to], n);
    if (n <= this.settled[to]) return [];
    this.settled[to] = n;
    const isDone = (move: Move): boolean => move.to === to && move.n <= n;
    const done = this.pending.filter(isDone);
    this.pending = this.pending.filter((move) => !isDone(move));
    for (const user of done.flatMap(({users}) => users)) {
      this.moveOfUser.delete(user);
      this.leftOut.add(user);
    }
    return done;
  }

  /** The pending move that a user is in. */
  moveOf(user: number): Move | undefined {
    return this.moveOfUser.get(user);
  }

  /** The rows of a user are erased: it is no candidate and in no move from now on. */
  erase(user: number, rows: readonly ErasedRow[]): void {
    this.candidates.delete(user);
    const move = this.moveOf(user);
    if (move === undefined) return;
    this.moveOfUser.delete(user);
    move.users.splice(move.users.indexOf(user), 1);
    if (move.contents !== null) move.contents = without(move.contents, rows);
  }

  /** These rows of a user in a move are erased; the user stays. */
  eraseRows(user: number, rows: readonly ErasedRow[]): void {
    const move = this.moveOf(user);
    if (move !== undefined && move.contents !== null) move.contents = without(move.contents, rows);
  }

  /** Events before this time have expired: contents do not count them any more. */
  expire(fromMs: number): void {
    for (const move of this.pending) {
      if (move.contents === null) continue;
      const {cells, chunks} = move.contents;
      move.contents = {cells: cells.filter(([hour]) => hour * hourMs >= fromMs), chunks};
    }
  }

  /** Takes one message of a move. Returns all messages of the move once it is complete and next in order. J3 */
  apply({arrival: {from, n, piece, pieces}, bytes: message}: ArrivingMessage): readonly Uint8Array[] | undefined {
    if (pieces === 0) return this.giveUp(from, n);
    if (!this.isNext(from, n)) return undefined;
    const held = this.pieces.get(from);
    const isNextPiece = held?.n === n && piece > 0 && haveOneProducer(held.messages[0], message);
    const before = isNextPiece ? held.messages : [];
    if (before.length !== piece) return undefined; // Earlier pieces were lost: all of them come again.
    const messages = [...before, pieces === 1 ? message : message.slice()];
    if (messages.length < pieces) {
      this.pieces.set(from, {n, messages});
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

  /** J4 */
  forgetArriving(): void {
    this.pieces.clear();
  }

  private isNext(from: number, n: number): boolean {
    const last = this.received[from];
    return n === last + 1 || (n > last && n % numbersPerGeneration === 1);
  }

  freeze(): FrozenPart[] {
    const {counts, pending, candidates, pieces} = this;
    const arriving = Array.from(pieces, ([from, {n}]) => [from, n] as const);
    const state: MovesState = {counts, pending: [...pending], candidates: [...candidates], arriving};
    return [...this.frozenLeaving(), ...this.frozenArriving(), jsonPart(this.name, state)];
  }

  private frozenLeaving(): FrozenPart[] {
    const {leftOut} = this;
    if (leftOut.count === this.frozenLeftOut) return [];
    this.frozenLeftOut = leftOut.count;
    return [{name: leftOutName, block: 0, payload: leftOut.encode()}];
  }

  /** A piece is a part, written once. J4 */
  private frozenArriving(): FrozenPart[] {
    const parts: FrozenPart[] = [];
    for (const from of new Set([...this.frozenPieces.keys(), ...this.pieces.keys()])) {
      const before = this.frozenPieces.get(from) ?? [];
      const now = this.pieces.get(from)?.messages ?? [];
      for (let block = 0; block < Math.max(before.length, now.length); block++)
        if (now[block] !== before[block])
          parts.push({name: `${arrivingName}.${from}`, block, payload: now[block] ?? null});
      if (now.length > 0) this.frozenPieces.set(from, now);
      else this.frozenPieces.delete(from);
    }
    return parts;
  }

  restore(name: string, _block: number, payload: Payload): void {
    if (name === this.name) this.restoreState(jsonOf(payload));
    else if (name === leftOutName) {
      this.leftOut.restore(bytesIn(payload));
      this.frozenLeftOut = this.leftOut.count;
    } else this.restorePiece(Number(name.slice(arrivingName.length + 1)), bytesIn(payload));
  }

  private restorePiece(from: number, message: Uint8Array): void {
    const {n, messages} = must(this.pieces.get(from), 'a piece is of an incomplete move');
    this.pieces.set(from, {n, messages: [...messages, message]});
    this.frozenPieces.set(from, [...messages, message]);
  }

  private restoreState({counts, pending, candidates, arriving}: MovesState): void {
    assert(counts.left.length === this.left.length, 'identity: the number of partitions stays the same');
    this.left = [...counts.left];
    this.settled = [...counts.settled];
    this.received = [...counts.received];
    for (const move of pending) this.pend({...move, users: [...move.users]});
    for (const user of candidates) this.candidates.add(user);
    for (const [from, n] of arriving) this.pieces.set(from, {n, messages: []});
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
