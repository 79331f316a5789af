// A number of retention: the size of a cohort, a cell, or what all complete cohorts have.
import {askedOver, conditionsOf, type Draft, ofUsers} from '../../address/page-question.js';
import type {Interval} from '../../address/range.js';
import type {Span} from '../../address/report-address.js';
import {count, percent} from '../../charts/format.js';
import {type Explanation, eventsText, ofUsersText, zoneOf} from '../../explained/explanation.js';
import type {Freshness} from '../../service/freshness.js';

interface RetentionNumber {
  /** Users. */
  readonly value: number;
  /** Users of the cohort, or of the complete cohorts. */
  readonly size: number;
  readonly question: Draft<'retention'>;
  readonly days: Span;
  readonly interval: Interval;
  /** Dates of the answer's cohorts. */
  readonly dates: readonly string[];
  /** Index of the cohort, and its name; undefined: all of them. */
  readonly cohort: {readonly at: number; readonly name: string} | undefined;
  /** Undefined: the size. */
  readonly period: number | undefined;
  readonly freshness: Freshness | undefined;
}

export function retentionBehind(number: RetentionNumber): Explanation {
  const {value, size, question, days, interval, dates, cohort, period, freshness} = number;
  const share = period === undefined || size === 0 ? '' : `, ${percent(value / size)} of ${count(size)}`;
  const of = cohort === undefined ? 'all cohorts' : cohort.name;
  // The answer has no number of all members of all cohorts.
  const isOfAll = cohort === undefined && period === undefined;
  const people = {
    question: askedOver(question, days, interval),
    point: {cohort: cohort && dates[cohort.at], period},
  };
  return {
    title: `${count(value)} user${value === 1 ? '' : 's'} of ${of}${share}`,
    how: sentences(number),
    people: isOfAll ? undefined : people,
    noPeople: isOfAll ? 'No list has the people of all cohorts: choose a number of one of them.' : undefined,
    freshness,
  };
}

function sentences(number: RetentionNumber): string[] {
  const {question, interval, cohort, period, days} = number;
  const {start, return: back} = question;
  const began = `${eventsText(start.event, conditionsOf(start.where))}${ofUsersText(ofUsers(question))}`;
  const returned = eventsText(back?.event ?? null, conditionsOf(back?.where));
  const of = cohort === undefined ? `each ${interval} of the days that are shown` : cohort.name;
  const zone = zoneOf(days);
  if (period === undefined) {
    const first = question.cohort === 'first' ? 'first of all time' : 'first in it';
    return [`Different users with ${began}: the ${first} is in ${of} (${zone}).`];
  }
  const sum =
    cohort === undefined
      ? `The sum over the cohorts whose ${interval} ${period} is over for everybody, as is the size that it is a share of.`
      : '';
  return [
    `Of the users who began with ${began} in ${of}, those with ${returned} in ${interval} ${period} (${zone}).`,
    ...(sum === '' ? [] : [sum]),
    retentionRule(question, start.event, interval),
  ];
}

const lengths: Readonly<Partial<Record<Interval, string>>> = {
  hour: 'an hour',
  day: '24 hours',
  week: '7 days',
  month: '30 days',
};

/** Rule by which cells are counted: a sentence on the page and on each of its cells. */
export function retentionRule(
  {cohort, criteria, frame, return: back}: Draft<'retention'>,
  start: string,
  interval: Interval,
): string {
  const who =
    cohort === 'first'
      ? `A user is in the ${interval} of their first ${start} of all time`
      : `A user is in each ${interval} in which they did ${start}`;
  const when =
    frame === 'calendar'
      ? `the ${interval} of its column: 0 is the rest of their own ${interval}, 1 is the ${interval} after it`
      : `the period of its column: each is ${lengths[interval]} long, and 0 begins with their start`;
  const how =
    criteria === 'on'
      ? `who did ${back?.event ?? 'any event'} in`
      : `who did ${back?.event ?? 'any event'} in or after`;
  return `${who}. A cell counts those ${how} ${when}.`;
}
