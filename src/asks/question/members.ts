// Members that several kinds of questions share, and the forms of their values.
//   ME1. The error of a form completes the sentence "<member> must be ...". What a member means is its description.
//   ME2. Members are texts where a parameter of a route has a text: the route reads both in the same way.
import {z} from 'zod';
import type {Interval} from '../../../actors/calendar.js';
import {
  breakdownCellsMax,
  breakdownLimitDefault,
  breakdownLimitMax,
  breakdownsMax,
  conditionsMax,
  deedsMax,
  idCharsMax,
  reportBucketsMax,
} from '../../../actors/limits.js';
import {parseTimestamp} from '../../../actors/log/timestamp.js';
import {type Condition, operators, takesNoValue} from '../../../actors/report/rows/condition.js';
import {readCondition, writeCondition} from '../../../actors/report/rows/condition-text.js';
import {isName} from '../../ingest/validate.js';
import {isDefinitionId} from '../../kept/definition.js';
import {didYouMean, nearestCondition, nearestOf, nearestOperator} from '../../nearest.js';
import {zoneOf} from '../../zone.js';
import {comparisons} from './past-range.js';

// -- forms of values --

/** A text that `isGood`. `nearest`: what another one probably means. */
export const text = (
  expected: string,
  isGood: (text: string) => boolean,
  nearest: (text: string) => string | undefined = () => undefined,
) =>
  z.string(expected).refine(isGood, {error: ({input}) => expected + didYouMean(nearest(String(input))), abort: true});

export const word = <const Words extends readonly string[]>(
  words: Words,
  nearest = (text: string): string | undefined => nearestOf(text, words),
) =>
  z.enum(words, {
    error: ({input}) => `one of ${words.join(', ')}${typeof input === 'string' ? didYouMean(nearest(input)) : ''}`,
  });

export const wholeNumber = (min: number, max: number) => {
  const expected = `a whole number from ${min} to ${max}`;
  return z.int(expected).min(min, expected).max(max, expected);
};

export const flag = () => z.boolean('true or false');

/** `why`: why other members of the same name elsewhere are none here. */
export const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape, why = '') =>
  z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return 'an object';
      const members = Object.keys(shape);
      return `is not among the members here: ${members.join(', ')}${why}${didYouMean(nearestOf(issue.keys[0]!, members))}`;
    },
  });

export const name = text(`a name of 1 to ${idCharsMax} characters`, isName).meta({minLength: 1, maxLength: idCharsMax});

export const anyText = () => z.string('a text').min(1, 'a text that is not empty');

/** A date, or a date and time with or without an offset. */
export const time = text('an ISO 8601 date or date and time', (text) => Number.isFinite(parseTimestamp(text))).meta({
  pattern: '^\\d{4}-\\d\\d-\\d\\d',
});

// -- times --

/** `-30d`, `-12mo` and words: ranges that move with the days. */
export const relativePattern =
  /^(?:-([1-9]\d{0,3})d|-([1-9]\d?|[1-5]\d\d|600)mo|today|yesterday|(this|last) (week|month|quarter|year))$/;
export const rangeDefault = '-30d';

const rangeRule = 'an object with from and to, or a text like -30d, -12mo, today, yesterday, this month, last week';

const relative = () => text(rangeRule, (text) => relativePattern.test(text)).meta({pattern: relativePattern.source});

const first = 'The first moment that counts, ISO 8601; a date is its first moment.';
const last = 'The last moment that counts, ISO 8601; a date is its last moment.';
export const bounds = object({from: time.describe(first), to: time.describe(last)});
export const openBounds = object({
  from: time.optional().describe(`${first} Absent: the range has no beginning.`),
  to: time.optional().describe(`${last} Absent: the range has no end.`),
});

const relativeWords =
  '`-30d` (30 days, the last one today), `-12mo` (12 months, the last one this month), `today`, `yesterday`, `this week`, `last month` (also of `quarter` and `year`; `this` one ' +
  'ends with today), or `{"from","to"}`.';

