// Tracking events, and reading them.
import {refusalTexts} from '../../../ingest/refusals.js';
import {batchSchema, eventSchema} from '../../../ingest/schemas.js';
import {historyAnswer} from '../../answers/events.js';
import {batchAnswer, batchErrorAnswer, trackAnswer} from '../../answers/ingestion.js';
import {rejectedAnswer} from '../../answers/rejected.js';
import {unknownUserAnswer} from '../../answers/users.js';
import {historyForm} from '../../routes/events.js';
import {rejectedForm} from '../../routes/rejected.js';
import type {Operations} from '../operation.js';
import {purchase} from './examples.js';

/** The service's clock decides which timestamps are in the future: no schema can express that. */
export const event = eventSchema(() => Number.POSITIVE_INFINITY);
export const batch = batchSchema(event);

const notes = ['Ignored-Fields', 'Event-Time-Ahead'] as const;
const position = {sometimes: ['Log-Position', ...notes, 'Access-Control-Expose-Headers']} as const;

export const events: Operations = {
  'POST /v1/events': {
    id: 'trackEvent',
    tag: 'Events',
    summary: 'Track one event',
    description:
      'Answered 200 when the event is on disk. A retry with the same `messageId` is acknowledged and counted once.',
    body: {
      schema: event,
      example: {event: 'signup', userId: 'ada', properties: {plan: 'pro'}, timestamp: '2026-05-01T12:00:00Z'},
    },
    answers: {
      200: {
        description: 'The event is stored.',
        schema: trackAnswer,
        headers: position,
        example: {status: 'ok', received: 1},
      },
    },
    errors: ['invalid_event', 'too_many_names', 'unknown_name'],
  },
  'POST /v1/events/batch': {
    id: 'trackBatch',
    tag: 'Events',
    summary: 'Track up to 1,000 events',
    description:
      'Every event has its own outcome: the valid ones are stored, the others are listed by index. ' +
      '`received` counts known duplicates too, so a retry gets the same answer.',
    body: {
      schema: batch,
      example: {
        events: [
          {
            event: 'purchase',
            userId: 'ada',
            properties: {amount: 30, currency: 'EUR'},
            timestamp: '2026-05-01T12:30:00Z',
            messageId: 'order-1001',
          },
          {event: 'signup', userId: 'grace', properties: {plan: 'free'}, timestamp: '2026-05-02T09:00:00Z'},
        ],
      },
    },
    answers: {
      200: {
        description: 'All events are stored.',
        schema: batchAnswer,
        headers: position,
        example: {status: 'ok', received: 2, rejected: 0, errors: []},
      },
      207: {
        description: 'The valid events are stored, the others are listed.',
        schema: batchAnswer,
        headers: position,
        example: {
          status: 'partial',
          received: 1,
          rejected: 1,
          errors: [{index: 1, code: 'invalid_event', field: 'userId', message: refusalTexts.noId}],
        },
      },
      400: {
        description: 'Nothing is stored; with `errors` when no event of the batch is valid.',
        schema: batchErrorAnswer,
        headers: {sometimes: [...notes, 'Access-Control-Expose-Headers']},
      },
      503: {
        description: 'Nothing is stored; with `errors` some events are stored: send the listed ones again.',
        schema: batchErrorAnswer,
        headers: {always: ['Retry-After'], sometimes: ['Log-Position', ...notes]},
      },
    },
    errors: ['invalid_event', 'batch_too_large'],
  },
  'GET /v1/events': {
    id: 'listEvents',
    tag: 'Events',
    summary: 'Read the history',
    description:
      'Newest first, live: every event that was acknowledged before is seen. Pages do not shift while events arrive.',
    query: historyForm,
    answers: {
      200: {
        description: 'A page; every page except the last one is full.',
        schema: historyAnswer,
        example: {
          data: [purchase],
          has_more: true,
          next_cursor: 'AUJ59LYhkAAAAgEBAokrNwCYbZFcWZGeWzKfm_A',
        },
      },
      404: {
        description: 'The `anonymousId` is a known user, whose history has its events: `linked_to` names it.',
        schema: unknownUserAnswer,
        example: {error: {code: 'user_not_found', message: 'no such user'}, linked_to: 'ada'},
      },
    },
    errors: ['invalid_cursor', 'user_not_found', 'unavailable'],
  },
  'GET /v1/rejected': {
    id: 'listRejected',
    tag: 'Events',
    summary: 'Read what was refused',
    description:
      'The newest 10,000 refusals of events, identifies and bodies that came with a known key. Each edge keeps its own ' +
      'list in memory, which a restart clears. With the code `conflict`, each partition lists its newest 800 events and ' +
      'identifies that were accepted and not counted, because their `messageId` was known with other content.',
    query: rejectedForm,
    answers: {
      200: {
        description: 'Refusals, newest first.',
        schema: rejectedAnswer,
        example: {
          data: [
            {
              at: '2026-05-01T12:30:01.250Z',
              code: 'invalid_event',
              field: 'userId',
              index: 1,
              event: 'purchase',
              key_id: 'key_0123456789abcdef01',
            },
            {
              at: '2026-05-01T12:30:01.250Z',
              code: 'invalid_event',
              field: 'event',
              index: 0,
              event: null,
              key_id: 'key_0123456789abcdef01',
            },
          ],
          has_more: false,
          since: '2026-05-01T09:00:00.000Z',
          kept: 'in memory only: lost when the process ends',
        },
      },
    },
    errors: ['unavailable'],
  },
};
