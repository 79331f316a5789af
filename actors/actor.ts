// An actor: state that one loop folds from a log. A partition composes actors; its shell and its snapshots know of an actor only this.
//
//   mailbox    `apply` takes what the log says to the actor, in the order of the log
//   state      the fields of the actor; nothing else changes them
//   snapshot   `freeze` yields what changed since the last snapshot, in named parts; `snapshotDone` says that they are stored
//   restore    `restore` gets every part of the newest snapshot
//
//   AC1. `freeze` takes its moment before it returns. What it returns is read once, later, and may encode then: entries are
//        folded meanwhile, and change none of it (manifest.ts P7).
//   AC2. A part that is not yielded stays as the last snapshot has it, and one without a payload goes. So a snapshot costs what
//        changed, whatever is stored.
//   AC3. `restore` gets the JSON of all actors first. Parts of bytes follow: names in the order in which they first came, blocks
//        of a name ascending.

import {assert} from './invariant.js';

/** A moment of the log. */
export interface Moment {
  readonly generation: number;
  readonly sequence: number;
  readonly logicalMs: number;
}

/** Small state. A snapshot's index holds it, and src/parts/stored-state.ts checks its shape. */
export interface JsonPayload {
  readonly json: unknown;
}

export type Payload = Uint8Array | JsonPayload;

/** A part of an actor's state in a snapshot. */
export interface FrozenPart {
  /** The actor's name; with a dot and more behind it where the actor has several. Only one without a dot may be JSON. */
  readonly name: string;
  /** Number among the parts of this name; JSON is number 0. */
  readonly block: number;
  /** Null: the part goes. */
  readonly payload: Payload | null;
  /** Absent: none. */
  readonly joins?: JoinedBlocks;
}

/** Older blocks of a name that a part takes the place of, if they can be read; else they stay, and the part has its own payload. */
export interface JoinedBlocks {
  readonly blocks: readonly number[];
  /** The payload of all of them and the part. Called once, if they can be read. */
  join(older: readonly Payload[]): Uint8Array;
}

export interface Actor<Message = never> {
  /** Begins the names of its parts. */
  readonly name: string;
  /** Folds one message of the log. `logicalMs`: logical time before it. */
  apply(message: Message, logicalMs: number): unknown;
  /** AC1, AC2 */
  freeze(at: Moment): Iterable<FrozenPart>;
  /** The frozen parts are stored. Absent: the actor has nothing to release. */
  snapshotDone?(): void;
  /** AC3 */
  restore(name: string, block: number, payload: Payload): void;
  /** Name of parts that readers of snapshots need, and the actor does not: it gets none of them back. */
  readonly unread?: string;
  /** A part of bytes is lost, and the actor can do without it. Absent: it cannot. */
  lost?(): void;
}

/** Small state of an actor, as the whole of it. */
export const jsonPart = (name: string, json: unknown): FrozenPart => ({name, block: 0, payload: {json}});

/** The JSON of a payload; its shape was checked when it was read. */
export function jsonOf<T>(payload: Payload): T {
  assert(!(payload instanceof Uint8Array), 'this part is JSON');
  return payload.json as T;
}

export function bytesIn(payload: Payload): Uint8Array {
  assert(payload instanceof Uint8Array, 'this part is bytes');
  return payload;
}

/** Frozen parts one after the other. */
export function* chained(...all: readonly Iterable<FrozenPart>[]): Generator<FrozenPart> {
  for (const parts of all) yield* parts;
}
