// Schemas of the answers' bodies: the API describes them to clients, and tests compare every answer with them.
//   Hot routes write their texts by hand; the others take their types from here.
import {z} from 'zod';
import {jsonTypes} from '../../actors/report/rows/key-types.js';
import {lagKinds} from '../alerts/definition.js';
import {type Deletion, devicesListedMax} from '../asks.js';
import {endpointKinds, subscribedTypes} from '../effects/endpoint.js';
import {keyKinds} from '../keys/key.js';
import {rejectedCodes} from './admission/rejected-events.js';
import {errorMeanings} from './error-meanings.js';
import {type ErrorCode, statusOf} from './failure.js';

const errorCodes = Object.keys(statusOf) as ErrorCode[];

const instant = () =>
  z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    .meta({format: 'date-time'});
const count = () => z.int().min(0);
const rate = () => z.number().min(0).max(1);
const stored = () => z.record(z.string(), z.unknown());

const positionPattern = /^\d+:\d+\.\d+$/;

export const errorAnswer = z.strictObject({
  error: z.strictObject({
    code: z.enum(errorCodes).meta({'x-enumDescriptions': errorMeanings}),
    message: z.string().min(1).describe('A sentence for a person.'),
    field: z.string().optional().describe('The one field or parameter that is at fault.'),
  }),
});

// -- ingestion --------------------------------------------------------------------------------------------------------

export const trackAnswer = z.strictObject({status: z.literal('ok'), received: z.literal(1)});

/** Answer to a CORS preflight; browsers read its headers alone. */
export const preflightAnswer = z.strictObject({status: z.literal('ok')});

const itemError = z.strictObject({
  index: count().describe('Which event of the batch, from 0.'),
  code: z.enum(['invalid_event', 'event_too_large', 'unavailable']),
  message: z.string().min(1),
  field: z.string().optional(),
  messageId: z.string().optional().describe('The messageId of the event, when it was readable.'),
});

const batchOutcome = {
  received: count().describe('Events that are stored, known duplicates included.'),
  rejected: count(),
  errors: z.array(itemError),
  ignored_fields: z
    .array(z.string())
    .min(1)
    .max(10)
    .optional()
    .describe('Names of unknown fields, the first ten; long ones are cut.'),
  conflicts: z
    .array(count())
    .optional()
    .describe(
      'Indexes, from 0, of events whose messageId an earlier event of the batch has: received but not counted, as the first ' +
        'one wins. Absent if there are none.',
    ),
};

export const batchAnswer = z.strictObject({status: z.enum(['ok', 'partial']), ...batchOutcome});

/** Answer to a batch of which nothing was stored, or of which the log took only a part. */
export const batchErrorAnswer = z.strictObject({
  error: errorAnswer.shape.error,
  status: z.enum(['partial', 'rejected']),
  ...batchOutcome,
});

export const identifyAnswer = z.strictObject({status: z.literal('ok'), userId: z.string()});

// -- users and their events -------------------------------------------------------------------------------------------

export const storedEvent = z.strictObject({
  id: z.string().regex(/^\d+-\d+$/),
  event: z.string(),
  userId: z.string().nullable(),
  anonymousId: z.string().nullable(),
  properties: stored(),
  context: stored().optional(),
  timestamp: instant(),
  received_at: instant(),
  messageId: z.string().optional(),
  joined: z
    .literal(true)
    .optional()
    .describe('It was sent with the `anonymousId` alone, which is this user. Its `id` is that of the anonymous event.'),
});
export type StoredEvent = z.infer<typeof storedEvent>;

export const historyAnswer = z.strictObject({
  data: z.array(storedEvent).describe('Newest first.'),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
});
export type HistoryAnswer = z.infer<typeof historyAnswer>;

export const profileAnswer = z.strictObject({
  id: z.string(),
  anonymous_ids: z
    .array(z.string())
    .max(devicesListedMax)
    .optional()
    .describe('Of a known user: each `anonymousId` that is this user, at most 100. Absent for an anonymous one.'),
  traits: stored(),
  traits_over_limit: z.int().min(1).optional().describe('Traits that were left out because the profile is full.'),
  created_at: instant(),
  last_seen: instant(),
  events: z.array(storedEvent).describe('The newest 100.'),
  events_has_more: z.boolean(),
});
export type ProfileAnswer = z.infer<typeof profileAnswer>;

