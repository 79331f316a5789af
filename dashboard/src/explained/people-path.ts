// The list of the people with events in a span.

import {flatOf} from '../../../src/asks/question/flat.js';
import {readAddress} from '../address/codec.js';
import type {Condition} from '../address/conditions.js';
import {conditionsMax} from '../address/conditions.js';
import {funnelForm, funnelUsersPath} from '../address/funnel-address.js';
import {usualInterval} from '../address/range.js';
import type {Span} from '../address/report-address.js';
import {seriesQuestion} from '../address/trends-address.js';
import {whoDidPath} from '../address/who-did.js';
import type {PeopleList} from './explanation.js';

interface DoneEvents {
  /** Null: of any name. */
  readonly event: string | null;
  readonly where: readonly Condition[];
  readonly userWhere: readonly Condition[];
}

/**
 * People with an event: of one name as a funnel of one step, which has the time of the first. Undefined: too many conditions. `total`: how
 * many they are, where the explained number says it.
 */
export function peopleWith({event, where, userWhere}: DoneEvents, span: Span, total?: number): PeopleList | undefined {
  if (Math.max(where.length, userWhere.length) > conditionsMax) return undefined;
  const number = total ?? usersPath({event, where, userWhere}, span);
  if (event === null) {
    const path = whoDidPath([{event, where, when: span}], userWhere);
    return path === undefined ? undefined : {path, when: 'Last seen', total: number};
  }
  const {question} = readAddress(funnelForm, '');
  const asked = {...question, window: null, step: [event], where: [where], user_where: userWhere};
  return {path: funnelUsersPath(asked, span, 1, 'reached'), when: 'First time', total: number};
}

/** Path of a report whose `total_value` is the number of these people. */
const usersPath = ({event, where, userWhere}: DoneEvents, span: Span): string =>
  flatOf(
    seriesQuestion(
      {event, measure: 'users', property: '', where},
      {user_where: userWhere, by: null, weeks: null},
      span,
      usualInterval(span),
    ),
  );
