// Fields that several reports have.
import {z} from 'zod';
import {count} from './fields.js';

export const interval = () => z.enum(['hour', 'day', 'week', 'month', 'quarter', 'year']);

export const zone = () =>
  z
    .string()
    .optional()
    .describe('Zone of the buckets, if the request or `REPORT_TIMEZONE` names one; else they are in UTC.');

/** Form of a bucket's start: a date; an hour also has its time and offset. */
export const bucketStartForm = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d(:\d\d)?))?$/;

export const bucketDate = () =>
  z
    .string()
    .regex(bucketStartForm)
    .describe('Start of the bucket: the date in the zone; an hour also has its time and offset.');

export const bucket = z.strictObject({
  date: bucketDate(),
  count: count(),
});

/** The property of a breakdown. */
export const askedProperty = () =>
  z.string().describe('Property as the request names it; a trait begins with `trait:`.');

/** The name of a breakdown's row: a value as text, or a kind that is none. */
export const breakdownRow = () => ({
  value: z.string().optional().describe('Absent in rows with a `kind`.'),
  kind: z.enum(['other', 'missing', 'null', 'not_scalar']).optional().describe('In place of a value.'),
  values: count().optional().describe('How many values share the row `other`.'),
});

export const skipped = () =>
  count().optional().describe('Events whose property is no number, where numbers are compared or measured.');