export const deletion = z.strictObject({
  id: z.string(),
  status: z.enum(['pending', 'completed']),
  log_position: z
    .string()
    .regex(positionPattern)
    .nullable()
    .describe(
      'Position of the deletion in the log: `<partition>:<generation>.<sequence>`. Null while it is not known yet.',
    ),
  events_deleted: count().nullable().describe('Null while it is not known yet.'),
  completed_at: instant().nullable(),
  verified: z.array(z.string()).readonly().nullable().describe('What was checked, in words.'),
}) satisfies z.ZodType<Omit<Deletion, 'events_deleted' | 'log_position'>>;
export type DeletionReceipt = z.infer<typeof deletion>;

export const deletedAnswer = z.strictObject({status: z.literal('deleted'), id: z.string(), deletion});
export const deletionPendingAnswer = z.strictObject({status: z.literal('pending'), id: z.string(), deletion});
export const deletionAnswer = z.strictObject({deletion});
const unknownUser = {
  error: errorAnswer.shape.error,
  linked_to: z.string().optional().describe('The `userId` of the user that this `anonymousId` is.'),
};
export const unknownUserAnswer = z.strictObject(unknownUser);
/** Answer for an unknown user; it names an earlier deletion of that user. */
export const goneAnswer = z.strictObject({...unknownUser, deletion: deletion.optional()});

// -- reports ----------------------------------------------------------------------------------------------------------

const interval = () => z.enum(['hour', 'day', 'week', 'month', 'quarter', 'year']);
const zone = () =>
  z
    .string()
    .optional()
    .describe('The zone of the buckets, where one was asked for or set (`REPORT_TIMEZONE`); else they are of UTC.');

/** A date; of an hour the time and the offset as well. */
export const bucketStartForm = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d(:\d\d)?))?$/;
const bucketDate = () =>
  z
    .string()
    .regex(bucketStartForm)
    .describe('When the bucket starts: the date in the zone, of an hour with the time and the offset.');

const bucket = z.strictObject({
  date: bucketDate(),
  count: count(),
});

const measured = () =>
  z.number().nullable().optional().describe('Only with `measure`: null where no event has a number to measure.');
const series = () => ({
  data: z.array(bucket.extend({value: measured()})).describe('Every bucket, zeros included.'),
  total: count().describe('The sum.'),
  total_value: measured(),
});
/** The name of a breakdown's row: a value as text, or a kind that is none. */
const breakdownRow = () => ({
  value: z.string().optional().describe('The text of the value. Absent in rows with a `kind`.'),
  kind: z.enum(['other', 'missing', 'null', 'not_scalar']).optional().describe('What the row has instead of a value.'),
  values: count().optional().describe('How many values share the row `other`.'),
});
const countedBreakdown = z
  .strictObject({
    property: z.string().describe('As it was asked for: of a trait it begins with `trait:`.'),
    additive: z.boolean().describe('Whether the values of the rows add up to the unbroken one.'),
    rows: z.array(z.strictObject({...breakdownRow(), ...series()})).describe('The most frequent value first.'),
  })
  .optional();
const skipped = () =>
  count()
    .optional()
    .describe('Events whose property is there and is no number, where numbers are compared or measured.');

export const countsAnswer = z.strictObject({
  event: z.string().optional().describe('Absent with `any_event`.'),
  any_event: z.literal(true).optional(),
  interval: interval(),
  timezone: zone(),
  ...series(),
  breakdown: countedBreakdown,
  skipped: skipped(),
});
export type CountsAnswer = z.infer<typeof countsAnswer>;

export const seriesAnswer = z.strictObject({
  interval: interval(),
  series: z.array(z.strictObject({event: z.string(), ...series(), breakdown: countedBreakdown})),
  skipped: skipped(),
});
export const eventCountsAnswer = z.union([countsAnswer, seriesAnswer]);

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
      property: z.string().describe('As it was asked for: of a trait it begins with `trait:`.'),
      additive: z.literal(false).describe('A user may be in several rows.'),
      rows: z.array(z.strictObject({...breakdownRow(), ...activeSeries()})).describe('The value of most users first.'),
    })
    .optional(),
  skipped: skipped(),
});
export type ActiveAnswer = z.infer<typeof activeAnswer>;

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

export const funnelAnswers = z.union([funnelAnswer, walkedFunnelAnswer]);
export type WalkedFunnelAnswer = z.infer<typeof walkedFunnelAnswer>;

