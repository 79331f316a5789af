// A number of Paths: the users who had an event at a step.
import {askedOver, conditionsOf, type Draft, ofUsers} from '../../address/page-question.js';
import type {Span} from '../../address/report-address.js';
import {count, percent} from '../../charts/format.js';
import {type Explanation, eventsText, ofUsersText, zoneOf} from '../../explained/explanation.js';
import type {Freshness} from '../../service/freshness.js';

export interface PathNumber {
  readonly users: number;
  readonly total: number;
  readonly question: Draft<'paths'>;
  /** From 1. */
  readonly step: number;
  /** Name of the event there, or of the group without a name. */
  readonly name: string;
  /** The group; absent: an event. */
  readonly kind?: 'other' | 'end' | undefined;
  readonly days: Span;
  /** The days in words. */
  readonly when: string;
  readonly freshness: Freshness | undefined;
}

/** The event that paths begin with, or end with; empty: none is chosen. */
export const turnOf = ({start, end}: Pick<Draft<'paths'>, 'start' | 'end'>) => ({
  event: (start ?? end)!.event,
  isBefore: end !== undefined,
});

export function pathBehind(number: PathNumber): Explanation {
  const {users, total, question, step, name, kind, days, when, freshness} = number;
  const {event, isBefore} = turnOf(question);
  const where = conditionsOf(question.where);
  const all = `Each user with ${eventsText(event, where)}${ofUsersText(ofUsers(question))}, ${when} (${zoneOf(days)}) has one path.`;
  const begins = isBefore ? `It goes back from their last ${event}` : `It begins with their first ${event}`;
  const passing = where.length === 0 ? 'every event' : 'every event that passes the filter';
  const title = `${count(users)} user${users === 1 ? '' : 's'}: ${name} at step ${step}`;
  const counts = step === 1 ? [] : [`The number counts those whose step ${step} is ${name}.`];
  return {
    title: step === 1 ? title : `${title}, ${percent(users / total)} of ${count(total)}`,
    how: [all, `${begins}, and ${passing} is a step of it.`, ...counts],
    people: {
      question: askedOver(question, days),
      point: {step, ...(kind === undefined ? {event: name} : {kind})},
    },
    freshness,
  };
}
