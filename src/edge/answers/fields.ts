// Fields that answers of several areas have.
import {z} from 'zod';

export const instant = () =>
  z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    .meta({format: 'date-time'});

export const count = () => z.int().min(0);

export const rate = () => z.number().min(0).max(1);

export const stored = () => z.record(z.string(), z.unknown());

export const pageEnd = {has_more: z.boolean(), next_cursor: z.string().nullable()};

export const eventId = () => z.string().regex(/^\d+-\d+$/);

/** src/edge/routes/if-match.ts */
export const version = z
  .string()
  .regex(/^[\w-]{22}$/)
  .describe('It differs after each edit. In quotes it is the `ETag`, and `If-Match` of a change.');
