// The rows of a breakdown: which values have rows of their own, chosen once over all partitions, and the row of each event.
//   GR1. A breakdown by a property reads the values of rows; one by a trait reads those of users, whose events all are in one row.
import type {RowsView} from '../../../actors/chunk/rows.js';
import {PropertyValues} from '../../../actors/report/rows/property-values.js';
import {chooseGroups, KeyGroups, type ShownGroups, ValueGroups} from '../../../actors/report/rows/value-groups.js';
import type {Breakdown} from '../../asks.js';
import type {PartScan} from '../part-scan.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {traitGroups} from './traits.js';

/** The group of each row of a chunk, for as long as its partition is folded. */
export type GroupOfRow = (row: number) => number;

export class Grouping {
  readonly groups = new ValueGroups();
  /** To be read with the rows; none for a trait. */
  readonly properties: readonly PropertyValues[];
  private readonly breakdown: Breakdown;
  private readonly keyGroups = new KeyGroups(this.groups);
  private readonly userGroups = new Map<PartitionSnapshot, Uint32Array>();

  constructor(breakdown: Breakdown) {
    this.breakdown = breakdown;
    this.properties = breakdown.by === 'property' ? [new PropertyValues(breakdown.name)] : [];
  }

  /** Before rows of the partition are folded. GR1 */
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

  /** `totals`: events of each group over all partitions. */
  choose(totals: ArrayLike<number>): ShownGroups {
    return chooseGroups(this.groups, totals, this.breakdown.limit);
  }

  /** As the answer names it. */
  get property(): string {
    const {by, name} = this.breakdown;
    return by === 'trait' ? `trait:${name}` : name;
  }
}

/** Counts that grow with the groups. */
export class GroupTotals {
  totals = new Float64Array(64);

  add(group: number): void {
    if (group >= this.totals.length) {
      const grown = new Float64Array(group * 2);
      grown.set(this.totals);
      this.totals = grown;
    }
    this.totals[group]! += 1;
  }
}
