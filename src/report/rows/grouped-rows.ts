// The rows of a breakdown: which values have rows of their own, chosen once over all partitions, and the row of each event.
//   GR1. A breakdown by a property reads the values of rows; one by a trait reads those of users, whose events all are in one row.
import type {RowsView} from '../../../actors/chunk/rows.js';
import {PropertyValues} from '../../../actors/report/rows/property-values.js';
import {chooseGroups, KeyGroups, type ShownGroups, ValueGroups} from '../../../actors/report/rows/value-groups.js';
import type {Breakdown} from '../../asks/breakdown.js';
import type {PartScan} from '../part-scan.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {traitGroups} from './traits.js';

/** The group of each row of a chunk, for as long as its partition is folded. */
type GroupOfRow = (row: number) => number;

export class Grouping {
  readonly groups = new ValueGroups();
  /** Properties that the scan reads with the rows; none for a trait. */
  readonly properties: readonly PropertyValues[];
  private readonly breakdown: Breakdown;
  private readonly keyGroups = new KeyGroups(this.groups);
  private readonly userGroups = new Map<PartitionSnapshot, Uint32Array>();

  constructor(breakdown: Breakdown) {
    this.breakdown = breakdown;
    this.properties = breakdown.by === 'property' ? [new PropertyValues(breakdown.name)] : [];
  }

  /** Reads the traits, if the breakdown is by one; call it before rows of the partition are folded. GR1 */
  async open(scan: PartScan, snapshot: PartitionSnapshot): Promise<void> {
    const {by, name} = this.breakdown;
    if (by === 'property' || this.userGroups.has(snapshot)) return;
    this.userGroups.set(snapshot, await traitGroups(scan, snapshot, name, this.groups));
  }

  /** Turns to the rows of a chunk. */
  of(snapshot: PartitionSnapshot, rows: RowsView): GroupOfRow {
    const userGroups = this.userGroups.get(snapshot);
    if (userGroups !== undefined) return (row) => userGroups[rows.users[row]!]!;
    const [values] = this.properties;
    this.keyGroups.open(values!);
    return (row) => this.keyGroups.of(values!, values!.keyOf(row));
  }

  /** Writes the groups of these rows of a chunk to `into`. */
  read(snapshot: PartitionSnapshot, {users}: RowsView, chosen: Uint16Array, into: Uint32Array): void {
    const userGroups = this.userGroups.get(snapshot);
    const [values] = this.properties;
    if (userGroups !== undefined) {
      for (let i = 0; i < chosen.length; i++) into[i] = userGroups[users[chosen[i]!]!]!;
      return;
    }
    this.keyGroups.open(values!);
    this.keyGroups.read(values!, chosen, into);
  }

  /** `totals`: events of each group over all partitions. */
  choose(totals: ArrayLike<number>): ShownGroups {
    return chooseGroups(this.groups, totals, this.breakdown.limit);
  }

  /** Name of the property in the answer. */
  get property(): string {
    const {by, name} = this.breakdown;
    return by === 'trait' ? `trait:${name}` : name;
  }
}

/** Events of each group, by bucket for as long as that fits the memory. */
export class GroupCounts {
  /** 0: there are no buckets, or no longer. */
  bucketCount: number;
  private readonly bytesMax: number;
  private counts = new Float64Array(64);

  constructor(bucketCount = 0, bytesMax = 0) {
    this.bucketCount = bucketCount;
    this.bytesMax = bytesMax;
  }

  add(group: number, bucket: number, events = 1): void {
    while (this.placeOf(group, bucket) >= this.counts.length) this.grow(this.placeOf(group, bucket));
    this.counts[this.placeOf(group, bucket)]! += events;
  }

  /** Adds the first `count` events of the lists. */
  addAll(groups: Uint32Array, buckets: Uint32Array, count: number): void {
    for (let i = 0; i < count; ) {
      const {counts, bucketCount} = this;
      const [ofGroup, ofBucket] = bucketCount === 0 ? [1, 0] : [bucketCount, 1];
      for (; i < count; i++) {
        const place = groups[i]! * ofGroup + buckets[i]! * ofBucket;
        if (place >= counts.length) break;
        counts[place]! += 1;
      }
      if (i < count) this.grow(this.placeOf(groups[i]!, buckets[i]!));
    }
  }

  private placeOf(group: number, bucket: number): number {
    return this.bucketCount === 0 ? group : group * this.bucketCount + bucket;
  }

  private grow(place: number): void {
    const length = Math.max(place + 1, this.counts.length * 2);
    if (this.bucketCount > 0 && length * 8 > this.bytesMax) {
      this.counts = this.totals();
      this.bucketCount = 0;
      return;
    }
    const grown = new Float64Array(length);
    grown.set(this.counts);
    this.counts = grown;
  }

  /** Events per group; groups past the end of the array have none. */
  totals(): Float64Array<ArrayBuffer> {
    const {bucketCount, counts} = this;
    if (bucketCount === 0) return counts;
    const totals = new Float64Array(Math.ceil(counts.length / bucketCount) + 1);
    for (let place = 0; place < counts.length; place++) totals[Math.floor(place / bucketCount)]! += counts[place]!;
    return totals;
  }

  count(group: number, bucket: number): number {
    return this.counts[group * this.bucketCount + bucket] ?? 0;
  }
}