export const range = z
  .union([relative(), bounds], rangeRule)
  .default(rangeDefault)
  .describe(`The days that count: ${relativeWords}`);

/** The range of a list. `absent` says what it is without one. */
export const listRange = (absent: string) =>
  z
    .union([relative(), openBounds], rangeRule)
    .optional()
    .describe(`The days that count, as \`range\` of reports; \`from\` or \`to\` may be absent. ${absent}`);

export const timezone = text(
  'an IANA name such as Europe/Berlin, or an offset like -03:30',
  (text) => zoneOf(text) !== undefined,
)
  .meta({maxLength: 64})
  .optional()
  .describe(
    'Zone of dates, and of times without an offset: an IANA name, or an offset as `-03:30`. Default: `REPORT_TIMEZONE` of ' +
      'the service, else UTC.',
  );

export const intervals = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const satisfies readonly Interval[];
export const weekStarts = ['monday', 'sunday'] as const;

export const compare = word(comparisons)
  .optional()
  .describe(
    'Adds `previous` beside `answer`: an earlier range. `previous`: as many days (or milliseconds), up to the range. `weekdays`: ' +
      'whole weeks before. `year`: 364 days or twelve months before. `before`: `weekdays` for up to 28 days, else `previous`; of ' +
      'months, quarters and years as many.',
  );

/** Digits in groups of three. Each thread that starts reads this: `toLocaleString` would load ICU's data there, 40 ms of CPU. */
export const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/** Range and buckets of a report. */
export const bucketed = {
  range,
  interval: word(intervals)
    .default('day')
    .describe(`Length of a bucket, in the zone. At most ${grouped(reportBucketsMax)} buckets.`),
  timezone,
  week_start: word(weekStarts).default('monday').describe('First day of a week.'),
  compare,
};

// -- conditions --

const conditionRule = `a condition like "plan eq pro": a property, one of ${operators.join(', ')}, and a value, which ${operators.filter(takesNoValue).join(', ')} do not have; a number for gt, gte, lt and lte`;

const conditionText = text(conditionRule, (text) => readCondition(text) !== undefined, nearestCondition);
const valueRule = 'a text, a number, true or false, or a list of them for in and nin';
const scalar = z.union([z.string(), z.number(), z.boolean()], 'a text, a number, true or false');

const conditionObject = object({
  property: anyText().describe('The property, or the trait: dots name nested keys.'),
  op: word(operators, nearestOperator).describe(
    'The operator. `ne`, `nin`, `ncontains`, `unset` and `nnull` hold where the property is missing; `set` also where it is null; ' +
      '`gt` to `lte` compare JSON numbers alone; `has` finds an element of a list.',
  ),
  value: z
    .union([scalar, z.array(scalar, valueRule).min(1, valueRule)], valueRule)
    .optional()
    .describe('What it is compared with. A list for `in` and `nin`. Absent for `set`, `unset`, `null` and `nnull`.'),
}).refine((condition) => isCondition(condition), {error: conditionRule, path: ['value']});

export type ConditionMember = string | z.infer<typeof conditionObject>;

function isCondition({op, value}: {op: Condition['op']; value?: unknown}): boolean {
  if (takesNoValue(op)) return value === undefined;
  if (op === 'in' || op === 'nin') return value !== undefined;
  if (value === undefined || Array.isArray(value)) return false;
  return readCondition(`a ${op} ${String(value)}`) !== undefined;
}

/** The condition that a member means. The member is valid. */
function conditionOf(member: ConditionMember): Condition {
  if (typeof member === 'string') return readCondition(member)!;
  const {property, op, value} = member;
  const values = value === undefined ? [] : Array.isArray(value) ? value : [value];
  return {property, op, values: values.map(String)};
}

export type Conditions = readonly ConditionMember[] | undefined;
export const conditionsOf = (where: Conditions): Condition[] => (where ?? []).map(conditionOf);

