// Questions for counts: of events, of active users.
import {z} from 'zod';
import {seriesMax} from '../../../actors/limits.js';
import {measures} from '../../../actors/report/rows/measures.js';
import {anyEvents, breakdown, bucketed, did, flag, name, object, users, where, word} from './members.js';

export const counts = object({
  report: z.literal('counts').describe('Counts of events, or measures of their numbers, by bucket.'),
  events: z
    .array(anyEvents, 'a list of events')
    .max(seriesMax, `at most ${seriesMax} entries`)
    .optional()
    .describe(
      `The events that are counted, up to ten. Absent: those of every name. With two or more the answer has \`series\`, one for each ` +
        'name; conditions that all of them must meet are in `where` then.',
    ),
  series: flag().default(false).describe('Whether the answer has `series` for one entry, too.'),
  where,
  users,
  ...bucketed,
  measure: object({
    of: word(measures).describe(
      'What stands as `value` beside the count: `total` (the count), distinct `users`, or the exact `sum`, `avg`, `min`, ' +
        '`max`, `p50`, `p90`, `p95`, `p99` (nearest rank) of the numbers of `property`.',
    ),
    property: name.optional().describe('The property whose JSON numbers are measured.'),
  })
    .optional()
    .describe('What is measured. Absent: events are counted.'),
  breakdown,
});
export type CountsQuestion = z.infer<typeof counts>;

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