const retentionTable = () => ({
  cohorts: z
    .array(
      z.strictObject({
        date: bucketDate(),
        size: count().describe('Users of the cohort.'),
        cells: z
          .array(
            z.strictObject({
              count: count().describe('Those of them who returned.'),
              incomplete: z.literal(true).optional().describe('The period is not over: the count may grow.'),
            }),
          )
          .describe('One a period, from period 0 on, that of the start event.'),
      }),
    )
    .describe('Every bucket, empty ones included.'),
  overall: z
    .array(
      z.strictObject({
        count: count(),
        size: count(),
        rate: rate().nullable().describe('`count` / `size`; null without users.'),
      }),
    )
    .describe('One a period: sums over the cohorts whose cell is complete.'),
});
export const retentionAnswer = z.strictObject({
  interval: z.enum(['hour', 'day', 'week', 'month']),
  timezone: zone(),
  ...retentionTable(),
  breakdown: z
    .strictObject({
      property: z.string().describe('As it was asked for: of a trait it begins with `trait:`.'),
      additive: z.literal(true),
      rows: z
        .array(z.strictObject({...breakdownRow(), ...retentionTable()}))
        .describe('The value of most users first.'),
    })
    .optional(),
  skipped: skipped(),
});
export type RetentionAnswer = z.infer<typeof retentionAnswer>;

export const lifecycleAnswer = z.strictObject({
  interval: interval(),
  timezone: zone(),
  data: z
    .array(
      z.strictObject({
        date: bucketDate(),
        new: count().describe('Users whose first event of all time is in the bucket.'),
        returning: count().describe('Users of the bucket who were also in the one before.'),
        resurrecting: count().describe('Users of the bucket who were not in the one before, but earlier.'),
        dormant: count().describe('Users of the bucket before who are not in this one.'),
      }),
    )
    .describe('Every bucket, zeros included.'),
  skipped: skipped(),
});
export type LifecycleAnswer = z.infer<typeof lifecycleAnswer>;

export const stickinessAnswer = z.strictObject({
  interval: interval(),
  timezone: zone(),
  at_least: z.literal(true).optional(),
  data: z
    .array(z.strictObject({buckets: z.int().min(1), users: count()}))
    .describe('For each number of buckets, from 1 to all: the users who were active in exactly so many.'),
  total: count().describe('Distinct users of the range.'),
  skipped: skipped(),
});
export type StickinessAnswer = z.infer<typeof stickinessAnswer>;

const pathNode = () => ({
  event: z.string().optional().describe('Absent with a `kind`.'),
  kind: z
    .enum(['other', 'end'])
    .optional()
    .describe('`other`: all that is not shown. `end`: there is no further event.'),
});
const pathPlace = () => z.strictObject(pathNode());
export const pathsAnswer = z.strictObject({
  depth: z.int().min(2),
  steps: z
    .array(z.array(z.strictObject({...pathNode(), users: count()})))
    .describe('For each step, from the named event on: the users by the event that they had there.'),
  edges: z
    .array(
      z.strictObject({
        step: z.int().min(1).describe('The step of `from`, from 1 on; that of `to` is the next one.'),
        from: pathPlace(),
        to: pathPlace(),
        users: count(),
      }),
    )
    .describe(
      'Step by step, the most frequent first; what is not shown of a step comes last, from `other` to `other`.',
    ),
  skipped: skipped(),
});
export type PathsAnswer = z.infer<typeof pathsAnswer>;

const listedName = z.strictObject({
  name: z.string(),
  count: z.int().min(1).describe('Events of this name in [from, to].'),
  users: z
    .int()
    .min(1)
    .optional()
    .describe('Only with `include=users`: distinct users with such an event in [from, to].'),
  first_seen: instant().describe('Time of its earliest event, inside or outside [from, to].'),
  last_seen: instant().describe('Time of its latest event, inside or outside [from, to].'),
  hidden: z.literal(true).optional().describe('Only with `hidden=true`: lists leave it out otherwise.'),
});
export type ListedName = z.infer<typeof listedName>;

export const namesAnswer = z.strictObject({
  data: z.array(listedName).describe('Most frequent first, equally frequent ones by name.'),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
});
export type NamesAnswer = z.infer<typeof namesAnswer>;

const pageEnd = {has_more: z.boolean(), next_cursor: z.string().nullable()};

const keyFields = {
  share: rate().describe('Share of the events, or users, that have it.'),
  types: z
    .strictObject(Object.fromEntries(jsonTypes.map((type) => [type, z.int().min(1)])))
    .partial()
    .describe('How many values are of each JSON type.'),
};

