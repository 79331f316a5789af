// Which users a question is about: the parameters of reports, and the member `users`.
import {type UsersMember, users, userWhere} from '../../asks/question/members.js';
import type {Service} from '../../asks/question/times.js';
import {usersMeant} from '../../asks/question/users-meant.js';
import type {UserFilter} from '../../asks/user-filter.js';
import type {KeptStore} from '../../kept/kept-store.js';
import {segmentsOf} from '../../kept/segment.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import {conditionTexts} from './conditions.js';
import {member} from './parameters.js';
import type {QueryValues} from './query.js';

export const usersForm = {
  user_where: conditionTexts(userWhere),
  segment: member(users.unwrap().shape.segment),
  not_segment: member(users.unwrap().shape.not_segment),
};

/** The member of a question. */
export const usersIn = ({user_where, segment, not_segment}: QueryValues<typeof usersForm>) => ({
  users: {where: [...user_where], segment, not_segment},
});

/** A segment is looked up among what is kept. */
export interface UserService extends Service {
  readonly kept: {readonly store: KeptStore};
}

interface Asked {
  readonly users?: UsersMember;
  readonly timezone?: string | undefined;
}

/** Absent: all users. @throws RequestFailure that names `segment`, `not_segment`, or a deed as `did[n]`, n from 1. */
export function userFilterOf(asked: Asked, service: UserService): {readonly users?: UserFilter} {
  const meant = usersMeant(asked, (id) => segmentsOf(service.kept.store).get(id), service);
  switch (meant.is) {
    case 'meant':
      return meant.users === undefined ? {} : {users: meant.users};
    case 'no segment':
      throw refused(meant.member, `there is no segment ${meant.id}`);
    case 'no range':
      throw refused(`did[${meant.at + 1}]`, 'the range begins after it ends');
  }
}

const refused = (field: string, why: string): RequestFailure =>
  new RequestFailure(invalidRequest(`${field}: ${why}`, field));
