// What saved funnels say of all users and of one.
import {funnelAnswer} from '../../answers/funnels.js';
import {userFunnelsAnswer} from '../../answers/saved-funnels.js';
import {unknownUserAnswer} from '../../answers/users.js';
import {userForm} from '../../query/asked-user.js';
import {savedFunnelForm} from '../../routes/saved-funnels.js';
import type {Operations} from '../operation.js';
import {hinted, unchanged} from './reports.js';

const exampleFunnelId = 'fn_0123456789abcdef';
const path = {id: {description: 'The id of the funnel.', schema: {type: 'string'}, example: exampleFunnelId}};

export const funnels: Operations = {
  'GET /v1/funnels/{id}/report': {
    id: 'reportSavedFunnel',
    tag: 'Reports',
    summary: 'Conversion of a saved funnel',
    description: 'The answer of `GET /v1/reports/funnel` with the question of this funnel.',
    path,
    query: savedFunnelForm,
    isConditional: true,
    answers: {
      200: {description: 'The funnel.', schema: funnelAnswer, isTable: true, headers: hinted},
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
