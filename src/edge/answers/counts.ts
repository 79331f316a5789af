// Counts and measures of events.
import {z} from 'zod';
import {count} from './fields.js';
import {askedProperty, breakdownRow, bucket, bucketDate, interval, skipped, zone} from './report-fields.js';
import {ownMeta} from './report-meta.js';

const measured = () => z.number().nullable().optional().describe('Only with `measure`; null without a number.');

const series = {
  data: z.array(bucket.extend({value: measured()})).describe('Every bucket, zeros included.'),
  total: count().describe('The sum.'),
  total_value: measured(),
};

const countedBreakdown = z
  .strictObject({
    property: askedProperty().optional(),
    properties: z.array(z.string()).optional().describe('Of several.'),
    additive: z.boolean().describe('Whether rows add up to the unbroken value.'),
    rows: z
      .array(
        z.strictObject({
          ...breakdownRow(),
          by: z.array(z.strictObject(breakdownRow())).optional().describe('Of several breakdowns.'),
          ...series,
        }),
      )
      .describe('The most frequent value first.'),
  })
  .optional();

export const countsAnswer = z.strictObject({
  event: z.string().optional().describe('Absent with `any_event`.'),
  any_event: z.literal(true).optional(),
  interval: interval(),
  timezone: zone(),
  ...series,
  breakdown: countedBreakdown,
  skipped: skipped(),
  ...ownMeta,
});
export type CountsAnswer = z.infer<typeof countsAnswer>;

export const seriesAnswer = z.strictObject({
  interval: interval(),
  series: z.array(z.strictObject({event: z.string(), ...series, breakdown: countedBreakdown})),
  skipped: skipped(),
  ...ownMeta,
});

export const eventCountsAnswer = z.union([countsAnswer, seriesAnswer]);

const formulaAnswer = z.strictObject({
  as: z.string(),
  data: z.array(z.strictObject({date: bucketDate(), value: z.number().nullable()})).describe('Every bucket.'),
  total_value: z.number().nullable().describe('The formula of the totals.'),
});

/** Of a question whose events have conditions, measures or labels of their own, or with formulas. */
export const entriesAnswer = z.strictObject({
  interval: interval(),
  timezone: zone(),
  series: z
    .array(countsAnswer.omit({interval: true, timezone: true, skipped: true, meta: true}).extend({as: z.string()}))
    .describe('In the order of the events.'),
  formulas: z
    .array(formulaAnswer)
    .optional()
    .describe('In their order. Null where a series has no value, or a division is by zero.'),
  skipped: skipped(),
});
export type EntriesAnswer = z.infer<typeof entriesAnswer>;