export const propertiesAnswer = z.strictObject({
  data: z
    .array(
      z.strictObject({
        property: z.string(),
        ...keyFields,
        hidden: z.literal(true).optional().describe('Only with `hidden=true`: lists leave it out otherwise.'),
      }),
    )
    .describe('Most frequent first, equally frequent ones by name.'),
  ...pageEnd,
});
export type PropertiesAnswer = z.infer<typeof propertiesAnswer>;

export const traitsAnswer = z.strictObject({
  data: z
    .array(z.strictObject({trait: z.string(), ...keyFields}))
    .describe('Most frequent first, equally frequent ones by name.'),
  ...pageEnd,
});
export type TraitsAnswer = z.infer<typeof traitsAnswer>;

export const hiddenNamesAnswer = z.strictObject({names: z.array(z.string()).readonly()});
export const hiddenPropertiesAnswer = z.strictObject({properties: z.array(z.string()).readonly()});

export const usersAnswer = z.strictObject({
  data: z
    .array(
      z.strictObject({
        id: z.string(),
        kind: z.enum(['user', 'anonymous']).describe('Whether `id` is a `userId` or an `anonymousId`.'),
        created_at: instant(),
        last_seen: instant(),
        traits: stored(),
      }),
    )
    .describe('The last seen first.'),
  ...pageEnd,
});
export type UsersAnswer = z.infer<typeof usersAnswer>;

// -- changes ----------------------------------------------------------------------------------------------------------

const userRef = () =>
  z
    .string()
    .regex(/^[\w-]{43}$/)
    .describe('Stands for a user: the same in every line, and no way back to the id.');
const eventId = () => z.string().regex(/^\d+-\d+$/);

export const changeLine = z.union([
  storedEvent
    .extend({type: z.literal('event'), user_ref: userRef()})
    .describe('An event. One with an `id` that was there before takes its place.'),
  z
    .strictObject({
      type: z.literal('profile'),
      user_ref: userRef(),
      userId: z.string(),
      created_at: instant().describe('The earliest of its events and identify calls so far.'),
      identified_at: instant().describe('The latest of its identify calls.'),
      traits: stored(),
    })
    .describe('Who was identified, as it is now.'),
  z
    .strictObject({
      type: z.literal('joined'),
      anonymous_ref: userRef(),
      user_ref: userRef(),
      userId: z.string().nullable().describe('Null for a user who was deleted since.'),
      through: eventId().describe(
        'The last of these events: the numbers behind the dash of their ids are up to this one.',
      ),
    })
    .describe('Events of an anonymous user are a known one from now on. They do not come again.'),
  z
    .strictObject({
      type: z.literal('erased'),
      user_ref: userRef(),
      from: eventId().optional(),
      through: eventId().optional(),
    })
    .describe(
      'A user was deleted: delete its events and its profile. With `from` and `through`: the events between these.',
    ),
  z
    .strictObject({type: z.literal('removed'), id: eventId()})
    .describe('An event turned out to be a copy of another one.'),
]);

export const changesAnswer = z.strictObject({
  data: z.array(changeLine).describe('To be applied one after the other.'),
  has_more: z
    .boolean()
    .describe('Whether there was more at `Report-Log-Position`. If not, the copy is as of this position.'),
  next: z.string().describe('`after` of the next page.'),
});

export const valuesAnswer = z.strictObject({
  data: z
    .array(
      z.strictObject({
        value: z.string().optional().describe('The text of the value. Absent in items with a `kind`.'),
        kind: z.enum(['missing', 'null', 'not_scalar']).optional().describe('What is there instead of a value.'),
        count: z.int().min(1).describe('Events, or users, that have it.'),
      }),
    )
    .describe('Most frequent first, equally frequent ones by their text.'),
  distinct: count().describe('How many values there are on all pages; kinds are none.'),
  ...pageEnd,
});
export type ValuesAnswer = z.infer<typeof valuesAnswer>;

// -- refusals ---------------------------------------------------------------------------------------------------------

const rejected = z.strictObject({
  at: instant(),
  code: z.enum([...rejectedCodes, 'conflict']),
  field: z.string().nullable(),
  index: z.int().min(0).nullable().describe('Index in its batch; null for a single event and for a whole body.'),
  event: z
    .string()
    .nullable()
    .describe('Name of the event, where it is a valid one. Nothing else of what was sent is kept.'),
  key_id: z.string().nullable().describe('Id of the key that sent it; null for a `conflict`.'),
});
export type ListedRejection = z.infer<typeof rejected>;

