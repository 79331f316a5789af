// Repeats deletions that are in the journal and not in the data: a backup that is older than a deletion was restored, or the log
// lost its tail.
//   LD1. It runs once all of the log is folded, and before the start is over. It appends ordinary erase entries with the ids of
//        the deletions, so that their receipts exist again.
//   LD2. A deletion of a user that the data does not have is recorded as well: a user who comes later under that id is a new
//        one, and no later start may take it for the deleted one.
//   LD3. Data from before a link has the devices of a deleted user as anonymous users: they are erased as well.

import {setImmediate as turn} from 'node:timers/promises';
import {nameKey, noUserKey} from '../../../actors/log/entries.js';
import type {Partition} from '../../../actors/partition.js';
import type {Logger} from '../../observe.js';
import type {LogWriter} from '../log/log-writer.js';
import type {DeletionJournal, JournaledDeletion} from './deletion-journal.js';

/** Users hashed between two turns of the event loop: some 20 ms, so that pings are answered. */
const usersAtOnce = 4_096;

/** The erasures that were appended. */
interface LackingErased {
  /** Logs them. Call it once they are folded. */
  report(): void;
}

interface LackingSetup {
  readonly partition: Partition;
  readonly journal: DeletionJournal;
  readonly writer: LogWriter;
  readonly log: Logger;
}

/** Appends the erase entries; undefined: there are none. LD1 */
export async function eraseLacking({
  partition,
  journal,
  writer,
  log,
}: LackingSetup): Promise<LackingErased | undefined> {
  const lacking = lackingOf(partition, await journal.read());
  if (lacking.size === 0) return undefined;
  const {partition: number} = partition;
  if (partition.deletions.isIncomplete) {
    log.error(
      {partition: number, deletions: lacking.size},
      'records of past deletions are damaged, so they cannot be compared with the journal of deletions: deleted users may be back',
    );
    return undefined;
  }
  const keys = await keysOf(partition, lacking, (userHash) => journal.hashOf(userHash));
  const erasures = [...lacking].flatMap(([id, {user, devices}]) => [
    {key: keys.get(user) ?? noUserKey, id}, // LD2
    ...devices.flatMap((device) => keys.get(device) ?? []).map((key) => ({key, id})), // LD3
  ]);
  await writer.erase(erasures);
  return {
    report() {
      const events = [...lacking.keys()].reduce(
        (sum, id) => sum + (partition.deletions.get(id)?.eventsDeleted ?? 0),
        0,
      );
      log.warn(
        {partition: number, deletions: lacking.size, users: keys.size, events},
        'the data is older than some deletions in the journal: their users were erased again',
      );
    },
  };
}

/** Records of deletions that the data lacks, by id; of two records of one id the later one. */
function lackingOf(partition: Partition, records: readonly JournaledDeletion[]): Map<string, JournaledDeletion> {
  const lacking = new Map<string, JournaledDeletion>();
  for (const record of records) if (partition.lacks(record)) lacking.set(record.id, record);
  return lacking;
}

/** Keys of the users of these deletions that the partition knows, by their hashes in the journal. */
async function keysOf(
  partition: Partition,
  lacking: ReadonlyMap<string, JournaledDeletion>,
  hashOf: (userHash: string) => string,
): Promise<Map<string, Uint8Array>> {
  const wanted = new Set([...lacking.values()].flatMap(({user, devices}) => [user, ...devices]));
  const keys = new Map<string, Uint8Array>();
  for (const table of [partition.tables.users, partition.links.owners]) {
    for (let user = 0; user < table.count; user++) {
      if (user % usersAtOnce === usersAtOnce - 1) await turn();
      if (!table.has(user)) continue;
      const key = table.bytesOf(user);
      const hash = hashOf(partition.hashOf(key));
      if (wanted.has(hash)) keys.set(hash, key.slice());
    }
  }
  // All events of a name (actors/log/entries.ts): the journal has the hash of the name's key.
  const {names} = partition.tables;
  for (let name = 0; name < names.count; name++) {
    if (name % usersAtOnce === usersAtOnce - 1) await turn();
    if (!names.has(name)) continue;
    const key = nameKey(names.text(name));
    const hash = hashOf(partition.hashOf(key));
    if (wanted.has(hash)) keys.set(hash, key);
  }
  return keys;
}
