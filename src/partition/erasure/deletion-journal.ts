// The journal of deletions: which users were deleted, outside of DATA_DIR, so that a backup that is older than a deletion does
// not bring its user back.
//   DJ1. A deletion is in the journal, on disk, before its receipt says that it is completed (scrub.ts).
//   DJ2. It has no user ids: a record has a keyed hash of the deployment's own keyed hash of the user. One key lies beside the
//        journal, the other in the data: with one of the two no id can be tested.
//   DJ3. The partition decides which of its deletions the data lacks (actors/partition.ts `lacks`).
//   DJ4. A line that a crash cut short was never relied on. It is closed by the next one, and counts as unreadable.

import {createHmac} from 'node:crypto';
import type {Position} from '../../../actors/manifest.js';

export interface JournaledDeletion {
  /** `del_<partition>_<32 hex digits>`. */
  readonly id: string;
  /** `hashOf` of the deployment's hash of the user key. DJ2 */
  readonly user: string;
  /** The same of its devices that were in the partition. */
  readonly devices: readonly string[];
  /** Position of the erase entry. */
  readonly position: Position;
  /** Until this logical time the data itself has the deletion on record. */
  readonly expiresLogicalMs: number;
  /** When the record was written, epoch ms. */
  readonly timeMs: number;
}

/** Journal of one partition. */
export interface DeletionJournal {
  hashOf(userHash: string): string;
  /** All that are kept, in the order in which they were added; a deletion may be there twice. */
  read(): Promise<readonly JournaledDeletion[]>;
  /** Durable once it resolves. DJ1 */
  add(deletions: readonly JournaledDeletion[]): Promise<void>;
}

/** For partitions without a disk: the simulation, tests. */
export const noJournal: DeletionJournal = {
  hashOf: (userHash) => userHash,
  read: async () => [],
  add: async () => undefined,
};

/** DJ2. 128 bits, hex. */
export function journalHash(key: Uint8Array, userHash: string): string {
  return createHmac('sha256', key).update(userHash).digest('hex').slice(0, 32);
}
