// Fields that several reports have.
import {z} from 'zod';
import {count} from './fields.js';

export const interval = () => z.enum(['hour', 'day', 'week', 'month', 'quarter', 'year']);

export const zone = () =>
  z
    .string()
    .optional()
    .describe('The zone of the buckets, where one was asked for or set (`REPORT_TIMEZONE`); else they are of UTC.');

/** A date; of an hour the time and the offset as well. */
export const bucketStartForm = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d(:\d\d)?))?$/;

export const bucketDate = () =>
  z
    .string()
    .regex(bucketStartForm)
    .describe('When the bucket starts: the date in the zone, of an hour with the time and the offset.');

export const bucket = z.strictObject({
  date: bucketDate(),
  count: count(),
});

/** The name of a breakdown's row: a value as text, or a kind that is none. */
export const breakdownRow = () => ({
  value: z.string().optional().describe('The text of the value. Absent in rows with a `kind`.'),
  kind: z.enum(['other', 'missing', 'null', 'not_scalar']).optional().describe('What the row has instead of a value.'),
  values: count().optional().describe('How many values share the row `other`.'),
});

export const skipped = () =>
  count()
    .optional()
    .describe('Events whose property is there and is no number, where numbers are compared or measured.');
