// Saved funnels.
import {funnelAnswer} from '../../answers/funnels.js';
import {
  deletedFunnelAnswer,
  savedFunnelAnswer,
  savedFunnelsAnswer,
  userFunnelsAnswer,
} from '../../answers/saved-funnels.js';
import {unknownUserAnswer} from '../../answers/users.js';
import {userForm} from '../../query/asked-user.js';
import {noParameters} from '../../query/query.js';
import {exampleFunnelId, newFunnelBody, savedFunnelForm} from '../../routes/saved-funnels.js';
import type {Operations} from '../operation.js';
import {hinted, unchanged} from './reports.js';

const path = {id: {description: 'The id of the funnel.', schema: {type: 'string'}, example: exampleFunnelId}};

const example = {
  id: exampleFunnelId,
  name: 'Activation',
  steps: ['signup', 'purchase'],
  window: '7d',
  created_at: '2026-05-01T09:00:00.000Z',
};

export const funnels: Operations = {
  'POST /v1/funnels': {
    id: 'saveFunnel',
    tag: 'Reports',
    summary: 'Save a funnel',
    description:
      'From then on webhooks get `funnel.completed` once for each user who completes the funnel. Users who completed it before ' +
      'cause no message. At most 20 funnels, and none once `late_users` of the list is above 0.',
    query: noParameters,
    body: {schema: newFunnelBody, example: {name: example.name, steps: example.steps, window: example.window}},
    answers: {201: {description: 'The funnel.', schema: savedFunnelAnswer, example}},
    errors: ['unavailable'],
  },
  'GET /v1/funnels': {
    id: 'listFunnels',
    tag: 'Reports',
    summary: 'List the saved funnels',
    query: noParameters,
    answers: {
      200: {
        description: 'All saved funnels, oldest first.',
        schema: savedFunnelsAnswer,
        example: {data: [example], late_users: 0},
      },
    },
    errors: [],
  },
  'GET /v1/funnels/{id}': {
    id: 'getFunnel',
    tag: 'Reports',
    summary: 'Read a saved funnel',
    path,
    query: noParameters,
    answers: {200: {description: 'The funnel.', schema: savedFunnelAnswer}},
    errors: ['not_found'],
  },
  'DELETE /v1/funnels/{id}': {
    id: 'deleteFunnel',
    tag: 'Reports',
    summary: 'Delete a saved funnel',
    description: 'It sends no further messages, and the users who completed it are forgotten. Events stay.',
    path,
    query: noParameters,
    answers: {200: {description: 'The funnel is deleted.', schema: deletedFunnelAnswer}},
    errors: ['not_found', 'unavailable'],
  },
  'GET /v1/funnels/{id}/report': {
    id: 'readSavedFunnel',
    tag: 'Reports',
    summary: 'Conversion of a saved funnel',
    description: 'The answer of `GET /v1/reports/funnel` with the steps and the window of this funnel.',
    path,
    query: savedFunnelForm,
    isConditional: true,
    answers: {
      200: {description: 'The funnel.', schema: funnelAnswer, hasCsv: true, headers: hinted},
      304: {...unchanged, headers: hinted},
    },
    errors: ['not_found', 'too_expensive', 'snapshot_gone', 'not_yet', 'unavailable'],
  },
  'GET /v1/user/funnels': {
    id: 'getUserFunnels',
    tag: 'Users',
    summary: 'Read how far a user got in each saved funnel',
    description: 'Live: every event that was acknowledged before is seen.',
    query: userForm,
    answers: {
      200: {
        description: 'Each saved funnel, oldest first.',
        schema: userFunnelsAnswer,
        example: {
          data: [
            {id: exampleFunnelId, name: 'Activation', reached: 2, steps: 2, reached_at: '2026-05-01T12:30:00.000Z'},
          ],
        },
      },
      404: {
        description:
          'There is no such user. An `anonymousId` that is a known user is found there alone: `linked_to` names it.',
        schema: unknownUserAnswer,
        example: {error: {code: 'user_not_found', message: 'no such user'}, linked_to: 'ada'},
      },
    },
    errors: ['unavailable'],
  },
};
