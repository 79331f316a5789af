// The event names that exist, as an edge knows them before it acks an event: EVENT_NAMES_MAX bounds how many there are.
//   Owns: the names of all partitions, and those that this edge has taken since. Does not own: when they are read (edge/query/names-watch.ts).
//   KN1. A name that a partition has always passes, and so does a name that this edge has taken.
//   KN2. A partition never refuses a name: what an edge has taken is stored, what was acked is true. Edges that take new names at
//        the same time therefore exceed the bound: each by the places that were free when it last read the names.
//   KN3. Until a reading had the names of all acked events, a new name may be one that exists. It passes while this edge has taken
//        less than the bound, and is undecided after that; one that must be known is undecided for `unreadMsMax` as well. No event
//        is refused because a partition stands still. From the first such reading on this edge knows all names but those that
//        another edge has just taken.
//   KN4. A name that this edge has taken is forgotten when such a reading, begun `settledMs` later, lacks it: its event was refused
//        after all, was a copy, or its name was deleted.
//   KN5. A reading has what partitions answer. While one gives no answer, the names of the reading before are kept, deleted ones
//        included: some may be the names of that partition.

import {readWtf8, wtf8} from '../../actors/bytes/bytes.js';
import {InternedTable} from '../../actors/table/interned.js';
import type {NamesAnswer} from '../asks/names.js';

/** An event is acked or given up within this time after its name was taken. */
const settledMs = 30_000;
/** A partition that starts, or is behind its log for a moment, is read within this time. */
const unreadMsMax = 30_000;
/** Share of the bound from which on an operator should know. */
const alarmShare = 0.8;

/** `known` and `taken` pass. `undecided`: the names are not read yet. */
type NameVerdict = 'known' | 'taken' | 'too_many' | 'not_known' | 'undecided';

/** Place of a reading in the names of a partition. */
interface NamesPlace {
  readonly epoch: string;
  readonly from: number;
}

const beginning: NamesPlace = {epoch: '', from: 0};

/** A reading of the names of all partitions, from the beginning or from where the one before ended. */
class NamesReading {
  readonly table: InternedTable;
  readonly places: NamesPlace[];
  /** Whether names of acked events may be missing: a partition is behind its log. */
  isBehind = false;
  /** Whether a partition gave no answer. KN5 */
  isPartial = false;
  /** Whether it has names that partitions may not have any more: the next reading begins at the beginning. */
  hasKept = false;

  constructor(partitionCount: number, before?: NamesReading) {
    this.table = before?.table ?? new InternedTable();
    this.places = before?.places.slice() ?? new Array<NamesPlace>(partitionCount).fill(beginning);
  }

  /** Takes an answer to the question for this place. False: the names are others than before, and are read from the beginning. */
  take(partition: number, {epoch, from, names, next, isBehind}: NamesAnswer): boolean {
    const place = this.places[partition]!;
    if (from !== place.from || (place !== beginning && epoch !== place.epoch)) return false;
    for (const name of names) intern(this.table, name);
    this.places[partition] = {epoch, from: next};
    if (isBehind) this.isBehind = true;
    return true;
  }

  /** A partition gives no answer: the next reading continues where this one did. */
  miss(): void {
    this.isPartial = true;
    this.isBehind = true;
  }

  /** KN5 */
  keep({table}: NamesReading): void {
    if (table === this.table) return;
    for (let index = 0; index < table.count; index++) if (table.has(index)) intern(this.table, table.text(index));
    this.hasKept = true;
  }
}

export class KnownNames {
  readonly max: number;
  private readonly partitionCount: number;
  /** The newest reading; undefined before the first. */
  private newest: NamesReading | undefined;
  /** Whether a reading had the names of all events that were acked before it. KN3 */
  isRead = false;
  /** Start of the first reading. */
  private firstMs = Number.POSITIVE_INFINITY;
  /** Number of names that this edge took, and later readings had, before `isRead`. KN3 */
  private takenUnread = 0;
  /** Names that this edge has taken and no reading had, by the time of the last event with them, ms. */
  private readonly taken = new Map<string, number>();

  constructor(max: number, partitionCount: number) {
    this.max = max;
    this.partitionCount = partitionCount;
  }

  /** Number of names; a lower bound until all were read. */
  get count(): number {
    return (this.newest?.table.live ?? 0) + this.taken.size;
  }

  /** Whether this edge has taken names that no reading had. */
  get hasTaken(): boolean {
    return this.taken.size > 0;
  }

  get isNearlyFull(): boolean {
    return this.count >= alarmShare * this.max;
  }

  /** The names that are known here. */
  *all(): Generator<string> {
    const {newest, taken} = this;
    for (let index = 0; newest !== undefined && index < newest.table.count; index++) {
      if (newest.table.has(index)) yield newest.table.text(index);
    }
    yield* taken.keys();
  }

  /** Decides about the name bytes[start .. end) of an event, and takes it if it passes. `mustBeKnown`: a new name does not pass. */
  admit(bytes: Uint8Array, start: number, end: number, mustBeKnown: boolean, nowMs: number): NameVerdict {
    const {newest, taken} = this;
    if (newest !== undefined && newest.table.find(bytes, start, end) >= 0) return 'known'; // KN1
    const name = readWtf8(bytes, start, end);
    if (taken.has(name)) {
      taken.set(name, nowMs);
      return 'known';
    }
    if (!this.isRead) {
      const isEarly = nowMs < this.firstMs + unreadMsMax;
      if ((mustBeKnown && isEarly) || this.takenUnread + taken.size >= this.max) return 'undecided'; // KN3
    } else if (mustBeKnown) return 'not_known';
    else if (this.count >= this.max) return 'too_many';
    taken.set(name, nowMs);
    return 'taken';
  }

  /** A reading that continues the one before; `isWhole`: one from the beginning. */
  startReading(isWhole: boolean): NamesReading {
    const {newest, partitionCount} = this;
    return new NamesReading(partitionCount, isWhole || newest?.hasKept ? undefined : newest);
  }

  /** The reading began at `startMs`. KN4 */
  endReading(reading: NamesReading, startMs: number): void {
    const {newest, taken} = this;
    if (newest === undefined) this.firstMs = startMs;
    else if (reading.isPartial) reading.keep(newest);
    this.newest = reading;
    if (!reading.isBehind) this.isRead = true;
    for (const [name, takenMs] of taken) {
      const bytes = wtf8(name);
      const isOver = !reading.isBehind && takenMs < startMs - settledMs;
      const isStored = reading.table.find(bytes, 0, bytes.length) >= 0;
      if (isOver || isStored) taken.delete(name);
      if (isStored && newest !== undefined && !this.isRead) this.takenUnread += 1;
    }
  }
}

function intern(table: InternedTable, name: string): void {
  const bytes = wtf8(name);
  table.intern(bytes, 0, bytes.length);
}
