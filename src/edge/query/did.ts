// The condition on what a user did to be counted: an event or any, `where`, `user_where` of reports about users (docs/api.md, Reports).
import type {Condition} from '../../../actors/report/rows/condition.js';
import type {Selector} from '../../../actors/report/rows/row-choice.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import {userWhere, where} from './conditions.js';
import {name, optional, word} from './parameters.js';

export const didForm = {
  event: optional(name, {description: 'The name of the events that count. Without it: events of every name.'}),
  where,
  user_where: userWhere,
};

/** Parameters of reports that require a choice: a named event, or any. */
export const namedForm = {
  event: optional(name, {
    description: 'The name of the events that count. Either this, or `any_event`.',
    example: 'signup',
  }),
  any_event: optional(word(['true']), {description: '`true` in place of `event`: events of every name.'}),
  where,
  user_where: userWhere,
};

interface Asked {
  readonly event: string | undefined;
  readonly where: readonly Condition[];
  readonly user_where: readonly Condition[];
}

interface Did {
  readonly did: Selector;
  readonly userWhere: readonly Condition[];
}

export const didOf = ({event, where, user_where}: Asked): Did => ({
  did: event === undefined ? {where} : {event, where},
  userWhere: user_where,
});

/** @throws RequestFailure */
export function namedOf(asked: Asked & {readonly any_event: string | undefined}): Did {
  checkNamed('event', asked.event, 'any_event', asked.any_event);
  return didOf(asked);
}

/** Exactly one of a name and its word for any. @throws RequestFailure */
export function checkNamed(field: string, given: string | undefined, anyField: string, any: string | undefined): void {
  if (given === undefined && any === undefined) throw refused(`${field} is required`, field);
  if (given !== undefined && any !== undefined) throw refused(`${field} and ${anyField} exclude each other`, field);
}

const refused = (message: string, field: string): RequestFailure => new RequestFailure(invalidRequest(message, field));

/** Whether every event of every user counts. */
export const isAnything = ({event, where, user_where}: Asked): boolean =>
  event === undefined && where.length === 0 && user_where.length === 0;
