// Whether the events of the service lie in the days of a page, or elsewhere: a new user who imported a history, or who sent one event
// before it, would take the days of the page for all there is.
import type {NamesAnswer} from '../../../src/edge/answers/lists.js';
import {type Days, dayOfMs} from '../address/range.js';

/** All days that can have an event: a timestamp may be a day ahead. The question is that of first-day.ts. */
export const everyDay = (today: number): Days => ({from: 0, to: today + 1});

const newestDays = 30;
/** A day of the page has less than this part of the events of a day before it. */
const fewPart = 1 / 10;

export interface StoredDays extends Days {
  readonly count: number;
}

/** Undefined: there is no event. `wallMs`: the wall clock of the zone of the page (zone.ts). */
export function storedDays({data}: NamesAnswer, wallMs: (ms: number) => number = (ms) => ms): StoredDays | undefined {
  if (data.length === 0) return undefined;
  const dayIn = (time: string): number => dayOfMs(wallMs(Date.parse(time)));
  return {
    from: Math.min(...data.map(({first_seen}) => dayIn(first_seen))),
    to: Math.max(...data.map(({last_seen}) => dayIn(last_seen))),
    count: countOf({data}),
  };
}

export const countOf = ({data}: Pick<NamesAnswer, 'data'>): number => data.reduce((all, {count}) => all + count, 0);

/** The last of the days with events. */
export const newestOf = ({from, to}: Days): Days => ({from: Math.max(from, to - newestDays + 1), to});

/** No event lies in `days`. */
export const liesElsewhere = (stored: Days, days: Days): boolean => days.to < stored.from || stored.to < days.from;

/** `within` events lie in `days`, the end of all that is stored: few beside those before, by the day. */
export function liesMostlyBefore(stored: StoredDays, days: Days, within: number): boolean {
  const before = days.from - stored.from;
  if (before <= 0 || stored.to > days.to || within >= stored.count) return false;
  return within / (days.to - days.from + 1) < (fewPart * (stored.count - within)) / before;
}
