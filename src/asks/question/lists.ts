// Questions for lists: of names, properties, traits, their values, and people.
import {z} from 'zod';
import {namesLimitDefault, namesLimitMax, objectKeyCharsMax} from '../../../actors/limits.js';
import {behind} from './behind.js';
import {anyText, flag, listRange, name, object, text, timezone, users, where, wholeNumber, word} from './members.js';

const levelsMax = 10;
const keyCharsMax = objectKeyCharsMax * levelsMax;

/** A key of an object, or a path of keys: any characters. */
const key = () =>
  text(`a name of 1 to ${keyCharsMax} characters`, ({length}) => length >= 1 && length <= keyCharsMax).meta({
    minLength: 1,
    maxLength: keyCharsMax,
  });

const page = {
  prefix: anyText().optional().describe('Only items that begin with this.'),
  limit: wholeNumber(1, namesLimitMax).default(namesLimitDefault).describe('Items on a page.'),
  cursor: anyText()
    .optional()
    .describe(
      'The `next_cursor` of the page before, with the same members; it keeps the range, and `limit` may change. Pages ' +
        'of one position fit together; `at` asks for it.',
    ),
};

const recent = {
  range: listRange(
    'Default: the 30 days that end with today, and what is later; with `to` alone the 30 days that end with it.',
  ),
  timezone,
};

const ofUsers = {range: listRange('Only users with an event in it. Default: all users.'), timezone};

const hidden = flag().default(false).describe('`true`: hidden ones are listed, too, and marked `"hidden":true`.');
const event = name.optional().describe('Only events of this name. Default: of every name.');

/** What the description has once. */
export const shared = {
  ListPrefix: page.prefix,
  ListLimit: page.limit,
  ListCursor: page.cursor,
  ListRange: recent.range,
  RangeOfUsers: ofUsers.range,
  ListHidden: hidden,
  EventOfList: event,
};

export const names = object({
  report: z.literal('names').describe('Names of events, the most frequent first.'),
  include: word(['users'])
    .optional()
    .describe('`users`: each name has `users`, the distinct users with such an event in the range.'),
  users,
  hidden,
  ...recent,
  ...page,
  prefix: name.optional().describe('Only names that begin with this.'),
});
export type NamesQuestion = z.infer<typeof names>;

export const properties = object({
  report: z.literal('properties').describe('Properties of events, the most frequent first.'),
  event,
  hidden,
  ...recent,
  ...page,
});
export type PropertiesQuestion = z.infer<typeof properties>;

export const values = object({
  report: z.literal('values').describe('Values of a property, the most frequent first.'),
  property: key().describe('The property, as in `where`: dots name nested keys.'),
  event,
  ...recent,
  ...page,
});
export type ValuesQuestion = z.infer<typeof values>;

export const traits = object({
  report: z.literal('traits').describe('Traits of users, the most frequent first.'),
  ...ofUsers,
  ...page,
});
export type TraitsQuestion = z.infer<typeof traits>;

export const traitValues = object({
  report: z.literal('trait_values').describe('Values of a trait, the most frequent first.'),
  trait: key().describe('The trait, as in `user_where`: dots name nested keys.'),
  ...ofUsers,
  ...page,
});
export type TraitValuesQuestion = z.infer<typeof traitValues>;

export const people = object({
  report: z
    .literal('people')
    .describe('Users by their traits, by what they did, or behind a number: the last seen first.'),
  behind: behind
    .optional()
    .describe(
      'The people behind a number of a report, as many as it says. Of events, held values or several cohorts each user is listed once.',
    ),
  users,
  event: name.optional().describe('Only users with an event of this name, in the range if one is given.'),
  where,
  ...ofUsers,
  sort: z
    .union([word(['events']), object({sum: name.describe('The name of a property.')})], 'events, or {"sum": property}')
    .optional()
    .describe(
      '`"events"`: the most events first. `{"sum": property}`: the largest sum of its numbers first. Each row has the exact ' +
        '`value`, of the events that `event`, `where` and `range` choose, without these of all. Absent: the last seen first.',
    ),
  ...page,
  prefix: anyText().optional().describe('Only users whose id begins with this.'),
  search: name
    .optional()
    .describe(
      'Only users with this text, whatever its case, in their id, in `email`, or in a trait that titles come from.',
    ),
});
export type PeopleQuestion = z.infer<typeof people>;
