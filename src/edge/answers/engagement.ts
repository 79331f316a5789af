// Retention, lifecycle, stickiness and paths.
import {z} from 'zod';
import {count, rate} from './fields.js';
import {breakdownRow, bucketDate, interval, skipped, zone} from './report-fields.js';

const retentionTable = () => ({
  cohorts: z
    .array(
      z.strictObject({
        date: bucketDate(),
        size: count().describe('Users of the cohort.'),
        cells: z
          .array(
            z.strictObject({
              count: count().describe('Those of them who returned.'),
              incomplete: z.literal(true).optional().describe('The period is not over: the count may grow.'),
            }),
          )
          .describe('One a period, from period 0 on, that of the start event.'),
      }),
    )
    .describe('Every bucket, empty ones included.'),
  overall: z
    .array(
      z.strictObject({
        count: count(),
        size: count(),
        rate: rate().nullable().describe('`count` / `size`; null without users.'),
      }),
    )
    .describe('One a period: sums over the cohorts whose cell is complete.'),
});

export const retentionAnswer = z.strictObject({
  interval: z.enum(['hour', 'day', 'week', 'month']),
  timezone: zone(),
  ...retentionTable(),
  breakdown: z
    .strictObject({
      property: z.string().describe('As it was asked for: of a trait it begins with `trait:`.'),
      additive: z.literal(true),
      rows: z
        .array(z.strictObject({...breakdownRow(), ...retentionTable()}))
        .describe('The value of most users first.'),
    })
    .optional(),
  skipped: skipped(),
});
export type RetentionAnswer = z.infer<typeof retentionAnswer>;

export const lifecycleAnswer = z.strictObject({
  interval: interval(),
  timezone: zone(),
  data: z
    .array(
      z.strictObject({
        date: bucketDate(),
        new: count().describe('Users whose first event of all time is in the bucket.'),
        returning: count().describe('Users of the bucket who were also in the one before.'),
        resurrecting: count().describe('Users of the bucket who were not in the one before, but earlier.'),
        dormant: count().describe('Users of the bucket before who are not in this one.'),
      }),
    )
    .describe('Every bucket, zeros included.'),
  skipped: skipped(),
});
export type LifecycleAnswer = z.infer<typeof lifecycleAnswer>;

export const stickinessAnswer = z.strictObject({
  interval: interval(),
  timezone: zone(),
  at_least: z.literal(true).optional(),
  data: z
    .array(z.strictObject({buckets: z.int().min(1), users: count()}))
    .describe('For each number of buckets, from 1 to all: the users who were active in exactly so many.'),
  total: count().describe('Distinct users of the range.'),
  skipped: skipped(),
});
export type StickinessAnswer = z.infer<typeof stickinessAnswer>;

const pathNode = () => ({
  event: z.string().optional().describe('Absent with a `kind`.'),
  kind: z
    .enum(['other', 'end'])
    .optional()
    .describe('`other`: all that is not shown. `end`: there is no further event.'),
});

const pathPlace = () => z.strictObject(pathNode());

export const pathsAnswer = z.strictObject({
  depth: z.int().min(2),
  steps: z
    .array(z.array(z.strictObject({...pathNode(), users: count()})))
    .describe('For each step, from the named event on: the users by the event that they had there.'),
  edges: z
    .array(
      z.strictObject({
        step: z.int().min(1).describe('The step of `from`, from 1 on; that of `to` is the next one.'),
        from: pathPlace(),
        to: pathPlace(),
        users: count(),
      }),
    )
    .describe(
      'Step by step, the most frequent first; what is not shown of a step comes last, from `other` to `other`.',
    ),
  skipped: skipped(),
});
export type PathsAnswer = z.infer<typeof pathsAnswer>;
