// Alerts, their state, and what they would have done.
import {z} from 'zod';
import {lagKinds} from '../../alerts/definition.js';
import type {WatchedQuestion} from '../../asks/question/counts.js';
import {count, instant, version} from './fields.js';
import {keptQuestion} from './query.js';

const alertState = z
  .strictObject({
    state: z.enum(['ok', 'firing']),
    since: instant().describe('End of the window with which the state began.'),
    value: z
      .number()
      .nullable()
      .describe(
        'Count, conversion rate or seconds of that window; for `stalled` the number of users announced since then.',
      ),
    report_log_position: z
      .string()
      .nullable()
      .describe('`Report-Log-Position` of the snapshots that were judged; null for a lag.'),
  })
  .nullable()
  .describe('Null before the first evaluation, and again when its condition was changed.');

export const alertAnswer = z.strictObject({
  id: z.string().regex(/^al_[0-9a-f]{16}$/),
  kind: z.enum(['threshold', 'absence', 'funnel_drop', 'stalled', 'lag']),
  name: z.string(),
  question: (keptQuestion as unknown as z.ZodType<WatchedQuestion>).optional(),
  minutes: z.int().optional(),
  gte: z.number().optional(),
  lte: z.number().optional(),
  funnel: z.string().optional(),
  days: z.int().optional(),
  below: z.number().optional(),
  lower_by_percent: z.number().optional(),
  min_entered: z.int().optional(),
  step: z.int().optional(),
  lag: z.enum(lagKinds).optional(),
  seconds: z.int().optional(),
  endpoints: z.array(z.string()).optional().describe('Absent: all webhooks and chats that subscribe to it.'),
  for: z.int().optional().describe('Absent for `stalled`.'),
  repeat_minutes: z.int().optional(),
  quiet_hours: z.strictObject({timezone: z.string(), from: z.string(), to: z.string()}).optional(),
  paused: z.boolean(),
  version,
  created_at: instant(),
  reaches: count().describe('Webhooks and chats that hear of it now, without disabled ones.'),
  state: alertState,
});
export type AlertAnswer = z.infer<typeof alertAnswer>;

export const alertPreviewAnswer = z.strictObject({
  from: instant().describe('The first evaluation.'),
  to: instant().describe('The last one: what the published reports include.'),
  step_minutes: z
    .int()
    .min(1)
    .describe('Minutes between evaluations. A state that begins and ends in between is not seen.'),
  fired: count().describe('Number of times that it would have begun to fire.'),
  messages: count().describe('Number of messages that would have been sent.'),
  firings: z
    .array(
      z.strictObject({
        from: instant(),
        until: instant().nullable().describe('Null: it would still fire.'),
        value: z.number().nullable().describe('Value with which it began.'),
        bound: z.number(),
      }),
    )
    .describe('Newest first, at most 1,000.'),
});
export type AlertPreviewAnswer = z.infer<typeof alertPreviewAnswer>;
