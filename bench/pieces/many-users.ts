// Folding events of many users who are all known, and come in no order: nothing of them is in a cache. The real core does it,
// with its kernel; the plain ways stand in place of its own.
//   M1. A message is folded again under the next number of its producer: the log would have other events of the same users.

import {ByteWriter} from '../../actors/bytes/bytes.js';
import {must} from '../../actors/invariant.js';
import {beginMessage, sealMessage, writeEvent} from '../../actors/log/entries.js';
import {Partition} from '../../actors/partition.js';
import {InternedTable} from '../../actors/table/interned.js';
import {type RowRange, UserDeltas} from '../../actors/user/user-deltas.js';
import {EventDraft, readEvent} from '../../src/ingest/validate.js';
import {loadRowKernel} from '../../src/partition/row-kernel.js';
import {canonical, dayMs, workloadEvents} from '../workload/events.js';
import {type Piece, sumOf, told, type Work} from './piece.js';

/** Of a batch, what goes to one of four partitions. */
const messageEvents = 250;
/** Events of a work, of all users: some have many of them, and whether a chunk or a day is new to one no guess would tell. */
const foldedShare = 1 / 2;
const dedupeBytesMax = 2 ** 27;
/** Where a message has its number (actors/log/entries.ts). */
const numberAt = 10;

export function manyUsersPieces(userCount: number): Piece[] {
  const jsons = Array.from(
    workloadEvents({...canonical, userCount, eventCount: userCount, eachFrom: 0}),
    ({json}) => json,
  );
  const messages = messagesOf(jsons);
  const eventCount = Math.ceil(userCount * foldedShare);
  const folded = Array.from(workloadEvents({...canonical, userCount, eventCount}), ({json}) => json);
  const more = messagesOf(folded);
  const pairOf = (name: string, quick: string, plain: string, prototype: object, plainly: object): Piece => ({
    quick: `${name}: ${quick}`,
    plain: `${name}: ${plain}`,
    work: {quick: folding(messages, more), plain: inPlaceOf(prototype, plainly, () => folding(messages, more))},
    count: folded.length,
  });
  return [
    pairOf('fold of many users, look-ups', 'a run at once', 'one by one', InternedTable.prototype, {internMany}),
    pairOf('fold of many users, records', 'a run at once', 'one by one', UserDeltas.prototype, {addEvents}),
  ];
}

function messagesOf(jsons: readonly string[]): Uint8Array[] {
  const messages: Uint8Array[] = [];
  const [draft, writer] = [new EventDraft(), new ByteWriter(64 * 1024)];
  for (let first = 0; first < jsons.length; first += messageEvents) {
    const some = jsons.slice(first, first + messageEvents);
    beginMessage(writer);
    for (const json of some) {
      readEvent(JSON.parse(json), {receivedMs: canonical.startMs + canonical.dayCount * dayMs}, draft);
      writeEvent(writer, draft);
    }
    messages.push(sealMessage(writer, new Uint8Array(8), 1, canonical.startMs, some.length).slice());
  }
  return messages;
}

/** A partition that knows all users by the first messages, and folds the others whenever it is asked. */
function folding(known: readonly Uint8Array[], more: readonly Uint8Array[]): Work {
  const rowKernel = must(loadRowKernel(), 'there is a kernel on this machine, and somebody compiled it');
  const partition = new Partition({partition: 0, seeds: [1, 2, 3], dedupeBytesMax, rowKernel});
  let number = 0;
  const fold = (messages: readonly Uint8Array[]): void => {
    for (const bytes of messages) {
      number += 1;
      new DataView(bytes.buffer, bytes.byteOffset).setFloat64(numberAt, number, true); // M1
      partition.fold(number, must(partition.openMessage(number, bytes), 'each number comes once'));
      partition.takeClosedChunks(); // The shell's, who would write them.
    }
  };
  fold(known);
  return () => {
    fold(more);
    return told(() => [partition.tally.counted, partition.users.table.count, recordsSum(partition.users.deltas)]);
  };
}

function recordsSum(deltas: UserDeltas): number {
  let sum = 0;
  for (const {user, createdMs, lastEventMs, chunks} of deltas.records(new Map()))
    sum = sumOf([sum, user, createdMs, lastEventMs ?? 0, ...chunks]);
  return sum;
}

/** Work with these methods in place of the class's own, while it lasts and while it is made. */
function inPlaceOf(prototype: object, methods: object, make: () => Work): Work {
  const own = Object.fromEntries(Object.keys(methods).map((name) => [name, Reflect.get(prototype, name) as unknown]));
  const plainly = <T>(act: () => T): T => {
    Object.assign(prototype, methods);
    try {
      return act();
    } finally {
      Object.assign(prototype, own);
    }
  };
  const work = plainly(make);
  return () => plainly(work);
}

function internMany(
  this: InternedTable,
  bytes: Uint8Array,
  starts: Uint32Array,
  lengths: Uint32Array,
  hashes: Uint32Array,
  count: number,
  indexes: Uint32Array,
): void {
  for (let i = 0; i < count; i++)
    indexes[i] = this.internHashed(bytes, starts[i]!, starts[i]! + lengths[i]!, hashes[i]!);
}

function addEvents(
  this: UserDeltas,
  {users, times, start, end}: RowRange,
  _: number,
  chunk: number,
  isNewDay: Uint8Array,
): void {
  for (let row = start; row < end; row++)
    isNewDay[row - start] = this.addEvent(users[row]!, times[row]!, chunk) ? 1 : 0;
}
