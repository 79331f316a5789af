// What a user must have done to be counted: `event`, `where`, `user_where` of reports about users (docs/api.md, Reports).
import type {Condition} from '../../../actors/report/rows/condition.js';
import type {Selector} from '../../../actors/report/rows/row-choice.js';
import {userWhere, where} from './conditions.js';
import {name, optional} from './parameters.js';

export const didForm = {
  event: optional(name, {description: 'The name of the events that count. Without it: events of every name.'}),
  where,
  user_where: userWhere,
};

interface Asked {
  readonly event: string | undefined;
  readonly where: readonly Condition[];
  readonly user_where: readonly Condition[];
}

export const didOf = ({event, where, user_where}: Asked): {did: Selector; userWhere: readonly Condition[]} => ({
  did: event === undefined ? {where} : {event, where},
  userWhere: user_where,
});

/** Whether every event of every user counts. */
export const isAnything = ({event, where, user_where}: Asked): boolean =>
  event === undefined && where.length === 0 && user_where.length === 0;
