// A number of retention: the size of a cohort, a cell, or what all complete cohorts have.
import {bucketSpan, laterBucket} from '../address/bucket-span.js';
import type {RetentionQuestion} from '../address/engagement-address.js';
import type {Interval} from '../address/range.js';
import type {Span} from '../address/report-address.js';
import {retentionRule} from '../address/retention-rule.js';
import {type AskedDeed, whoDidPath} from '../address/who-did.js';
import {count, percent} from '../charts/format.js';
import type {Freshness} from '../service/freshness.js';
import {type Explanation, eventsText, ofUsersText, tooMany, zoneOf} from './explanation.js';

interface RetentionNumber {
  /** Users. */
  readonly value: number;
  /** Users of the cohort, or of the complete cohorts. */
  readonly size: number;
  readonly question: RetentionQuestion;
  readonly start: string;
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
  const {value, size, question, cohort, period, freshness} = number;
  const deeds = deedsOf(number);
  const path = typeof deeds === 'string' ? undefined : whoDidPath(deeds, question.user_where);
  const share = period === undefined || size === 0 ? '' : `, ${percent(value / size)} of ${count(size)}`;
  const of = cohort === undefined ? 'all cohorts' : cohort.name;
  return {
    title: `${count(value)} user${value === 1 ? '' : 's'} of ${of}${share}`,
    how: sentences(number),
    people: path === undefined ? undefined : {path, when: 'Last seen', total: value},
    noPeople: path !== undefined ? undefined : typeof deeds === 'string' ? deeds : tooMany,
    freshness,
  };
}

/** Deeds that the users of the number did or did not do; or the reason why no list can name these users. */
function deedsOf(number: RetentionNumber): readonly AskedDeed[] | string {
  const {question, cohort, period} = number;
  if (cohort === undefined) return 'No list has the people of several cohorts: choose a number of one of them.';
  const members = membersOf(number, cohort.at);
  if (period === undefined) return members;
  if (question.frame === 'rolling')
    return 'No list of these users: rolling periods begin at another moment for each user.';
  if (period === 0)
    return 'No list of these users: a return in the first period must follow the start, and a list knows no order.';
  const back = returnSpan(number, cohort.at, period);
  if (back === undefined) return 'No list of these users: the period is after the days that are shown.';
  return [...members, {event: question.return, where: question.return_where, when: back}];
}

/** The members of a cohort. */
function membersOf({question, start, days, dates, interval}: RetentionNumber, at: number): readonly AskedDeed[] {
  const span = bucketSpan(dates, at, days, interval);
  const began = {event: start, where: question.start_where};
  const first = {...began, when: span};
  return question.cohort === 'first' ? [first, {...began, when: {before: span}, isAbsent: true}] : [first];
}

/** Span of the returns of a cell; undefined: the cell counts none, since with `on_or_after` no event after the days counts. */
function returnSpan({question, days, dates, interval}: RetentionNumber, at: number, period: number): Span | undefined {
  const bucket = laterBucket(dates[at]!, period, interval, zoneOf(days));
  if (question.criteria === 'on') return bucket;
  return bucket.from > days.to ? undefined : {...bucket, to: days.to};
}

function sentences(number: RetentionNumber): string[] {
  const {question, start, interval, cohort, period, days} = number;
  const {start_where: startWhere, return: back, return_where: returnWhere, user_where: userWhere} = question;
  const began = `${eventsText(start, startWhere)}${ofUsersText(userWhere)}`;
  const returned = eventsText(back, returnWhere);
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
    retentionRule(question, start, interval),
  ];
}
