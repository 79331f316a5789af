// Changes for a reader that keeps a copy.
import {z} from 'zod';
import {storedEvent} from './events.js';
import {eventId, instant, stored} from './fields.js';

const userRef = () =>
  z
    .string()
    .regex(/^[\w-]{43}$/)
    .describe('Reference to a user: the same in every line; nobody can derive the id from it.');

const eventRef = () =>
  z
    .string()
    .regex(/^[\w-]{43}$/)
    .describe('Reference to the name of the event: the same in every line, also once the name is deleted.');

export const changeLine = z.union([
  storedEvent
    .extend({type: z.literal('event'), user_ref: userRef(), event_ref: eventRef()})
    .describe('An event. It replaces an earlier one with the same `id`.'),
  z
    .strictObject({
      type: z.literal('profile'),
      user_ref: userRef(),
      userId: z.string(),
      created_at: instant().describe('The earliest of its events and identify calls so far.'),
      identified_at: instant().describe('The latest of its identify calls.'),
      traits: stored(),
    })
    .describe('Current profile of an identified user.'),
  z
    .strictObject({
      type: z.literal('joined'),
      anonymous_ref: userRef(),
      user_ref: userRef(),
      userId: z.string().nullable().describe('Null for a user who was deleted since.'),
      from: eventId().describe('The first of these events.'),
      through: eventId().describe(
        'The last of these events: the numbers after the dash of their ids go from that of `from` to this one.',
      ),
    })
    .describe(
      'Events of an anonymous user belong to a known one from now on. They are not listed again. Its other events stay as they are: they may be those of another user.',
    ),
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
    .strictObject({type: z.literal('erased'), event_ref: eventRef(), through: eventId()})
    .describe(
      'All events of a name were deleted: delete those with this `event_ref` whose ids have the number of `through` before the ' +
        'dash, and at most its number after it.',
    ),
  z
    .strictObject({type: z.literal('removed'), id: eventId()})
    .describe('An event turned out to be a copy of another one, or was joined and is of a deleted name: delete it.'),
]);

export const changesAnswer = z.strictObject({
  data: z.array(changeLine).describe('Changes, to be applied in this order.'),
  has_more: z
    .boolean()
    .describe('Whether more changes follow up to `Report-Log-Position`. If not, the copy is as of this position.'),
  next: z.string().describe('`after` of the next page.'),
});
