// Profiles, lists of users, and deletions.
import {z} from 'zod';
import {type Deletion, devicesListedMax} from '../../asks/users.js';
import {namingKinds} from '../../kept/named-person.js';
import {errorAnswer} from './error.js';
import {storedEvent} from './events.js';
import {count, instant, pageEnd, stored} from './fields.js';
import {ownMeta} from './report-meta.js';

const positionPattern = /^\d+:\d+\.\d+$/;

export const profileAnswer = z.strictObject({
  id: z.string(),
  anonymous_ids: z
    .array(z.string())
    .max(devicesListedMax)
    .optional()
    .describe('Each `anonymousId` that is this user, at most 100. Absent for an anonymous user.'),
  traits: stored(),
  traits_over_limit: z.int().min(1).optional().describe('Traits that were left out because the profile is full.'),
  created_at: instant(),
  last_seen: instant(),
  events: z.array(storedEvent).describe('The newest 100.'),
  events_has_more: z.boolean(),
});
export type ProfileAnswer = z.infer<typeof profileAnswer>;

export const usersAnswer = z.strictObject({
  data: z
    .array(
      z.strictObject({
        id: z.string(),
        kind: z.enum(['user', 'anonymous']).describe('Whether `id` is a `userId` or an `anonymousId`.'),
        value: z
          .number()
          .nullable()
          .optional()
          .describe(
            'Only with `sort`: the number of events, or the sum. Null, and last: the user has no number of the property, or ' +
              'the sum is beyond the largest double.',
          ),
        created_at: instant(),
        last_seen: instant(),
        traits: stored(),
      }),
    )
    .describe('The last seen first; with `sort` the largest `value` first.'),
  total: count()
    .optional()
    .describe('Only with `behind`: how many people are behind the number, whatever else is asked.'),
  skipped: count()
    .optional()
    .describe('Only with `sort=sum:<property>`: values of the property, of all users, that are no JSON numbers.'),
  ...pageEnd,
  ...ownMeta,
});
export type UsersAnswer = z.infer<typeof usersAnswer>;

const namedBy = z.strictObject({
  kind: z.enum(namingKinds),
  id: z.string().describe('Of a hidden name: a hash of it.'),
  is_there: z
    .boolean()
    .describe(
      'Whether it is there still. Links (`share`) that surely showed the user were stopped before the deletion began.',
    ),
});
export type NamedBy = z.infer<typeof namedBy>;

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
  named_by: z
    .array(namedBy)
    .readonly()
    .describe(
      'Definitions whose texts had an id of the user, or the text of a trait that fewer than five users had. The deletion changes none of them, but stops links that surely showed the user.',
    ),
}) satisfies z.ZodType<Omit<Deletion, 'events_deleted' | 'log_position'>>;
export type DeletionReceipt = z.infer<typeof deletion>;

export const deletedAnswer = z.strictObject({status: z.literal('deleted'), id: z.string(), deletion});

export const deletionPendingAnswer = z.strictObject({status: z.literal('pending'), id: z.string(), deletion});

export const nameDeletedAnswer = z.strictObject({status: z.literal('deleted'), event: z.string(), deletion});

export const nameDeletionPendingAnswer = z.strictObject({status: z.literal('pending'), event: z.string(), deletion});

/** Answer for a name without events; it names an earlier deletion of the name. */
export const nameGoneAnswer = z.strictObject({error: errorAnswer.shape.error, deletion: deletion.optional()});

export const deletionAnswer = z.strictObject({deletion});

const unknownUser = {
  error: errorAnswer.shape.error,
  linked_to: z.string().optional().describe('The `userId` of the user that this `anonymousId` is.'),
};

export const unknownUserAnswer = z.strictObject(unknownUser);

/** Answer for an unknown user; it names an earlier deletion of that user. */
export const goneAnswer = z.strictObject({...unknownUser, deletion: deletion.optional()});
