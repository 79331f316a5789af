// Questions for counts: of events, of active users.
import {z} from 'zod';
import {seriesMax} from '../../../actors/limits.js';
import {measures} from '../../../actors/report/rows/measures.js';
import {formulaCharsMax, formulasMax, labelPattern, readFormula} from './formula.js';
import {
  anyEvents,
  breakdown,
  breakdowns,
  bucketed,
  did,
  flag,
  name,
  object,
  text,
  timezone,
  users,
  where,
  word,
} from './members.js';

const formulaRule = `a formula like "A / B * 100", of labels of the events, numbers, + - * / and parentheses, up to ${formulaCharsMax} characters`;

const measure = object({
  of: word(measures).describe(
    'The `value` beside the count: `total` (the count), distinct `users`, or an exact measure of the numbers of `property` ' +
      '(percentiles: nearest rank).',
  ),
  property: name.optional().describe('The property whose JSON numbers are measured.'),
}).optional();

const entry = object({
  ...anyEvents.shape,
  measure: measure.describe('Absent: the `measure` of the question.'),
  as: text('a label: a letter, and up to 31 letters, digits or _', (text) => labelPattern.test(text))
    .optional()
    .describe('Its label. Default: `A`, `B`, … by its place.'),
});

export const counts = object({
  report: z.literal('counts', 'counts').describe('Counts of events, or measures of their numbers, by bucket.'),
  events: z
    .array(entry, 'a list of events')
    .max(seriesMax, `at most ${seriesMax} entries`)
    .optional()
    .describe(
      'The events that are counted, up to ten. Absent: those of every name. With two or more the answer has `series`. Conditions, ' +
        'measures and labels of entries, and `formulas`, are of `POST /v1/query` alone.',
    ),
  series: flag().default(false).describe('Whether one entry has `series`, too.'),
  where,
  users,
  ...bucketed,
  measure: measure.describe('What is measured. Absent: events are counted.'),
  breakdown: breakdowns,
  formulas: z
    .array(
      object({
        as: name.describe('Its name.'),
        is: text(formulaRule, (text) => readFormula(text) !== undefined).describe(
          'Numbers, labels, `+`, `-`, `*`, `/` and parentheses: `A / B * 100`.',
        ),
      }),
      'a list of formulas',
    )
    .max(formulasMax, `at most ${formulasMax} formulas`)
    .optional()
    .describe(
      'Numbers of each bucket, and of the whole range, out of the `value` of the entries, or without a `measure` their `count`. ' +
        'Null where a division is by zero. Rows of a breakdown have none.',
    ),
});
export type CountsQuestion = z.infer<typeof counts>;

/** What an alert watches: events of one choice, or their distinct users. */
export const watched = object(
  {
    report: counts.shape.report,
    ...did,
    timezone,
    measure: object({of: word(['total', 'users']).describe('`total`: events. `users`: distinct users.')})
      .optional()
      .describe('What is counted. Absent: events.'),
  },
  ': the window of the alert is its range, and one number is judged',
);
export type WatchedQuestion = z.infer<typeof watched>;

export const active = object({
  report: z.literal('active').describe('Active users by bucket: those with at least one such event.'),
  metric: word(['dau', 'wau', 'mau'])
    .default('dau')
    .describe(
      'Daily, weekly or monthly active users. While the interval is shorter than the unit of the metric, each bucket ' +
        'counts the trailing 1, 7 or 30 days; otherwise the distinct users of the bucket.',
    ),
  ...did,
  ...bucketed,
  breakdown,
});
export type ActiveQuestion = z.infer<typeof active>;
