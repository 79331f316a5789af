// The users that a question means.
//   UM1. The ranges of a segment are those of the zone of the question, and move with its days.
import type {Deed, UserFilter} from '../user-filter.js';
import {conditionsOf, type SegmentUsers, type UsersMember} from './members.js';
import {endOfTimeMs, momentsOf, type Service, timesOf} from './times.js';

interface Asked {
  readonly users?: UsersMember;
  readonly timezone?: string | undefined;
}

/** `users` absent: all. */
export type UsersMeant =
  | {readonly is: 'meant'; readonly users?: UserFilter}
  | {readonly is: 'no segment'; readonly id: string}
  /** The range of a deed begins after it ends. `at`: its place in the list. */
  | {readonly is: 'no range'; readonly at: number};

export function usersMeant(
  {users = {}, timezone}: Asked,
  segmentOf: (id: string) => {readonly users: SegmentUsers} | undefined,
  service: Service,
): UsersMeant {
  const {segment: id} = users;
  const segment = id === undefined ? undefined : segmentOf(id);
  if (id !== undefined && segment === undefined) return {is: 'no segment', id};
  const all = segment === undefined ? [users] : [segment.users, users];
  const where = all.flatMap((one) => conditionsOf(one.where));
  const did: Deed[] = [];
  for (const one of all) {
    const deeds = (one.did ?? []).map((deed) => deedOf(deed, timezone, service));
    const at = deeds.findIndex(({fromMs, toMs}) => fromMs > toMs);
    if (at >= 0) return {is: 'no range', at};
    did.push(...deeds);
  }
  return {is: 'meant', ...(where.length + did.length > 0 && {users: {where, did}})};
}

function deedOf(
  {event, where, range, not}: NonNullable<SegmentUsers['did']>[number],
  timezone: string | undefined,
  service: Service,
): Deed {
  // The earliest time of an event is 1970.
  const {fromMs = 0, toMs = endOfTimeMs} = momentsOf(timesOf({range, timezone}, service), service);
  return {...(event !== undefined && {event}), where: conditionsOf(where), fromMs, toMs, isAbsent: not};
}
