// Active users.
import {z} from 'zod';
import {count} from './fields.js';
import {askedProperty, breakdownRow, bucket, interval, skipped, zone} from './report-fields.js';
import {ownMeta} from './report-meta.js';

const activeSeries = () => ({
  data: z.array(bucket).describe('Every bucket, zeros included.'),
  total: count().describe('Distinct users of the whole range: not the sum.'),
});

export const activeAnswer = z.strictObject({
  metric: z.enum(['dau', 'wau', 'mau']),
  interval: interval(),
  timezone: zone(),
  ...activeSeries(),
  breakdown: z
    .strictObject({
      property: askedProperty(),
      additive: z.literal(false).describe('A user may be in several rows.'),
      rows: z
        .array(z.strictObject({...breakdownRow(), ...activeSeries()}))
        .describe('The value with the most users first.'),
    })
    .optional(),
  skipped: skipped(),
  ...ownMeta,
});
export type ActiveAnswer = z.infer<typeof activeAnswer>;
