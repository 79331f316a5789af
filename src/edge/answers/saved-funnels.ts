// Saved funnels, and a user's progress in them.
import {z} from 'zod';
import type {FollowedQuestion} from '../../asks/question/funnel.js';
import {count, instant, version} from './fields.js';
import {keptQuestion} from './query.js';

export const savedFunnelAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  question: keptQuestion as unknown as z.ZodType<FollowedQuestion>,
  created_at: instant(),
  version,
});
export type SavedFunnelAnswer = z.infer<typeof savedFunnelAnswer>;

/** What the list of saved funnels has beside them. */
export const lateUsersShape = {
  late_users: count()
    .nullable()
    .describe(
      'Users whose progress does not fit in `FUNNEL_MEMORY_MIB`: their completions are sent with the next report, not at once. ' +
        'Null while a partition does not answer.',
    ),
};

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
