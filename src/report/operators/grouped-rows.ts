// The rows of a breakdown: which values have rows of their own, chosen once over all partitions, and the row of each event.
//   GR1. A breakdown by a property reads the values of rows; one by a trait reads those of users, whose events all are in one row.
import type {ByteReader, ByteWriter} from '../../../actors/bytes/bytes.js';
import type {RowsView} from '../../../actors/chunk/rows.js';
import {each} from '../../../actors/report/partials.js';
import {PropertyValues} from '../../../actors/report/rows/property-values.js';
import {type ShownRows, TupleGroups} from '../../../actors/report/rows/tuple-groups.js';
import {
  KeyGroups,
  missingGroup,
  notScalarGroup,
  nullGroup,
  type ValueGroups,
} from '../../../actors/report/rows/value-groups.js';
import type {Breakdown, BreakdownRow} from '../../asks/breakdown.js';
import type {PartScan} from '../part-scan.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {BeyondMemory} from '../row-scan.js';
import {traitGroups} from './traits.js';

/** Least length of the counts of a bucket that has any. */
const groupsMin = 64;
/** Bound of the combinations of values, in bytes, where the bound of gathered rows is smaller. */
const pairBytesMin = 256 * 1024;

const kindGroups = {missing: missingGroup, null: nullGroup, not_scalar: notScalarGroup} as const;

/** The group of each row of a chunk, for as long as its partition is folded. */
type GroupOfRow = (row: number) => number;

export class Grouping {
  readonly groups: TupleGroups;
  /** Properties that the scan reads with the rows; none for traits. */
  readonly properties: readonly PropertyValues[];
  private readonly breakdowns: readonly Breakdown[];
  private readonly axes: readonly Axis[];
  /** Groups of one property's values in a chunk. */
  private scratch = new Uint32Array(0);

  constructor(breakdowns: readonly Breakdown[]) {
    this.breakdowns = breakdowns;
    this.groups = new TupleGroups(breakdowns.length);
    this.axes = breakdowns.map((one, at) => new Axis(one, this.groups.values[at]!));
    this.properties = this.axes.flatMap(({values}) => (values === undefined ? [] : [values]));
  }

  /** The property whose values are all that the rows are told apart by; undefined: there are several, or it is a trait. */
  get onlyProperty(): PropertyValues | undefined {
    return this.axes.length === 1 ? this.properties[0] : undefined;
  }

  /** Reads the traits that rows are told apart by; call it before rows of the partition are folded. GR1 */
  async open(scan: PartScan, snapshot: PartitionSnapshot): Promise<void> {
    for (const axis of this.axes) await axis.open(scan, snapshot);
  }

  /** Turns to the rows of a chunk. */
  of(snapshot: PartitionSnapshot, rows: RowsView): GroupOfRow {
    const {groups} = this;
    return this.axes
      .map((axis) => axis.of(snapshot, rows))
      .reduce((before, own, at) => (row) => groups.with(before(row), at, own(row)));
  }

  /** Writes the groups of these rows of a chunk to `into`. */
  read(snapshot: PartitionSnapshot, rows: RowsView, chosen: Uint16Array, into: Uint32Array): void {
    const {axes, groups} = this;
    axes[0]!.read(snapshot, rows, chosen, into);
    if (axes.length > 1 && this.scratch.length < into.length) this.scratch = new Uint32Array(into.length);
    for (let at = 1; at < axes.length; at++) {
      axes[at]!.read(snapshot, rows, chosen, this.scratch);
      groups.addValues(into, at, this.scratch, chosen.length);
    }
  }

  /** `bytesMax`: bound of what an answer gathers. @throws BeyondMemory for more combinations of values than that */
  checkHeld(bytesMax: number): void {
    const most = Math.max(bytesMax, pairBytesMin);
    if (this.groups.pairBytes > most) throw new BeyondMemory('the combinations of the values take', most);
  }

  /** `totals`: events of each group over all partitions. `read`: the same, also of rows that do not decide the order. */
  choose(totals: ArrayLike<number>, read?: ArrayLike<number>): ShownRows {
    const limits = this.breakdowns.map(({limit}) => limit);
    return this.groups.choose(totals, limits, read);
  }

  /** Rows that another process has chosen, by the texts of the values of each breakdown, before any rows are read. */
  known(texts: readonly (readonly string[])[]): ShownRows {
    return this.groups.known(texts);
  }

  /**
   * Which groups a row of the answer has. `row`: of each breakdown. `shown`: the choice of the rows, which only `other` depends on.
   */
  async groupsOf(row: readonly BreakdownRow[], shown: () => Promise<ShownRows>): Promise<(group: number) => boolean> {
    const chosen = row.some((one) => 'kind' in one && one.kind === 'other') ? await shown() : undefined;
    const tests = row.map((one, at): ((group: number) => boolean) => {
      if ('value' in one) {
        const valueGroup = this.groups.values[at]!.groupOf(one.value);
        return (group) => group === valueGroup;
      }
      if (one.kind !== 'other') {
        const kindGroup = kindGroups[one.kind];
        return (group) => group === kindGroup;
      }
      const {top, rowOf} = chosen!.of[at]!;
      return (group) => rowOf[group] === top.length;
    });
    return (group) => this.groups.meets(group, tests);
  }

  /** Names of the properties in the answer. */
  get names(): readonly string[] {
    return this.breakdowns.map(({by, name}) => (by === 'trait' ? `trait:${name}` : name));
  }
}

