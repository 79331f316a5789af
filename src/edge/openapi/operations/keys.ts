// Admin routes of API keys.
import {createdKeyAnswer, keysAnswer, revokedKeyAnswer} from '../../answers.js';
import {noParameters} from '../../query.js';
import {newKeyBody} from '../../routes/keys.js';
import type {Operations} from '../operation.js';

export const keys: Operations = {
  'POST /admin/v1/keys': {
    id: 'createKey',
    tag: 'API keys',
    summary: 'Create a key',
    description: 'The only answer that ever shows the key. To rotate: create, switch over, verify, revoke the old one.',
    query: noParameters,
    body: {schema: newKeyBody, example: {kind: 'write', name: 'web'}},
    answers: {
      201: {
        description: 'The key, which works at once.',
        schema: createdKeyAnswer,
        example: {
          id: 'key_0123456789abcdef01',
          name: 'web',
          kind: 'write',
          key: 'sk_write_ExampleExampleExampleExampleExampleExample0',
          created_at: '2026-05-01T09:00:00.000Z',
        },
      },
    },
    errors: ['unavailable'],
  },
  'GET /admin/v1/keys': {
    id: 'listKeys',
    tag: 'API keys',
    summary: 'List the keys',
    query: noParameters,
    answers: {
      200: {
        description: 'All keys, never the secret part.',
        schema: keysAnswer,
        example: {
          keys: [
            {
              id: 'key_0123456789abcdef01',
              name: 'web',
              kind: 'write',
              last4: 'ple0',
              created_at: '2026-05-01T09:00:00.000Z',
              last_used_at: null,
              revoked_at: null,
            },
          ],
        },
      },
    },
    errors: ['unavailable'],
  },
  'DELETE /admin/v1/keys/{id}': {
    id: 'revokeKey',
    tag: 'API keys',
    summary: 'Revoke a key',
    description: 'Effective on every edge within a second. Revoking it again changes nothing.',
    path: {id: {description: 'The id of the key.', schema: {type: 'string'}, example: 'key_0123456789abcdef01'}},
    query: noParameters,
    answers: {
      200: {
        description: 'The key opens nothing any more.',
        schema: revokedKeyAnswer,
        example: {status: 'revoked', id: 'key_0123456789abcdef01'},
      },
    },
    errors: ['not_found', 'unavailable'],
  },
};
