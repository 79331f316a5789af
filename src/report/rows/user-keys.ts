// User ids by user index, from the blocks of the users table that hold them.
//   UK1. A user index belongs to one user permanently (actors/table/interned.ts I1): pages in the order of indexes fit together
//        across snapshots.
import {readWtf8} from '../../../actors/bytes/bytes.js';
import {InternedBlock, internedBlockEntries} from '../../../actors/table/interned.js';
import type {UserRef} from '../../asks/users.js';
import {loadAhead} from '../../parts/load-ahead.js';
import {loadsAheadMax, type PartScan} from '../part-scan.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';

const userByte = 0x75; // 'u'

/** Users by index, in any order; undefined for an erased user. @throws MissingPart, DamagedPart */
export async function userKeys(
  scan: PartScan,
  snapshot: PartitionSnapshot,
  users: readonly number[],
): Promise<(UserRef | undefined)[]> {
  const keys = await userKeyBytes(scan, snapshot, users);
  return users.map((user) => refOf(keys.get(user)));
}

/**
 * Keys of users by index, as the users table has them: the kind's byte, then the id. An erased user has none.
 * @throws MissingPart, DamagedPart
 */
export async function userKeyBytes(
  scan: PartScan,
  {index}: PartitionSnapshot,
  users: readonly number[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  const byBlock = new Map<number, number[]>();
  for (const user of users) {
    const block = Math.floor(user / internedBlockEntries);
    const inBlock = byBlock.get(block);
    if (inBlock === undefined) byBlock.set(block, [user]);
    else inBlock.push(user);
  }
  const keys = new Map<number, Uint8Array>();
  const partOf = (number: number) => index.users.blocks[number]!;
  // Pages of an export ask for the same blocks again and again.
  const loadPart = scan.viewLoader([...byBlock.keys()].map(partOf), viewBlock);
  const load = ([number]: readonly [number, readonly number[]]) => loadPart(partOf(number));
  for await (const [[, inBlock], block] of loadAhead([...byBlock], load, loadsAheadMax)) {
    for (const user of inBlock) {
      const key = block.bytesOf(user % internedBlockEntries);
      if (key !== undefined) keys.set(user, key);
    }
    await scan.pauseIfDue();
  }
  return keys;
}

const viewBlock = (bytes: Uint8Array<ArrayBuffer>): InternedBlock => new InternedBlock(bytes);

/** An anonymous user who is about to move has another first byte (actors/partition.ts). */
const refOf = (key: Uint8Array | undefined): UserRef | undefined =>
  key && {kind: key[0] === userByte ? 'user' : 'anonymous', id: readWtf8(key, 1, key.length)};
