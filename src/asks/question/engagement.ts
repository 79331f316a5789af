// Questions for how users come back: retention, lifecycle, stickiness, paths.
import {z} from 'zod';
import {
  pathDepthDefault,
  pathDepthMax,
  pathDepthMin,
  pathEdgesDefault,
  pathEdgesMax,
  retentionCellsMax,
  retentionPeriodsDefault,
  retentionPeriodsMax,
} from '../../../actors/limits.js';
import {
  anyEvents,
  breakdown,
  bucketed,
  chosenEvents,
  compare,
  conditions,
  did,
  flag,
  grouped,
  name,
  object,
  range,
  timezone,
  users,
  wholeNumber,
  word,
} from './members.js';

export const retention = object({
  report: z.literal('retention').describe('Cohorts of users, and how many of them return in each period after.'),
  start: chosenEvents.describe('The events that make a user a member of a cohort.'),
  return: anyEvents.optional().describe('The events that are a return. Absent: events of every name.'),
  users,
  ...bucketed,
  interval: word(['hour', 'day', 'week', 'month'])
    .default('day')
    .describe('Length of a cohort and of a period, in the zone.'),
  periods: wholeNumber(1, retentionPeriodsMax)
    .default(retentionPeriodsDefault)
    .describe(
      'Cells of a cohort, numbered from 0, the period of the start event itself. Cohorts times periods: at most ' +
        `${grouped(retentionCellsMax)}.`,
    ),
  cohort: word(['first', 'recurring'])
    .default('first')
    .describe(
      '`first`: a user is in the cohort of its first start event of all time, whatever `from` is. `recurring`: in the cohort ' +
        'of each bucket with a start event of the user.',
    ),
  criteria: word(['on', 'on_or_after'])
    .default('on')
    .describe('Who counts in a cell: who returned in its period, or who returned in it or later, up to `to`.'),
  frame: word(['calendar', 'rolling'])
    .default('calendar')
    .describe(
      '`calendar`: period k is the k-th bucket after that of the cohort. `rolling`: period k is k to k + 1 times an hour, 24 ' +
        'hours, 7 days or 30 days after the start event.',
    ),
  breakdown,
});
export type RetentionQuestion = z.infer<typeof retention>;

export const lifecycle = object({
  report: z.literal('lifecycle').describe('New, returning, resurrecting and dormant users by bucket.'),
  ...did,
  ...bucketed,
});
export type LifecycleQuestion = z.infer<typeof lifecycle>;

export const stickiness = object({
  report: z.literal('stickiness').describe('In how many buckets users are active.'),
  ...did,
  ...bucketed,
  at_least: flag()
    .default(false)
    .describe(
      '`true`: each row counts users who were active in that number of buckets or more. `false`: in exactly that number.',
    ),
});
export type StickinessQuestion = z.infer<typeof stickiness>;

const named = object({event: name.describe('The name of the event.')});

export const paths = object({
  report: z.literal('paths').describe('What users did after an event, or before it, step by step.'),
  start: named
    .optional()
    .describe('The event where paths start: the first one of each user in the range. Either this, or `end`.'),
  end: named
    .optional()
    .describe('The event where paths end: the last one of each user in the range. Steps are counted back from it.'),
  where: conditions('Only events that meet these conditions are on paths.'),
  users,
  range,
  timezone,
  compare,
  depth: wholeNumber(pathDepthMin, pathDepthMax)
    .default(pathDepthDefault)
    .describe(`Steps of a path, the named event included: ${pathDepthMin} to ${pathDepthMax}.`),
  limit: wholeNumber(1, pathEdgesMax)
    .default(pathEdgesDefault)
    .describe('Edges of each step, the most frequent ones; the users of the others are summed up.'),
});
export type PathsQuestion = z.infer<typeof paths>;