export const rejectedAnswer = z.strictObject({
  data: z.array(rejected).describe('Newest first.'),
  has_more: z.boolean().describe('Whether more than `limit` are kept.'),
  since: instant().describe('When this process began to keep them.'),
  kept: z.literal('in memory only: lost when the process ends'),
});
export type RejectedAnswer = z.infer<typeof rejectedAnswer>;

// -- alerts -----------------------------------------------------------------------------------------------------------

const alertState = z
  .strictObject({
    state: z.enum(['ok', 'firing']),
    since: instant().describe('End of the window with which the state began.'),
    value: z
      .number()
      .nullable()
      .describe(
        'Of that window: a count, a conversion rate, or seconds. Of `stalled`: users who were told since then.',
      ),
    report_log_position: z
      .string()
      .nullable()
      .describe('`Report-Log-Position` of the snapshots that were judged; null for a lag.'),
  })
  .nullable()
  .describe('Null before the first evaluation.');

export const alertAnswer = z.strictObject({
  id: z.string().regex(/^al_[0-9a-f]{16}$/),
  kind: z.enum(['threshold', 'absence', 'funnel_drop', 'stalled', 'lag']),
  name: z.string(),
  count: z.enum(['events', 'users']).optional(),
  event: z.string().optional(),
  where: z.array(z.string()).optional(),
  user_where: z.array(z.string()).optional(),
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
  endpoints: z.array(z.string()).optional().describe('Absent: webhooks and chats that subscribe to it.'),
  for: z.int().optional().describe('Of all kinds but `stalled`.'),
  repeat_minutes: z.int().optional(),
  quiet_hours: z.strictObject({timezone: z.string(), from: z.string(), to: z.string()}).optional(),
  paused: z.boolean(),
  created_at: instant(),
  state: alertState,
});
export type AlertAnswer = z.infer<typeof alertAnswer>;

export const alertsAnswer = z.strictObject({data: z.array(alertAnswer).describe('Oldest first.')});

export const deletedAlertAnswer = z.strictObject({status: z.literal('deleted'), id: z.string()});

export const alertPreviewAnswer = z.strictObject({
  from: instant().describe('The first evaluation.'),
  to: instant().describe('The last one: what the published reports include.'),
  step_minutes: z.int().min(1).describe('From one evaluation to the next. What came and went in between is not seen.'),
  fired: count().describe('How often it would have begun to fire.'),
  messages: count().describe('How often somebody would have been told.'),
  firings: z
    .array(
      z.strictObject({
        from: instant(),
        until: instant().nullable().describe('Null: it would fire now.'),
        value: z.number().nullable().describe('With which it began.'),
        bound: z.number(),
      }),
    )
    .describe('The newest first, at most 1,000.'),
});
export type AlertPreviewAnswer = z.infer<typeof alertPreviewAnswer>;

// -- webhooks ---------------------------------------------------------------------------------------------------------

const webhookFields = {
  id: z.string().regex(/^wh_[0-9a-f]{16}$/),
  kind: z.enum(endpointKinds),
  url: z.string().describe('Of a chat without what opens it.'),
  types: z.array(
    z.strictObject({
      type: z.enum(subscribedTypes),
      names: z.array(z.string()).readonly().optional(),
      where: z.array(z.string()).readonly().optional(),
    }),
  ),
  batch: z.strictObject({events: z.int(), ms: z.int()}),
  ordered: z.boolean(),
  max_lag_minutes: z.int(),
  state: z.enum(['active', 'paused', 'disabled']),
  reason: z.string().nullable().describe('Why it is disabled.'),
  created_at: instant(),
  health: z.strictObject({
    probed: z.boolean().describe('It failed 20 times in a row, and gets one message at a time.'),
    failures: count().describe('Attempts that failed since the last that did not.'),
    failing_since: instant().nullable(),
    last_success_at: instant().nullable(),
    lag_seconds: count().describe('How long the oldest event that was not sent has waited.'),
    delivered: count(),
    failed: count().describe('Attempts.'),
    dead: count().describe('Messages that it did not take in ten attempts.'),
    skipped_events: count().describe('Passed over, as they had waited for more than `max_lag_minutes`.'),
  }),
};

export const webhookAnswer = z.strictObject(webhookFields);
export type WebhookAnswer = z.infer<typeof webhookAnswer>;

export const createdWebhookAnswer = z.strictObject({
  ...webhookFields,
  secret: z.string().optional().describe('Signs its messages. Shown this once; chats have none.'),
});
export type CreatedWebhookAnswer = z.infer<typeof createdWebhookAnswer>;

