// User ids by user index, from the blocks of the users table that hold them.
//   UK1. A user index belongs to one user permanently (actors/table/interned.ts I1): pages in the order of indexes fit together
//        across snapshots.
import {type ByteWriter, readWtf8} from '../../../actors/bytes/bytes.js';
import type {WrittenKeys} from '../../../actors/chunk/bodies.js';
import {must} from '../../../actors/invariant.js';
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
  const keys = await readKeys(scan, snapshot, users);
  return users.map((user) => refOf(keys.bytesOf(user)));
}

/** Keys of some users, in the blocks of the users table that hold them. An erased user has none. */
export class ReadKeys implements WrittenKeys {
  /** By number. */
  private readonly blocks: readonly InternedBlock[];

  constructor(blocks: readonly InternedBlock[]) {
    this.blocks = blocks;
  }

  has(user: number): boolean {
    return this.blockOf(user).has(user % internedBlockEntries);
  }

  write(writer: ByteWriter, user: number): void {
    this.blockOf(user).write(writer, user % internedBlockEntries);
  }

  /** The key as the users table has it: the kind's byte, then the id. */
  bytesOf(user: number): Uint8Array | undefined {
    return this.blockOf(user).bytesOf(user % internedBlockEntries);
  }

  private blockOf(user: number): InternedBlock {
    return must(this.blocks[Math.floor(user / internedBlockEntries)], 'the blocks of all users were read');
  }
}

/** Reads the blocks of these users' keys. @throws MissingPart, DamagedPart */
export async function readKeys(
  scan: PartScan,
  {index}: PartitionSnapshot,
  users: readonly number[],
): Promise<ReadKeys> {
  const numbers = new Set<number>();
  for (const user of users) numbers.add(Math.floor(user / internedBlockEntries));
  const blocks: InternedBlock[] = [];
  const partOf = (number: number) => index.users.blocks[number]!;
  // Pages of an export ask for the same blocks again and again.
  const loadPart = scan.viewLoader([...numbers].map(partOf), viewBlock);
  const load = (number: number) => loadPart(partOf(number));
  for await (const [number, block] of loadAhead([...numbers], load, loadsAheadMax)) {
    blocks[number] = block;
    await scan.pauseIfDue();
  }
  return new ReadKeys(blocks);
}

const viewBlock = (bytes: Uint8Array<ArrayBuffer>): InternedBlock => new InternedBlock(bytes);

/** An anonymous user who is about to move has another first byte (actors/partition.ts). */
const refOf = (key: Uint8Array | undefined): UserRef | undefined =>
  key && {kind: key[0] === userByte ? 'user' : 'anonymous', id: readWtf8(key, 1, key.length)};
