// Funnels and the users at their steps.
import {z} from 'zod';
import {count, instant, rate} from './fields.js';
import {breakdownRow, bucketDate, interval, skipped, zone} from './report-fields.js';

const funnelStep = z.strictObject({
  event: z.string(),
  count: count().describe('Users who reached this step.'),
  conversion_rate: rate().describe('Share of the users at step 1.'),
  step_conversion_rate: rate().describe('Share of the users at the previous step.'),
  drop_off: count().describe('Users of the previous step who did not reach this one.'),
  median_seconds: z.number().min(0).nullable().describe('Since the previous step.'),
});
export type FunnelStep = z.infer<typeof funnelStep>;

export const funnelAnswer = z.strictObject({
  steps: z.array(funnelStep),
  conversion_rate: rate(),
  total: count().describe('Users at step 1.'),
});
export type FunnelAnswer = z.infer<typeof funnelAnswer>;

const walkedStep = funnelStep.extend({
  event: z.string().optional().describe('Absent with `order=any`.'),
  level: z.int().min(1).optional().describe('With `order=any`: this many different steps.'),
  mean_seconds: z.number().min(0).nullable().describe('Since the previous step.'),
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
    .describe('With `range=entry`: those of them who did not convert, and may still do within the window.'),
  data: z
    .array(
      z.strictObject({
        date: bucketDate(),
        count: count().describe('Users whose first entry is in the bucket.'),
        converted: count().describe('Those of them who reached the last step.'),
        conversion_rate: rate(),
      }),
    )
    .optional()
    .describe('Every bucket, empty ones included.'),
});

/** Answer to a question with any of the parameters that only rows answer. */
export const walkedFunnelAnswer = z.strictObject({
  order: z.enum(['strict', 'any']).optional(),
  unit: z.literal('user_and_value').optional().describe('With `hold`: what is counted.'),
  hold: z.string().optional(),
  interval: interval().optional(),
  timezone: zone(),
  ...walkedSeries(),
  breakdown: z
    .strictObject({
      property: z.string().describe('As it was asked for: of a trait it begins with `trait:`.'),
      additive: z.literal(true).describe('Rows add up to the unbroken funnel.'),
      rows: z.array(z.strictObject({...breakdownRow(), ...walkedSeries()})).describe('Most users at step 1 first.'),
    })
    .optional(),
  skipped: skipped(),
});
export type WalkedFunnelAnswer = z.infer<typeof walkedFunnelAnswer>;

export const funnelAnswers = z.union([funnelAnswer, walkedFunnelAnswer]);

export const funnelUsersAnswer = z.strictObject({
  data: z
    .array(
      z.strictObject({
        id: z.string(),
        kind: z.enum(['user', 'anonymous']).describe('Whether the id is a `userId` or an `anonymousId`.'),
        value: z.string().optional().describe('With `hold`: the value of this path.'),
        entered_at: instant().describe('Time of the first event of the path.'),
        at: instant().describe('When the step was reached; of who dropped out: the step before.'),
      }),
    )
    .describe('By partition, and in it in the order in which users first came there.'),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
});
export type FunnelUsersAnswer = z.infer<typeof funnelUsersAnswer>;