export const webhooksAnswer = z.strictObject({data: z.array(webhookAnswer).describe('Oldest first.')});
export const deletedWebhookAnswer = z.strictObject({status: z.literal('deleted'), id: z.string()});
export const testedWebhookAnswer = z.strictObject({id: z.string().describe('`webhook-id` of the test message.')});
export const rotatedWebhookAnswer = z.strictObject({
  id: z.string(),
  secret: z.string().describe('Shown this once.'),
  old_secret_until: instant().describe('Until then both secrets sign.'),
});
export const replayedWebhookAnswer = z.strictObject({queued: count().describe('Messages.')});

const delivery = z.strictObject({
  id: z.string().describe('`webhook-id`.'),
  type: z.string(),
  status: z.enum(['delivered', 'failed', 'erased', 'pending', 'dead', 'skipped']),
  at: instant().describe('When it was tried, ended, or is to be tried.'),
  attempts: count(),
  answer: z.int().nullable().describe('Status of the answer.'),
  why: z.string().nullable(),
  events: count().optional().describe('Of `skipped`: how many, at most.'),
});
export type DeliveryAnswer = z.infer<typeof delivery>;

export const deliveriesAnswer = z.strictObject({data: z.array(delivery), next_cursor: z.string().nullable()});
export type DeliveriesAnswer = z.infer<typeof deliveriesAnswer>;

// -- keys and operations ----------------------------------------------------------------------------------------------

const keyKind = z.enum(keyKinds);

const shownOptions = z
  .strictObject({
    identify: z.literal(false),
    origins: z.array(z.string()).readonly(),
    events_per_second_per_address: z.int().min(1),
  })
  .partial()
  .describe('Options of the key, as `POST /admin/v1/key` takes them; absent if it has none.');

export const listedKey = z.strictObject({
  id: z.string(),
  name: z.string(),
  kind: keyKind,
  last4: z.string().length(4).describe('The last four characters of the key.'),
  created_at: instant(),
  last_used_at: instant().nullable().describe('Updated once a minute.'),
  revoked_at: instant().nullable(),
  options: shownOptions.optional(),
});
export type ListedKey = z.infer<typeof listedKey>;

export const keysAnswer = z.strictObject({keys: z.array(listedKey).describe('Oldest first, revoked ones included.')});

export const createdKeyAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  kind: keyKind,
  key: z
    .string()
    .regex(/^sk_(write|read|live)_[0-9A-Za-z]{43}$/)
    .describe('The key itself: shown now and never again.'),
  created_at: instant(),
  options: shownOptions.optional(),
});
export type CreatedKey = z.infer<typeof createdKeyAnswer>;

export const revokedKeyAnswer = z.strictObject({status: z.literal('revoked'), id: z.string()});

export const linksAnswer = z.strictObject({
  stored: z.int().min(0).describe('Links that are on disk, those that were there before included.'),
  unknown: z.int().min(0).describe('Links of a `userId` that is no user: they are not stored.'),
});

export const healthAnswer = z.strictObject({
  status: z.literal('ok'),
  durability: z.enum(['power-cut', 'process-crash']).describe('What an acknowledged event survives.'),
  version: z.string(),
  commit: z.string().describe('Commit that it was built from; `unknown` outside a checkout.'),
});

export const readinessAnswer = z.strictObject({
  status: z.enum(['ready', 'not_ready']),
  reasons: z.array(z.string()).describe('Why not, in words.'),
  warnings: z
    .array(z.string())
    .describe('Problems that an operator should know, and that another machine would have, too.'),
  notes: z.array(z.string()).describe('Conditions that are expected and pass by themselves.'),
});

// -- saved funnels ----------------------------------------------------------------------------------------------------

export const savedFunnelAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  steps: z.array(z.string()).min(1),
  window: z.string().nullable().describe('The conversion window, in the largest unit that fits; null without one.'),
  created_at: instant(),
});
export const savedFunnelsAnswer = z.strictObject({data: z.array(savedFunnelAnswer)});
export const deletedFunnelAnswer = z.strictObject({status: z.literal('deleted'), id: z.string()});
export const userFunnelsAnswer = z.strictObject({
  data: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      reached: count().describe('Steps that the user reached, by all of its events.'),
      steps: count(),
      reached_at: instant().nullable().describe('When the last of them was reached; null without any.'),
    }),
  ),
});