/** The text of a condition; the object of one that no text means, as its property is longer than any. */
function normal(member: ConditionMember): ConditionMember {
  const condition = conditionOf(member);
  const written = writeCondition(condition);
  return readCondition(written) === undefined ? member : written;
}

export const condition = z.union([conditionText, conditionObject], conditionRule).overwrite(normal);

export const conditions = (description: string) =>
  z
    .array(condition, 'a list of conditions')
    .max(conditionsMax, `at most ${conditionsMax} conditions`)
    .optional()
    .describe(description);

export const where = conditions(
  'Only events that meet all of these conditions, `<property> <op> <value>`: `plan eq pro`, `amount>=10`, `plan in pro,team`, ' +
    '`coupon unset`. Operators: `eq ne in nin contains ncontains gt gte lt lte set unset null nnull has`, and `= != > >= < <=`. ' +
    'A name that has an operator is in double quotes.',
);

export const userWhere = conditions(
  'Only users whose current traits meet these conditions, in the form of `where`: `plan eq pro`. All must hold.',
);

// -- events --

/** Events of a name that meet all conditions. */
export const chosenEvents = object({event: name.describe('The name of the events.'), where});
/** The same, or events of any name. */
export const anyEvents = object({
  event: name.optional().describe('The name of the events. Absent: events of every name.'),
  where,
});

// -- users --

export const deed = object({
  ...anyEvents.shape,
  range: listRange('Default: of all time.'),
  not: flag().default(false).describe('`true`: users without such an event.'),
});

const filter = {
  where: userWhere,
  did: z
    .array(deed, 'a list')
    .max(deedsMax, `at most ${deedsMax} entries`)
    .optional()
    .describe('Only users who did this, or did not do it. Up to five entries, of which all must hold.'),
};

/** What a segment is made of. */
export const segmentUsers = object(filter).refine(
  ({where = [], did = []}) => where.length + did.length > 0,
  'an object with where or did: those who are in the segment',
);
export type SegmentUsers = z.infer<typeof segmentUsers>;

const segmentId = () => text('the id of a segment', (text) => isDefinitionId('sg', text)).optional();

export const users = object({
  ...filter,
  segment: segmentId().describe('Only users of this segment (`/v1/segments`), as it is now.'),
  not_segment: segmentId().describe('Only users who are not in this segment.'),
})
  .optional()
  .describe('Which users: all that is named here must hold for each. Absent: all users.');
export type UsersMember = z.infer<typeof users>;

/** What a user must have done to be counted. */
export const did = {
  events: z
    .array(anyEvents, 'a list of events')
    .max(1, 'one entry at most')
    .optional()
    .describe('The events that count: an entry at most. Absent: events of every name.'),
  where,
  users,
};

// -- breakdown --

export const breakdownShape = {
  property: name.optional().describe('A row for each value of this property.'),
  trait: name.optional().describe('In place of a property: a current trait of the user.'),
  limit: wholeNumber(1, breakdownLimitMax)
    .default(breakdownLimitDefault)
    .describe('Values with rows of their own, the most frequent ones; the others share one.'),
};

export const namesOne = {
  check: ({property, trait}: {property?: unknown; trait?: unknown}): boolean =>
    (property === undefined) !== (trait === undefined),
  error: 'an object with either property or trait',
};

export const breakdownIn = <Entry extends z.ZodType>(entry: Entry) =>
  z.array(entry, 'a list').max(1, 'a list of one').optional().describe('A row for each value: an entry at most.');

export const broken = object(breakdownShape).refine(namesOne.check, namesOne.error);
export const breakdown = breakdownIn(broken);

export const breakdowns = z
  .array(broken, 'a list')
  .max(breakdownsMax, `at most ${breakdownsMax} entries`)
  .optional()
  .describe(
    `A row for each combination of values, of up to ${breakdownsMax} entries. The product of each \`limit\` + 4 and the buckets ` +
      `is at most ${grouped(breakdownCellsMax)}.`,
  );
