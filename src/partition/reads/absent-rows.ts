// Reasons for missing rows: the user was deleted; the user moved to another partition and the chunk was rewritten; or the log lost
// the row.
//   AR1. A missing row does not tell its user. The question brings the user's index, which no other user ever gets.
//   AR2. A row that the log lost is never answered by the row that has its ordinal now.
import {readWtf8} from '../../../actors/bytes/bytes.js';
import {lostFrom} from '../../../actors/generations.js';
import type {Partition} from '../../../actors/partition.js';
import type {Absence} from '../../asks/events.js';
import type {PartitionAnswer, PartitionQuestion} from '../../asks/partition.js';

type Was = NonNullable<Extract<PartitionQuestion, {ask: 'bodies'}>['was']>;
type Bodies = Extract<PartitionAnswer, {kind: 'bodies'}>;

/** `events` may be fewer than `ordinals`. */
export function withAbsences(
  partition: Partition,
  {ordinals, events, users}: Pick<Bodies, 'events' | 'users'> & {readonly ordinals: readonly number[]},
  was: Was,
): Bodies {
  const lost = lostFrom(partition.generations, was.generation);
  const absences = events.map((text, at): Absence | null => {
    if (ordinals[at]! >= lost) return {why: 'lost'};
    return text === null ? absenceOf(partition, was.users[at]!) : null;
  });
  const isThere = (_: unknown, at: number): boolean => absences[at] === null;
  return {
    kind: 'bodies',
    events: events.map((text, at) => (isThere(text, at) ? text : null)),
    users: users.map((user, at) => (isThere(user, at) ? user : null)),
    absences,
  };
}

function absenceOf(partition: Partition, user: number): Absence {
  if (!partition.users.table.has(user) || !partition.moves.leftOut.has(user)) return {why: 'erased'};
  const owner = partition.identity.ownerKeyOf(user);
  return {why: 'moved', partition: partition.identity.homeOf(owner), userId: readWtf8(owner, 1, owner.length)};
}
