// What a user did to be counted: an event or any, `where`, `user_where` of reports about users (docs/api/reports/README.md), and
// the members of a question that they are.
import type {Selector} from '../../../actors/report/rows/row-choice.js';
import {type Conditions, conditionsOf, type UsersMember} from '../../asks/question/members.js';
import type {UserFilter} from '../../asks/user-filter.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import {whereTexts} from './conditions.js';
import {flag, name, optional} from './parameters.js';
import type {QueryValues} from './query.js';
import {type UserService, userFilterOf, usersForm, usersIn} from './user-filter.js';

export const didForm = {
  event: optional(name, {description: 'The name of the events that count. Without it: events of every name.'}),
  where: whereTexts,
  ...usersForm,
};

/** Parameters of reports that require a choice: a named event, or any. */
export const namedForm = {
  ...didForm,
  event: optional(name, {
    description: 'The name of the events that count. Either this, or `any_event`.',
    example: 'signup',
  }),
  any_event: flag({description: '`true` in place of `event`: events of every name.'}),
};

type Asked = QueryValues<typeof didForm>;

/** The members of a question. */
export const didIn = ({event, where, ...users}: Asked) => ({
  events: event === undefined ? [] : [{event}],
  where: [...where],
  ...usersIn(users),
});

/** @throws RequestFailure */
export function namedIn(asked: Asked & {readonly any_event: boolean}) {
  checkNamed('event', asked.event, 'any_event', asked.any_event);
  return didIn(asked);
}

/** Exactly one of a name and its word for any. @throws RequestFailure */
export function checkNamed(field: string, given: unknown, anyField: string, any: unknown): void {
  const isAny = any !== undefined && any !== false;
  if (given === undefined && !isAny) throw refused(`${field} is required`, field);
  if (given !== undefined && isAny) throw refused(`${field} and ${anyField} exclude each other`, field);
}

const refused = (message: string, field: string): RequestFailure => new RequestFailure(invalidRequest(message, field));

interface Choice {
  readonly event?: string | undefined;
  readonly where?: Conditions;
}

/** Events of a choice that meet further conditions, too. */
export const selectorOf = <Event extends string | undefined>(
  {event, where}: Choice & {readonly event?: Event},
  further?: Conditions,
): Selector => {
  const all = [...conditionsOf(where), ...conditionsOf(further)];
  return event === undefined ? {where: all} : {event, where: all};
};

interface Chosen {
  readonly events?: readonly Choice[] | undefined;
  readonly where?: Conditions;
  readonly users?: UsersMember;
  readonly timezone?: string | undefined;
}

/** The events and users that a question chooses. @throws RequestFailure */
export const didOf = (question: Chosen, service: UserService): {did: Selector; users?: UserFilter} => ({
  did: selectorOf(question.events?.[0] ?? {}, question.where),
  ...userFilterOf(question, service),
});