/** The values of one breakdown. GR1 */
class Axis {
  /** Read with the rows; undefined for a trait. */
  readonly values: PropertyValues | undefined;
  private readonly breakdown: Breakdown;
  private readonly groups: ValueGroups;
  private readonly keyGroups: KeyGroups;
  private readonly userGroups = new Map<PartitionSnapshot, Uint32Array>();

  constructor(breakdown: Breakdown, groups: ValueGroups) {
    this.breakdown = breakdown;
    this.groups = groups;
    this.keyGroups = new KeyGroups(groups);
    this.values = breakdown.by === 'property' ? new PropertyValues(breakdown.name) : undefined;
  }

  async open(scan: PartScan, snapshot: PartitionSnapshot): Promise<void> {
    if (this.values !== undefined || this.userGroups.has(snapshot)) return;
    this.userGroups.set(snapshot, await traitGroups(scan, snapshot, this.breakdown.name, this.groups));
  }

  of(snapshot: PartitionSnapshot, rows: RowsView): GroupOfRow {
    const {values} = this;
    if (values === undefined) {
      const userGroups = this.userGroups.get(snapshot)!;
      return (row) => userGroups[rows.users[row]!]!;
    }
    this.keyGroups.open(values);
    return (row) => this.keyGroups.of(values, values.keyOf(row));
  }

  read(snapshot: PartitionSnapshot, {users}: RowsView, chosen: Uint16Array, into: Uint32Array): void {
    if (this.values === undefined) {
      const userGroups = this.userGroups.get(snapshot)!;
      for (let i = 0; i < chosen.length; i++) into[i] = userGroups[users[chosen[i]!]!]!;
      return;
    }
    this.keyGroups.open(this.values);
    this.keyGroups.read(this.values, chosen, into);
  }
}

/** Events of each group, by bucket for as long as that fits the memory. */
export class GroupCounts {
  /** 0: there are no buckets, or no longer. */
  bucketCount: number;
  private readonly bytesMax: number;
  /** Events by group of each bucket, or of all. Those of one bucket are side by side, because rows come by time. */
  private counts: Float64Array<ArrayBuffer>[];
  private bytes = 0;

  constructor(bucketCount = 0, bytesMax = 0) {
    this.bucketCount = bucketCount;
    this.bytesMax = bytesMax;
    this.counts = Array.from({length: Math.max(1, bucketCount)}, () => new Float64Array(0));
  }

  add(group: number, bucket: number, events = 1): void {
    this.countsOf(bucket, group + 1)[group]! += events;
  }

  /** Adds the events of a group in each bucket. */
  addSeries(group: number, events: Float64Array): void {
    for (let bucket = 0; bucket < events.length; bucket++)
      if (events[bucket]! > 0) this.add(group, bucket, events[bucket]!);
  }

  /** Adds the first `count` events of the lists. */
  addAll(groups: Uint32Array, buckets: Uint32Array, count: number): void {
    for (let start = 0, end = 1; start < count; start = end++) {
      while (end < count && buckets[end] === buckets[start]) end += 1;
      this.addRun(groups, start, end, buckets[start]!);
    }
  }

  /** Adds events [start, end) of the list, which are in one bucket. */
  addRun(groups: Uint32Array, start: number, end: number, bucket: number): void {
    let counts = this.countsOf(bucket, 0);
    for (let i = start; i < end; i++) {
      const group = groups[i]!;
      if (group >= counts.length) counts = this.countsOf(bucket, group + 1);
      counts[group]! += 1;
    }
  }

  /** Counts of a bucket by group, with groups below `groupEnd`. */
  private countsOf(bucket: number, groupEnd: number): Float64Array<ArrayBuffer> {
    const place = this.bucketCount === 0 ? 0 : bucket;
    const counts = this.counts[place]!;
    if (groupEnd <= counts.length) return counts;
    const grown = new Float64Array(Math.max(groupEnd, 2 * counts.length, groupsMin));
    this.bytes += grown.byteLength - counts.byteLength;
    if (this.bucketCount > 0 && this.bytes > this.bytesMax) {
      this.dropBuckets();
      return this.countsOf(0, groupEnd);
    }
    grown.set(counts);
    this.counts[place] = grown;
    return grown;
  }

  private dropBuckets(): void {
    this.counts = [this.totals()];
    this.bucketCount = 0;
  }

  /** Writes the counts that are not 0, and yields between slices. */
  *write(to: ByteWriter): Generator<void, void, void> {
    to.varint(this.bucketCount);
    for (const counts of this.counts) {
      to.varint(counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0));
      yield* each(counts.length, (group) => {
        if (counts[group] === 0) return;
        to.varint(group);
        to.varint(counts[group]!);
      });
    }
  }

  /** Adds what `write` wrote. `groups`: groups here, by those there. */
  *addRead(from: ByteReader, groups: Uint32Array): Generator<void, void, void> {
    const bucketCount = from.varint();
    if (bucketCount === 0 && this.bucketCount > 0) this.dropBuckets();
    for (let bucket = 0; bucket < Math.max(1, bucketCount); bucket++)
      yield* each(from.varint(), () => this.add(groups[from.varint()]!, bucket, from.varint()));
  }

  /** Events per group; groups past the end of the array have none. */
  totals(): Float64Array<ArrayBuffer> {
    if (this.bucketCount === 0) return this.counts[0]!;
    const totals = new Float64Array(this.counts.reduce((most, {length}) => Math.max(most, length), 0));
    for (const counts of this.counts)
      for (let group = 0; group < counts.length; group++) totals[group]! += counts[group]!;
    return totals;
  }

  /** Events per group in a bucket, as long as there are buckets; groups past the end of the array have none. */
  ofBucket(bucket: number): Float64Array {
    return this.counts[bucket]!;
  }
}
