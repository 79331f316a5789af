// The place of an event in the order of an export: by time, then by id.
//   EP1. An event that moves to its owner's partition keeps its time and id, and gets another row. So an order by time and id
//        stays the same, and so does whether an ordinal is below an earlier bound.
//   EP2. The id of an event is the place of its row, or its origin: a column, or in the body alone (property-columns.ts PC2).
import {BodyBlock} from '../../chunk/bodies.js';
import {codeAbsent, type RowColumn, type WholeRows} from '../../chunk/property-columns.js';
import {originKey} from '../../log/entries.js';
import {ValueReader} from './property-values.js';

/** Id of an event, `<partition>-<ordinal>`. */
export interface EventId {
  readonly partition: number;
  readonly ordinal: number;
}

/** Place of an event in the order. EP1 */
export interface EventPlace extends EventId {
  readonly timeMs: number;
}

/** Numbers without leading zeros: each event has one id. */
const idPattern = /^(0|[1-9]\d{0,14})-(0|[1-9]\d{0,14})$/;

/** Parses an id; undefined for any other text. */
export function readEventId(text: string): EventId | undefined {
  const [, partition, ordinal] = idPattern.exec(text) ?? [];
  return ordinal === undefined ? undefined : {partition: Number(partition), ordinal: Number(ordinal)};
}

/** Negative when `a` comes first. */
export const comparePlaces = (a: EventPlace, b: EventPlace): number =>
  a.timeMs - b.timeMs || a.partition - b.partition || a.ordinal - b.ordinal;

/** Ids of a chunk's rows. EP2 */
export class RowIds {
  private readonly partition: number;
  private rows!: WholeRows;
  private column: RowColumn | undefined;
  private readonly ofBodies = new Map<number, EventId>();
  private readonly reader = new ValueReader();

  constructor(partition: number) {
    this.partition = partition;
  }

  /** Opens a chunk. */
  open(rows: WholeRows): void {
    this.rows = rows;
    this.column = rows.columns.find(({key}) => key.length === 1 && key[0] === originKey[0]);
    this.ofBodies.clear();
  }

  /** Whether the row's id is in its body alone, and the body was not read yet. */
  isUnsure(row: number): boolean {
    const {column, rows} = this;
    const isOfBody = column === undefined ? rows.keysInBody : column.codes[row] === column.inBody;
    return isOfBody && !this.ofBodies.has(row);
  }

  /** Reads these rows of one body block, ascending. */
  addBodies(block: Uint8Array, inBlock: Uint16Array): void {
    const bodies = new BodyBlock(block, this.rows);
    for (const row of inBlock) {
      const pairs = bodies.properties(row);
      pairs.passContext();
      const origin = pairs.isAtOrigin && pairs.next() ? readEventId(pairs.value() as string) : undefined;
      this.ofBodies.set(row, origin ?? this.placeOf(row));
    }
  }

  idOf(row: number): EventId {
    const {column} = this;
    const code = column?.codes[row] ?? codeAbsent;
    if (column === undefined || code === codeAbsent || code === column.inBody)
      return this.ofBodies.get(row) ?? this.placeOf(row);
    const origin = this.reader.read((writer) => column.values.write(code, writer)) as string;
    return readEventId(origin) ?? this.placeOf(row);
  }

  private placeOf(row: number): EventId {
    return {partition: this.partition, ordinal: this.rows.baseOrdinal + row};
  }
}

/** The first `limit` places after a given one, added in any order. */
export class FirstPlaces<Place extends EventPlace> {
  private held: Place[] = [];
  private readonly limit: number;
  private readonly after: EventPlace | undefined;
  /** No place after this time is among the first: `limit` places are not after it. */
  private lastMs = Number.POSITIVE_INFINITY;
  /** Time of the last place held. */
  private heldMs = Number.NEGATIVE_INFINITY;

  constructor(limit: number, after: EventPlace | undefined) {
    this.limit = limit;
    this.after = after;
  }

  /** Whether an event at this time may be among the first places. */
  wants(timeMs: number): boolean {
    return timeMs <= this.lastMs;
  }

  add(place: Place): void {
    if (!this.wants(place.timeMs)) return;
    if (this.after !== undefined && comparePlaces(place, this.after) <= 0) return;
    this.held.push(place);
    this.heldMs = Math.max(this.heldMs, place.timeMs);
    if (this.held.length === this.limit) this.lastMs = this.heldMs;
    else if (this.held.length >= 2 * this.limit) this.cut();
  }

  /** The places in order. */
  finish(): readonly Place[] {
    this.cut();
    return this.held;
  }

  private cut(): void {
    this.held = this.held.sort(comparePlaces).slice(0, this.limit);
    if (this.held.length === this.limit) this.lastMs = this.heldMs = this.held[this.limit - 1].timeMs;
  }
}
