// Funnels and the users at their steps.
import {z} from 'zod';
import {count, instant, pageEnd, rate} from './fields.js';
import {askedProperty, breakdownRow, bucketDate, interval, skipped, zone} from './report-fields.js';
import {ownMeta} from './report-meta.js';

const funnelStep = z.strictObject({
  event: z.string(),
  count: count().describe('Users who reached this step.'),
  conversion_rate: rate().describe('Share of the users at step 1.'),
  step_conversion_rate: rate().describe('Share of the users at the previous step.'),
  drop_off: count().describe('Users of the previous step who did not reach this one.'),
  median_seconds: z.number().min(0).nullable().describe('Median of the time since the previous step.'),
});
export type FunnelStep = z.infer<typeof funnelStep>;

export const funnelAnswer = z.strictObject({
  steps: z.array(funnelStep),
  conversion_rate: rate(),
  total: count().describe('Users at step 1.'),
  ...ownMeta,
});
export type FunnelAnswer = z.infer<typeof funnelAnswer>;

const percentile = (percent: number) =>
  z
    .number()
    .min(0)
    .nullable()
    .optional()
    .describe(
      `The shortest time since the previous step within which at least ${percent} % of the users came. Only with \`percentiles\`.`,
    );

const walkedStep = funnelStep.extend({
  event: z.string().optional().describe('Absent with `order=any`.'),
  level: z.int().min(1).optional().describe('Number of different steps; only with `order=any`.'),
  mean_seconds: z.number().min(0).nullable().describe('Mean of the time since the previous step.'),
  p75_seconds: percentile(75),
  p90_seconds: percentile(90),
  p95_seconds: percentile(95),
  histogram: z
    .array(z.strictObject({seconds_from: z.number(), seconds_to: z.number(), count: count()}))
    .optional()
    .describe('Users by the time since the previous step, `seconds_from` included, `seconds_to` not.'),
});

const walkedSeries = () => ({
  steps: z.array(walkedStep),
  conversion_rate: rate(),
  total: count().describe('Users at step 1.'),
  undecided: count()
    .optional()
    .describe('Users of `total` who did not convert yet and whose window has not ended; only with `range=entry`.'),
  data: z
    .array(
      z.strictObject({
        date: bucketDate(),
        count: count().describe('Users whose first entry is in the bucket.'),
        converted: count().describe('Users of `count` who reached the last step.'),
        conversion_rate: rate(),
      }),
    )
    .optional()
    .describe('Every bucket, empty ones included.'),
});

/** Answer to a question with any of the parameters that only rows answer. */
export const walkedFunnelAnswer = z.strictObject({
  order: z.enum(['strict', 'any']).optional(),
  unit: z.literal('user_and_value').optional().describe('What is counted; only with `hold`.'),
  hold: z.string().optional(),
  interval: interval().optional(),
  timezone: zone(),
  ...walkedSeries(),
  breakdown: z
    .strictObject({
      property: askedProperty(),
      additive: z.literal(true).describe('Rows add up to the unbroken funnel.'),
      rows: z.array(z.strictObject({...breakdownRow(), ...walkedSeries()})).describe('Most users at step 1 first.'),
    })
    .optional(),
  skipped: skipped(),
  ...ownMeta,
});
export type WalkedFunnelAnswer = z.infer<typeof walkedFunnelAnswer>;

export const funnelAnswers = z.union([funnelAnswer, walkedFunnelAnswer]);

export const funnelUsersAnswer = z.strictObject({
  data: z
    .array(
      z.strictObject({
        id: z.string(),
        kind: z.enum(['user', 'anonymous']).describe('Whether the id is a `userId` or an `anonymousId`.'),
        value: z.string().optional().describe('Value of this path; only with `hold`.'),
        entered_at: instant().describe('Time of the first event of the path.'),
        at: instant().describe(
          'Time at which the user reached the step, or, if the user dropped out, the step before.',
        ),
      }),
    )
    .describe('Users in the order of their partitions, and in it of their first event.'),
  ...pageEnd,
  ...ownMeta,
});
export type FunnelUsersAnswer = z.infer<typeof funnelUsersAnswer>;
