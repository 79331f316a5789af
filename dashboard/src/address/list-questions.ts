// Questions for the lists that pickers choose from: properties of events, traits of users, and their values.
import type {FixedQuestion} from '../../../src/asks/question/flat.js';
import type {Days} from './range.js';
import {timesOf} from './report-address.js';

/** Source of keys: events of these days, of one name or of all; or the users' current traits. */
export type Keys =
  | {readonly of: 'events'; readonly event: string | undefined; readonly days: Days}
  | {readonly of: 'users'};

export function keysQuestion(keys: Keys, limit: number, prefix?: string): FixedQuestion {
  const page = {limit, prefix: prefix || undefined};
  if (keys.of === 'users') return {report: 'traits', ...page};
  return {report: 'properties', event: keys.event, ...page, ...timesOf(keys.days)};
}

export function valuesQuestion(keys: Keys, key: string, limit: number, prefix?: string): FixedQuestion {
  const page = {limit, prefix: prefix || undefined};
  if (keys.of === 'users') return {report: 'trait_values', trait: key, ...page};
  return {report: 'values', property: key, event: keys.event, ...page, ...timesOf(keys.days)};
}
