// Retention, lifecycle, stickiness and paths.
import {z} from 'zod';
import {count, rate} from './fields.js';
import {askedProperty, breakdownRow, bucketDate, interval, skipped, zone} from './report-fields.js';
import {ownMeta} from './report-meta.js';

const retentionTable = () => ({
  cohorts: z
    .array(
      z.strictObject({
        date: bucketDate(),
        size: count().describe('Users of the cohort.'),
        cells: z
          .array(
            z.strictObject({
              count: count().describe('Users of the cohort who returned.'),
              incomplete: z.literal(true).optional().describe('The period has not ended: the count may grow.'),
            }),
          )
          .describe('A cell per period, from period 0, the one of the start event.'),
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
    .describe('Sums per period over the cohorts whose cell is complete.'),
});

export const retentionAnswer = z.strictObject({
  interval: z.enum(['hour', 'day', 'week', 'month']),
  timezone: zone(),
  ...retentionTable(),
  breakdown: z
    .strictObject({
      property: askedProperty(),
      additive: z.literal(true),
      rows: z
        .array(z.strictObject({...breakdownRow(), ...retentionTable()}))
        .describe('The value with the most users first.'),
    })
    .optional(),
  skipped: skipped(),
  ...ownMeta,
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
        resurrecting: count().describe('Users of the bucket who were in an earlier one, but not in the one before.'),
        dormant: count().describe('Users of the bucket before who are not in this one.'),
      }),
    )
    .describe('Every bucket, zeros included.'),
  skipped: skipped(),
  ...ownMeta,
});
export type LifecycleAnswer = z.infer<typeof lifecycleAnswer>;

export const stickinessAnswer = z.strictObject({
  interval: interval(),
  timezone: zone(),
  at_least: z.literal(true).optional(),
  data: z
    .array(z.strictObject({buckets: z.int().min(1), users: count()}))
    .describe('Number of users who were active in exactly this many buckets, for each number from 1 to all.'),
  total: count().describe('Distinct users of the range.'),
  skipped: skipped(),
  ...ownMeta,
});
export type StickinessAnswer = z.infer<typeof stickinessAnswer>;

const pathNode = () => ({
  event: z.string().optional().describe('Absent with a `kind`.'),
  kind: z
    .enum(['other', 'end'])
    .optional()
    .describe('`other`: every event that is not shown. `end`: there is no further event.'),
});

const pathPlace = () => z.strictObject(pathNode());

export const pathsAnswer = z.strictObject({
  depth: z.int().min(2),
  steps: z
    .array(z.array(z.strictObject({...pathNode(), users: count()})))
    .describe('Users of each step by their event there; the first step is the named event.'),
  edges: z
    .array(
      z.strictObject({
        step: z.int().min(1).describe('Step of `from`, from 1; `to` is at the next one.'),
        from: pathPlace(),
        to: pathPlace(),
        users: count(),
      }),
    )
    .describe('Edges of each step, the most frequent first; the one from `other` to `other` comes last.'),
  skipped: skipped(),
  ...ownMeta,
});
export type PathsAnswer = z.infer<typeof pathsAnswer>;
