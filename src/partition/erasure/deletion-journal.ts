// The journal of deletions lists deleted users outside of DATA_DIR. Without it a backup that is older than a deletion would
// bring the user back.
//   DJ1. A deletion is in the journal, on disk (beside an external NATS: of a majority of its servers), before its receipt says that it is completed (scrub.ts).
//   DJ2. The journal has no user ids: a record has a keyed hash of the deployment's own keyed hash of the user. One key lies
//        beside the journal, the other in the data: neither alone is enough to test an id.
//   DJ3. The partition decides which of its deletions the data lacks (actors/partition.ts `lacks`).
//   DJ4. No receipt relied on a line that a crash cut short: it counts as unreadable.

import {createHmac} from 'node:crypto';
import type {Position} from '../../../actors/manifest.js';

export interface JournaledDeletion {
  /** `del_<partition>_<32 hex digits>`. */
  readonly id: string;
  /** `hashOf` of the deployment's hash of the user key. DJ2 */
  readonly user: string;
  /** `hashOf` of the deployment's hash of each of the user's devices that were in the partition. */
  readonly devices: readonly string[];
  /** Position of the erase entry. */
  readonly position: Position;
  /** The data itself has the deletion on record until this logical time. */
  readonly expiresLogicalMs: number;
  /** Time at which the record was written, epoch ms. */
  readonly timeMs: number;
}

/** Journal of one partition. */
export interface DeletionJournal {
  hashOf(userHash: string): string;
  /** All kept deletions in the order in which they were added; one may be there twice. */
  read(): Promise<readonly JournaledDeletion[]>;
  /** Durable once it resolves. DJ1 */
  add(deletions: readonly JournaledDeletion[]): Promise<void>;
}

/** Journal of a partition without a disk: the simulation, tests. */
export const noJournal: DeletionJournal = {
  hashOf: (userHash) => userHash,
  read: async () => [],
  add: async () => undefined,
};

/** Hash of a user for the journal: 128 bits, hex. DJ2 */
export function journalHash(key: Uint8Array, userHash: string): string {
  return createHmac('sha256', key).update(userHash).digest('hex').slice(0, 32);
}
