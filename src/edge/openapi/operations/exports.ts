// Exports: events as lines of JSON.
import {unknownUserAnswer} from '../../answers.js';
import {userForm} from '../../query/asked-user.js';
import {exportForm} from '../../routes/exports.js';
import type {Operations} from '../operation.js';

const media = 'application/x-ndjson';
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
        headers: {always: ['Report-As-Of', 'Report-Log-Position', 'Vary'], sometimes: ['Content-Encoding']},
      },
    },
    errors: ['unavailable'],
  },
  'GET /v1/user/export': {
    id: 'exportUser',
    tag: 'Users',
    summary: 'Export everything of one person',
    description:
      'Live, as of `Log-Position`: a line `{"profile":{…}}` as `GET /v1/user` shows it, then all events, newest first.',
    query: userForm,
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
