// Reads one user: its records in all runs and in memory, merged oldest first.
import {must} from '../../../actors/invariant.js';
import type {Run, RunBlock} from '../../../actors/manifest.js';
import {firstPlace} from '../../../actors/order/search.js';
import type {Partition} from '../../../actors/partition.js';
import {Profile} from '../../../actors/user/profile.js';
import {findRecord, mergeRecords, UserBlockReader, type UserRecord} from '../../../actors/user/user-records.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import {MissingPart} from '../../parts/stored-parts.js';
import type {Layout} from './layout.js';

/** The block of a run that may hold a user's record. */
export function blockOf(run: Run, user: number): RunBlock | undefined {
  const block = run.blocks[firstPlace(0, run.blocks.length, (place) => run.blocks[place].last < user)];
  return block !== undefined && block.first <= user ? block : undefined;
}

/**
 * The record of a user, including traits that are active in memory. Undefined: the user is unknown.
 * @throws DamagedPart, and MissingPart for a part that the state still names.
 */
export async function loadRecord(
  partition: Partition,
  layout: Layout,
  cache: PartsCache,
  user: number,
): Promise<UserRecord | undefined> {
  for (;;) {
    try {
      return await loadRecordOnce(partition, layout, cache, user);
    } catch (error) {
      // The read took long: a snapshot merged the run meanwhile, and its parts were swept.
      if (!(error instanceof MissingPart) || layout.readsFrom(error.ref)) throw error;
    }
  }
}

async function loadRecordOnce(
  partition: Partition,
  layout: Layout,
  cache: PartsCache,
  user: number,
): Promise<UserRecord | undefined> {
  // Everything is read at one moment, before the first wait: runs, frozen and live deltas together are the whole state.
  const runs = layout.userRuns;
  const {records: recent, traits} = partition.users.unsaved(user);
  let merged: UserRecord | undefined;
  const merge = (record: UserRecord | undefined) => {
    if (record !== undefined) merged = merged === undefined ? record : mergeRecords(merged, record);
  };
  for (const run of runs) {
    const block = blockOf(run, user);
    if (block !== undefined) merge(findRecord(await cache.load(block.part), user));
  }
  for (const record of recent) merge(record);
  return merged === undefined || traits === undefined ? merged : {...(merged as UserRecord), traits};
}

/** The profile of a known user, for applying an identify entry. */
export async function loadProfile(
  partition: Partition,
  layout: Layout,
  cache: PartsCache,
  user: number,
): Promise<Profile> {
  const record = must(await loadRecord(partition, layout, cache, user), 'an interned user has a record');
  return record.traits === undefined ? new Profile() : Profile.restore(record.traits);
}

/** Chunks that may hold rows of any of these users, ascending. @throws DamagedPart, MissingPart */
export async function chunksOfUsers(
  partition: Partition,
  layout: Layout,
  cache: PartsCache,
  users: readonly number[],
): Promise<number[]> {
  for (;;) {
    try {
      return await chunksOfUsersOnce(partition, layout, cache, users);
    } catch (error) {
      if (!(error instanceof MissingPart) || layout.readsFrom(error.ref)) throw error;
    }
  }
}

/** Reads each block once, whatever the number of its users. */
async function chunksOfUsersOnce(
  partition: Partition,
  layout: Layout,
  cache: PartsCache,
  users: readonly number[],
): Promise<number[]> {
  const chunks = new Set<number>();
  const note = (record: UserRecord | undefined): void => {
    for (const chunk of record?.chunks ?? []) chunks.add(chunk);
  };
  const runs = layout.userRuns; // Taken at the same moment as the deltas in memory.
  const ascending = [...users].sort((a, b) => a - b);
  for (const user of ascending) partition.users.unsaved(user).records.forEach(note);
  for (const run of runs) {
    let next = 0;
    for (const block of run.blocks) {
      while (next < ascending.length && ascending[next] < block.first) next += 1;
      if (next === ascending.length) break;
      if (ascending[next] > block.last) continue;
      const reader = new UserBlockReader(await cache.load(block.part));
      for (; next < ascending.length && ascending[next] <= block.last; next++) note(reader.find(ascending[next]));
    }
  }
  return [...chunks].sort((a, b) => a - b);
}
