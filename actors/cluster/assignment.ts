// Which member should own which partition. Members that have the same view get the same answer; views that differ only delay, since
// compare-and-set decides (member.ts O2).
//   AS1. A member has room for its share: the floor or the ceiling of partitions by members. The ceilings go to those that own most, so
//        that as few partitions move as can be.
//   AS2. A partition stays where it is while there is room. The others go to the member that has room and the highest hash of partition
//        and member.
import {wtf8} from '../bytes/bytes.js';
import {hashBytes} from '../bytes/hash.js';
import {must} from '../invariant.js';

const seed = 0x6d656d62;

function affinity(partition: number, member: string): number {
  const bytes = wtf8(`${partition} ${member}`);
  return hashBytes(bytes, 0, bytes.length, seed);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The member that should own each partition; undefined: there are no members. `members`: those that stay, each once. `owners`: the
 * present owner by partition, who may be none of `members`.
 */
export function assign(
  members: readonly string[],
  owners: readonly (string | undefined)[],
): readonly (string | undefined)[] {
  const owned = new Map(members.map((member): [string, number[]] => [member, []]));
  for (const [partition, owner] of owners.entries()) if (owner !== undefined) owned.get(owner)?.push(partition);
  const room = roomOf(owned, owners.length);
  const assigned = new Array<string | undefined>(owners.length).fill(undefined);
  for (const [member, partitions] of owned) {
    const share = must(room.get(member), 'each member has room');
    for (const partition of nearest(partitions, member, share)) assigned[partition] = member;
    room.set(member, Math.max(0, share - partitions.length));
  }
  for (let partition = 0; partition < assigned.length; partition++) {
    if (assigned[partition] !== undefined) continue;
    const member = nearestWithRoom(partition, room);
    if (member === undefined) continue;
    assigned[partition] = member;
    room.set(member, room.get(member)! - 1);
  }
  return assigned;
}

/** The member with the highest hash of partition and member; there is one at least. AS2 */
export const nearestMember = (partition: number, members: readonly string[]): string =>
  must(nearestWithRoom(partition, new Map(members.map((member) => [member, 1]))), 'a partition has members');

/** Those `count` of a member's partitions that have the highest hashes with it. AS2 */
function nearest(partitions: readonly number[], member: string, count: number): readonly number[] {
  if (partitions.length <= count) return partitions;
  const hashed = partitions.map((partition): [number, number] => [affinity(partition, member), partition]);
  return hashed
    .sort(([a, p], [b, q]) => b - a || p - q)
    .slice(0, count)
    .map(([, partition]) => partition);
}

/** AS2 */
function nearestWithRoom(partition: number, room: ReadonlyMap<string, number>): string | undefined {
  let best: string | undefined;
  let most = -1;
  for (const [member, left] of room) {
    if (left === 0) continue;
    const hash = affinity(partition, member);
    if (hash < most || (hash === most && compare(member, best!) > 0)) continue;
    most = hash;
    best = member;
  }
  return best;
}

/** AS1 */
function roomOf(owned: ReadonlyMap<string, readonly number[]>, partitionCount: number): Map<string, number> {
  const share = Math.floor(partitionCount / owned.size);
  const ceilings = partitionCount % owned.size;
  const countOf = (member: string): number => owned.get(member)!.length;
  const members = [...owned.keys()].sort((a, b) => countOf(b) - countOf(a) || compare(a, b));
  return new Map(members.map((member, place) => [member, place < ceilings ? share + 1 : share]));
}
