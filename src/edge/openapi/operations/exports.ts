// Exports: events as lines of JSON.
import {changesAnswer} from '../../answers/changes.js';
import {unknownUserAnswer} from '../../answers/users.js';
import {changesForm} from '../../routes/changes.js';
import {exportForm, userExportForm} from '../../routes/exports.js';
import type {Operations} from '../operation.js';

const media = 'application/x-ndjson';
/** Stand for the names signup and purchase. */
const [signupRef, purchaseRef] = [
  'n0Yt1mDl0nq3cKQd9y2mYxQfJ5uZ8wV4hT6sRkEoBcA',
  'pX3aLw8Zr1eVt5Ny7Ku2Bq9Hd4Gm6Jf0sCiQoWlUzEg',
];
const ada = 'fHRmYPREj4qqVOA088izwsdoBwBrz5kW8EMkYVhZRbo';
const lines =
  'One JSON text a line; compressed with gzip if `Accept-Encoding` has it. The last line is `{"end":true,"events":n}`: without ' +
  'it the answer is cut.';

export const exports: Operations = {
  'GET /v1/export': {
    id: 'exportEvents',
    tag: 'Events',
    summary: 'Export events',
    description:
      'All events in the range by time, as `GET /v1/events` shows each, exact as of `Report-Log-Position`. Events that are ' +
      'deleted meanwhile are left out of what was not sent yet.',
    query: exportForm,
    answers: {
      200: {
        description: lines,
        media,
        isTable: true,
        headers: {always: ['Report-As-Of', 'Report-Log-Position', 'Vary'], sometimes: ['Content-Encoding']},
      },
    },
    errors: ['too_expensive', 'unavailable'],
  },
  'GET /v1/changes': {
    id: 'listChanges',
    tag: 'Events',
    summary: 'Read all that came or changed',
    description:
      'For a copy of the data elsewhere: new events in the order of their arrival, late ones included, profiles, events of ' +
      'anonymous users who are known by now, and deletions. A copy that applies all lines in their order has what `GET /v1/export` ' +
      'and `GET /v1/users` say at the `Report-Log-Position` of a page without more.',
    query: changesForm,
    answers: {
      200: {
        description: 'One page.',
        schema: changesAnswer,
        headers: {always: ['Report-As-Of', 'Report-Log-Position']},
        example: {
          data: [
            {
              type: 'profile',
              user_ref: ada,
              userId: 'ada',
              created_at: '2026-05-01T12:00:00.000Z',
              identified_at: '2026-05-01T12:00:00.000Z',
              traits: {name: 'Ada Lovelace', plan: 'pro'},
            },
            {
              type: 'event',
              user_ref: ada,
              event_ref: signupRef,
              id: '0-0',
              event: 'signup',
              userId: 'ada',
              anonymousId: null,
              properties: {plan: 'pro'},
              timestamp: '2026-05-01T12:00:00.000Z',
              received_at: '2026-05-01T12:00:00.120Z',
            },
            {
              type: 'event',
              user_ref: ada,
              event_ref: purchaseRef,
              id: '0-1',
              event: 'purchase',
              userId: 'ada',
              anonymousId: null,
              properties: {amount: 30, currency: 'EUR'},
              timestamp: '2026-05-01T12:30:00.000Z',
              received_at: '2026-05-01T12:30:00.120Z',
              messageId: 'order-1001',
            },
            {
              type: 'event',
              user_ref: 'GaowsPuSYKuUpENQ4JTEhtc3rA8ZjppkrTyKalL4J5I',
              event_ref: signupRef,
              id: '0-2',
              event: 'signup',
              userId: 'grace',
              anonymousId: null,
              properties: {plan: 'free'},
              timestamp: '2026-05-02T09:00:00.000Z',
              received_at: '2026-05-02T09:00:00.120Z',
            },
          ],
          has_more: false,
          next: 'JAEMAAAAAgIDAwEIAAAAAAAAAAEIAAAAAAAAAAEJAAAAAAAAALyI97h1j9FYUV0GiYTAKb4',
        },
      },
    },
    errors: ['invalid_cursor', 'too_expensive', 'position_gone', 'unavailable'],
  },
  'GET /v1/user/export': {
    id: 'exportUser',
    tag: 'Users',
    summary: 'Export everything of one person',
    description:
      'Live, as of `Log-Position`: a line `{"profile":{…}}` as `GET /v1/user` shows it, then all events, newest first.',
    query: userExportForm,
    answers: {
      200: {
        description: lines,
        media,
        headers: {always: ['Log-Position', 'Vary'], sometimes: ['Content-Encoding']},
      },
      404: {
        description: 'There is no such user. An `anonymousId` that is a known user is found there alone.',
        schema: unknownUserAnswer,
        example: {error: {code: 'user_not_found', message: 'no such user'}, linked_to: 'ada'},
      },
    },
    errors: ['user_not_found', 'unavailable'],
  },
};
