// The user whom a request names.
//   AU1. Any id may be asked for, even if an event with it would be refused: a stored user can always be read and erased.
//   AU2. An id in the query reaches the service as it was sent. One in a path may not: proxies decode and normalise paths, so
//        `a/../ada` arrives as `ada`.

import type {UserKind, UserRef} from '../../asks/users.js';
import {isName} from '../../ingest/validate.js';
import {type Failure, invalidRequest, RequestFailure} from '../failure.js';
import type {Exchange} from '../http/exchange.js';
import {askedId, optional, withDefault, word} from './parameters.js';
import {type QueryValues, readPathId, readQuery} from './query.js';

export const userNotFound: Failure = {code: 'user_not_found', message: 'no such user'};

/** `linkedTo`: the user that an anonymous one is. */
export interface UnknownUser {
  readonly linkedTo?: string;
}

/** Answers 404. */
export function failUnknown(exchange: Exchange, {linkedTo}: UnknownUser, more: object = {}): void {
  exchange.failWith(userNotFound, linkedTo === undefined ? more : {...more, linked_to: linkedTo});
}

/** Parameters of routes that take the id in the query: one of the two. */
export const userForm = {
  userId: optional(askedId, {description: 'The user of this userId.', example: 'ada'}),
  anonymousId: optional(askedId, {description: 'The user of this anonymousId, in place of `userId`.'}),
};

/** Parameters of routes that take the id in the path. */
export const userPathForm = {
  kind: withDefault(word<UserKind>(['user', 'anonymous']), 'user', {
    description: '`anonymous`: the id in the path is an anonymousId.',
  }),
};

/** The user that a request names; undefined when it names none. @throws RequestFailure when both are. */
export function namedUser({userId, anonymousId}: QueryValues<typeof userForm>): UserRef | undefined {
  if (userId !== undefined && anonymousId !== undefined) {
    throw new RequestFailure(invalidRequest('userId and anonymousId name two users: give one of them', 'anonymousId'));
  }
  if (userId !== undefined) return {kind: 'user', id: userId};
  return anonymousId === undefined ? undefined : {kind: 'anonymous', id: anonymousId};
}

/** @throws RequestFailure unless the query names one user. */
export const userInQuery = ({query}: Exchange): UserRef => oneUser(readQuery(query, userForm));

/** @throws RequestFailure unless the parameters name one user. */
export function oneUser(ids: QueryValues<typeof userForm>): UserRef {
  const user = namedUser(ids);
  if (user === undefined) throw new RequestFailure(invalidRequest('userId or anonymousId is required', 'userId'));
  return user;
}

/** @throws RequestFailure for a malformed path or query, and for an id that no user can have. */
export function userInPath({query}: Exchange, segment: string): UserRef {
  const id = readPathId(segment);
  const {kind} = readQuery(query, userPathForm);
  if (!isName(id)) throw new RequestFailure(userNotFound);
  return {kind, id};
}
