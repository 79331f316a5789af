// A number of Paths: the users who had an event at a step.
import type {PathsQuestion} from '../address/engagement-address.js';
import type {Span} from '../address/report-address.js';
import {count, percent} from '../charts/format.js';
import type {Freshness} from '../service/freshness.js';
import {type Explanation, eventsText, ofUsersText, tooMany, zoneOf} from './explanation.js';
import {peopleWith} from './people-path.js';

export interface PathNumber {
  readonly users: number;
  readonly total: number;
  readonly question: PathsQuestion;
  /** The event that paths begin with, or end with. */
  readonly event: string;
  /** From 1. */
  readonly step: number;
  /** Name of the event there, or of the group without a name. */
  readonly name: string;
  readonly days: Span;
  /** The days in words. */
  readonly when: string;
  readonly freshness: Freshness | undefined;
}

export function pathBehind({
  users,
  total,
  question,
  event,
  step,
  name,
  days,
  when,
  freshness,
}: PathNumber): Explanation {
  const {direction, where, user_where: userWhere} = question;
  const isBefore = direction === 'before';
  const all = `Each user with ${eventsText(event, where)}${ofUsersText(userWhere)}, ${when} (${zoneOf(days)}) has one path.`;
  const begins = isBefore ? `It goes back from their last ${event}` : `It begins with their first ${event}`;
  const passing = where.length === 0 ? 'every event' : 'every event that passes the filter';
  const title = `${count(users)} user${users === 1 ? '' : 's'}: ${name} at step ${step}`;
  const base = {title: step === 1 ? title : `${title}, ${percent(users / total)} of ${count(total)}`, freshness};
  const how = [all, `${begins}, and ${passing} is a step of it.`];
  if (step > 1)
    return {
      ...base,
      how: [...how, `The number counts those whose step ${step} is ${name}.`],
      noPeople:
        'No list of these users: a list does not know the place of an event on a path. A funnel of the same events comes close, but counts other paths.',
    };
  const people = peopleWith({event, where, userWhere}, days, users);
  return {...base, how, people, noPeople: people === undefined ? tooMany : undefined};
}
