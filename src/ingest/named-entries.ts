// Decides by their names which event entries go to the log (known-names.ts).
import {readWtf8} from '../../actors/bytes/bytes.js';
import {findName, isEventEntry, type NamePlace} from '../../actors/log/entries.js';
import type {BatchRead, MixedCalls, RefusedItem} from './batch.js';
import type {BatchEntries} from './batch-entries.js';
import type {KnownNames} from './known-names.js';
import {type Refusal, refusals} from './refusals.js';

const place: NamePlace = {nameStart: 0, nameEnd: 0, messageIdStart: 0, messageIdEnd: 0};

/** Decides about event entries of requests. `onTaken` is called after each new name. */
export class NamedEntries {
  readonly names: KnownNames;
  private readonly monotonicMs: () => number;
  private readonly onTaken: () => void;

  constructor(names: KnownNames, monotonicMs: () => number, onTaken: () => void) {
    this.names = names;
    this.monotonicMs = monotonicMs;
    this.onTaken = onTaken;
  }

  /** Decides about the event entry that starts at `entryStart`. Undefined: it passes. `nowMs`: of its request. */
  refuse(
    bytes: Uint8Array,
    entryStart: number,
    mustBeKnown: boolean,
    nowMs = this.monotonicMs(),
  ): Refusal | 'undecided' | undefined {
    findName(bytes, entryStart, place);
    switch (this.names.admit(bytes, place.nameStart, place.nameEnd, mustBeKnown, nowMs)) {
      case 'known':
        return undefined;
      case 'taken':
        this.onTaken();
        return undefined;
      case 'too_many':
        return refusals.tooManyNames;
      case 'not_known':
        return refusals.unknownName;
      case 'undecided':
        return 'undecided';
    }
  }

  /** Name of the entry that `refuse` decided about last. */
  newestName(bytes: Uint8Array): string {
    return readWtf8(bytes, place.nameStart, place.nameEnd);
  }

  /**
   * The batch without the entries that are refused. Nothing of a batch with an undecided name may be stored. `mayIdentify`: whether
   * its key may identify users.
   */
  ofBatch<Read extends BatchRead>(
    reading: Read,
    partitionCount: number,
    mustBeKnown: boolean,
    mayIdentify = true,
  ): Read | 'undecided' {
    const {entries, mixed} = reading;
    const {bytes, firsts, starts, ends, indexes} = entries;
    const nowMs = this.monotonicMs(); // Read for each event the clock takes 0.19 us, more than twice as long as the name.
    let refused: RefusedItem[] | undefined;
    for (let partition = 0; partition < partitionCount; partition++) {
      let start = starts[partition]!;
      for (let entry = firsts[partition]!; entry < firsts[partition + 1]!; start = ends[entry++]!) {
        if (mixed !== undefined && !isEventEntry(bytes, start)) {
          if (mayIdentify) continue;
          refused ??= [];
          refused.push({index: indexes[entry]!, refusal: refusals.mayNotIdentify, event: undefined, isIdentify: true});
          continue;
        }
        const refusal = this.refuse(bytes, start, mustBeKnown, nowMs);
        if (refusal === undefined) continue;
        if (refusal === 'undecided') return refusal;
        refused ??= [];
        refused.push(refusedItem(bytes, indexes[entry]!, refusal));
      }
    }
    if (refused === undefined) return reading;
    const gone = new Set(refused.map(({index}) => index));
    const conflicts = reading.conflicts?.filter((index) => !gone.has(index));
    const ofCalls = mixed === undefined ? refused : callsOf(refused, mixed);
    return {
      ...reading,
      refused: [...reading.refused, ...ofCalls],
      entries: without(entries, gone, partitionCount),
      ...(conflicts !== undefined && {conflicts}),
    };
  }
}

/** Each call once, by its index in the request: several of its entries may be refused. */
function callsOf(refused: readonly RefusedItem[], {calls}: MixedCalls): RefusedItem[] {
  const byCall = new Map<number, RefusedItem>();
  for (const one of refused) byCall.set(calls[one.index]!, {...one, index: calls[one.index]!});
  return [...byCall.values()];
}

/** `place` is that of the entry. */
function refusedItem(bytes: Uint8Array, index: number, refusal: Refusal): RefusedItem {
  const {nameStart, nameEnd, messageIdStart, messageIdEnd} = place;
  const item = {index, refusal, event: readWtf8(bytes, nameStart, nameEnd)};
  return messageIdEnd === 0 ? item : {...item, messageId: readWtf8(bytes, messageIdStart, messageIdEnd)};
}

/** A copy without the entries of these events. */
function without(entries: BatchEntries, gone: ReadonlySet<number>, partitionCount: number): BatchEntries {
  const {firsts, starts, ends, indexes} = entries;
  const count = firsts[partitionCount]!;
  const left = {
    bytes: new Uint8Array(count === 0 ? 0 : ends[count - 1]! - starts[0]!),
    firsts: new Uint32Array(partitionCount + 1),
    starts: new Uint32Array(partitionCount),
    ends: new Uint32Array(count),
    indexes: new Uint16Array(count),
  };
  let [kept, position] = [0, 0];
  for (let partition = 0; partition < partitionCount; partition++) {
    left.firsts[partition] = kept;
    left.starts[partition] = position;
    let start = starts[partition]!;
    for (let entry = firsts[partition]!; entry < firsts[partition + 1]!; start = ends[entry++]!) {
      if (gone.has(indexes[entry]!)) continue;
      left.bytes.set(entries.bytes.subarray(start, ends[entry]!), position);
      position += ends[entry]! - start;
      left.indexes[kept] = indexes[entry]!;
      left.ends[kept++] = position;
    }
  }
  left.firsts[partitionCount] = kept;
  return left;
}
