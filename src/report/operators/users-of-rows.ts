// The users who have a row that a selector chooses, of all events or of those in a row of a breakdown.
import type {Users} from '../../../actors/report/rows/current-traits.js';
import type {Selector} from '../../../actors/report/rows/row-choice.js';
import type {Stretch} from '../../../actors/report/selection.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {RowScan} from '../row-scan.js';
import type {Grouping} from './grouped-rows.js';

/** Receives a user of a partition, perhaps several times. */
export type NoteUser = (snapshot: PartitionSnapshot, user: number) => void;

interface RowsMeant {
  readonly selector: Selector;
  readonly stretch: Stretch;
  /** Absent: rows of all groups. */
  readonly grouping?: Grouping | undefined;
  readonly isInRow?: ((group: number) => boolean) | undefined;
}

/** `users`: undefined for all. @throws MissingPart, DamagedPart, BeyondMemory */
export async function usersOfRows(
  reading: Reading,
  {selector, stretch, grouping, isInRow = () => true}: RowsMeant,
  snapshot: PartitionSnapshot,
  users: Users | undefined,
  note: (user: number) => void,
): Promise<void> {
  const scan = new RowScan(reading, {stretch, selectors: [selector], properties: grouping?.properties ?? []});
  await grouping?.open(reading.scan, snapshot);
  await scan.fold(
    snapshot,
    (rows, [chosen]) => {
      const groupOf = grouping?.of(snapshot, rows);
      for (const row of chosen!) if (groupOf === undefined || isInRow(groupOf(row))) note(rows.users[row]!);
      grouping?.checkHeld(reading.gatheredBytesMax);
    },
    users,
  );
}
