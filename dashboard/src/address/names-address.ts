// The question of Events, Names: which names, properties and values there are.
import {nameOrNone, type QuestionOf, word} from './codec.js';
import {range} from './report-address.js';

export const namesForm = {
  /** Tab of the page. */
  show: word<'names', null>(['names'], null),
  /** Whose properties are listed: those of events, or the traits of users. */
  of: word<'events' | 'users', 'events'>(['events', 'users'], 'events'),
  /** Null: events of any name. */
  event: nameOrNone('the name of an event, of 1 to 256 characters'),
  /** Property or trait whose values are listed; null: none. */
  property: nameOrNone('the name of a property'),
  range,
} as const;
export type NamesQuestion = QuestionOf<typeof namesForm>;
