// The list of the people with events in a span.

import {readAddress} from '../address/codec.js';
import type {Condition} from '../address/conditions.js';
import {conditionsMax} from '../address/conditions.js';
import {funnelForm, funnelUsersPath} from '../address/funnel-address.js';
import type {Span} from '../address/report-address.js';
import {whoDidPath} from '../address/who-did.js';
import type {PeopleList} from './explanation.js';

interface DoneEvents {
  /** Null: of any name. */
  readonly event: string | null;
  readonly where: readonly Condition[];
  readonly userWhere: readonly Condition[];
}

/** People with an event: of one name as a funnel of one step, which has the time of the first. Undefined: too many conditions. */
export function peopleWith({event, where, userWhere}: DoneEvents, span: Span): PeopleList | undefined {
  if (event === null) {
    const path = whoDidPath([{event, where, when: span}], userWhere);
    return path === undefined ? undefined : {path, when: 'Last seen'};
  }
  if (Math.max(where.length, userWhere.length) > conditionsMax) return undefined;
  const {question} = readAddress(funnelForm, '');
  const asked = {...question, step: [event], where: [where], user_where: userWhere};
  return {path: funnelUsersPath(asked, span, 1, 'reached'), when: 'First time'};
}
