// The users that a question means.
//   UM1. The ranges of a segment are those of the zone of the question, and move with its days.
import type {Deed, UserFilter, UserRules} from '../user-filter.js';
import {conditionsOf, type SegmentUsers, type UsersMember} from './members.js';
import {endOfTimeMs, momentsOf, type Service, timesOf} from './times.js';

interface Asked {
  readonly users?: UsersMember;
  readonly timezone?: string | undefined;
}

/** `users` absent: all. */
export type UsersMeant =
  | {readonly is: 'meant'; readonly users?: UserFilter}
  | {readonly is: 'no segment'; readonly id: string; readonly member: 'segment' | 'not_segment'}
  /** The range of a deed begins after it ends. `at`: its place in the list. */
  | {readonly is: 'no range'; readonly at: number};

export function usersMeant(
  {users = {}, timezone}: Asked,
  segmentOf: (id: string) => {readonly users: SegmentUsers} | undefined,
  service: Service,
): UsersMeant {
  const named: Partial<Record<'segment' | 'not_segment', SegmentUsers>> = {};
  for (const member of ['segment', 'not_segment'] as const) {
    const {[member]: id} = users;
    if (id === undefined) continue;
    const segment = segmentOf(id);
    if (segment === undefined) return {is: 'no segment', id, member};
    named[member] = segment.users;
  }
  const {segment, not_segment: others} = named;
  const meant = rulesOf(segment === undefined ? [users] : [segment, users], timezone, service);
  if ('at' in meant) return {is: 'no range', ...meant};
  const except = others && rulesOf([others], timezone, service);
  if (except !== undefined && 'at' in except) return {is: 'no range', ...except};
  const {where, did} = meant;
  const isOfAll = where.length + did.length === 0 && except === undefined;
  return {is: 'meant', ...(!isOfAll && {users: {where, did, ...(except && {except})}})};
}

/** All of them together. `at`: the range of this deed, by its place in its list, begins after it ends. */
function rulesOf(
  all: readonly Pick<SegmentUsers, 'where' | 'did'>[],
  timezone: string | undefined,
  service: Service,
): UserRules | {readonly at: number} {
  const did: Deed[] = [];
  for (const one of all) {
    const deeds = (one.did ?? []).map((deed) => deedOf(deed, timezone, service));
    const at = deeds.findIndex(({fromMs, toMs}) => fromMs > toMs);
    if (at >= 0) return {at};
    did.push(...deeds);
  }
  return {where: all.flatMap((one) => conditionsOf(one.where)), did};
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
