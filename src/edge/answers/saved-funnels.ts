// Saved funnels, and a user's progress in them.
import {z} from 'zod';
import {count, instant} from './fields.js';

export const savedFunnelAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  steps: z.array(z.string()).min(1),
  window: z.string().nullable().describe('The conversion window, in the largest unit that fits; null without one.'),
  created_at: instant(),
});

export const savedFunnelsAnswer = z.strictObject({
  data: z.array(savedFunnelAnswer),
  late_users: count()
    .nullable()
    .describe(
      'Users whose progress does not fit in `FUNNEL_MEMORY_MIB`: their completions are sent with the next report, not at once. ' +
        'Null while a partition does not answer.',
    ),
});

export const deletedFunnelAnswer = z.strictObject({status: z.literal('deleted'), id: z.string()});

export const userFunnelsAnswer = z.strictObject({
  data: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      reached: count().describe('Steps that the user reached, by all of its events.'),
      steps: count(),
      reached_at: instant().nullable().describe('Time at which the user reached the last of them; null without any.'),
    }),
  ),
});
