// Which users a question is about: the parameters of reports, and the member `users`.
//   UF1. The ranges of a segment are those of the zone of the question, and move with its days.
import {type UsersMember, users, userWhere} from '../../asks/question/members.js';
import type {Deed, UserFilter} from '../../asks/user-filter.js';
import type {KeptStore} from '../../kept/kept-store.js';
import {segmentsOf} from '../../kept/segment.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import {momentsOf} from './asked-times.js';
import {conditionsOf, conditionTexts} from './conditions.js';
import {member} from './parameters.js';
import type {QueryValues} from './query.js';
import {type Service, timesOf} from './question-times.js';
import {endOfTimeMs} from './recent-range.js';

export const usersForm = {
  user_where: conditionTexts(userWhere),
  segment: member(users.unwrap().shape.segment),
};

/** The member of a question. */
export const usersIn = ({user_where, segment}: QueryValues<typeof usersForm>) => ({
  users: {where: [...user_where], segment},
});

/** A segment is looked up among what is kept. */
export interface UserService extends Service {
  readonly kept: {readonly store: KeptStore};
}

interface Asked {
  readonly users?: UsersMember;
  readonly timezone?: string | undefined;
}

/** Absent: all users. @throws RequestFailure that names `segment`, or a deed as `did[n]`, n from 1. */
export function userFilterOf({users = {}, timezone}: Asked, service: UserService): {readonly users?: UserFilter} {
  const {segment: id} = users;
  const segment = id === undefined ? undefined : segmentsOf(service.kept.store).get(id);
  if (id !== undefined && segment === undefined) throw refused('segment', `there is no segment ${id}`);
  const all = segment === undefined ? [users] : [segment.users, users];
  const where = all.flatMap((one) => conditionsOf(one.where));
  const did = all.flatMap((one) => deedsOf(one.did, timezone, service));
  return where.length + did.length === 0 ? {} : {users: {where, did}};
}

const deedsOf = (
  did: NonNullable<UsersMember>['did'],
  timezone: string | undefined,
  service: UserService,
): readonly Deed[] =>
  (did ?? []).map(({event, where, range, not}, at) => {
    const times = timesOf({range, timezone}, service);
    const {fromMs = 0, toMs = endOfTimeMs} = momentsOf(times, service); // The earliest time of an event is 1970.
    if (fromMs > toMs) throw refused(`did[${at + 1}]`, 'the range begins after it ends');
    return {...(event === undefined ? {} : {event}), where: conditionsOf(where), fromMs, toMs, isAbsent: not};
  });

const refused = (field: string, why: string): RequestFailure =>
  new RequestFailure(invalidRequest(`${field}: ${why}`, field));
