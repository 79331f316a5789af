// Admin routes of API keys.
import {createdKeyAnswer, keyChangedAnswer, keysAnswer, listedKey, revokedKeyAnswer} from '../../answers/keys.js';
import {noParameters} from '../../query/query.js';
import {exampleKeyId, keyForm, keyOptions, newKeyBody} from '../../routes/keys.js';
import {inPath, type Operation, type Operations} from '../operation.js';

const revokeKey: Operation = {
  id: 'revokeKey',
  tag: 'API keys',
  summary: 'Revoke a key',
  description: 'Effective on every edge within a second. Revoking it again changes nothing.',
  query: keyForm,
  answers: {
    200: {
      description: 'The key is revoked.',
      schema: revokedKeyAnswer,
      example: {status: 'revoked', id: exampleKeyId},
    },
  },
  errors: ['not_found', 'unavailable'],
};

const exampleOptions = {identify: false as const, origins: ['https://example.com'], events_per_second_per_address: 20};

const exampleKey = {
  id: exampleKeyId,
  name: 'web',
  kind: 'write',
  last4: 'ple0',
  created_at: '2026-05-01T09:00:00.000Z',
  last_used_at: null,
  revoked_at: null,
  version: '6kP0xkqv3wJbJkD3m3V8hY',
  options: exampleOptions,
};

const headers = {always: ['ETag']} as const;

export const keys: Operations = {
  'POST /admin/v1/keys': {
    id: 'createKey',
    tag: 'API keys',
    summary: 'Create a key',
    description: 'The only answer that ever shows the key. To rotate: create, switch over, verify, revoke the old one.',
    query: noParameters,
    body: {schema: newKeyBody, example: {kind: 'write', name: 'web', options: exampleOptions}},
    answers: {
      201: {
        description: 'The key, which works at once.',
        schema: createdKeyAnswer,
        example: {
          id: exampleKeyId,
          name: 'web',
          kind: 'write',
          key: 'sk_write_ExampleExampleExampleExampleExampleExample0',
          created_at: '2026-05-01T09:00:00.000Z',
          version: exampleKey.version,
          options: exampleOptions,
        },
        headers,
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
          keys: [exampleKey],
        },
      },
    },
    errors: ['unavailable'],
  },
  'POST /admin/v1/key': {
    id: 'changeKey',
    tag: 'API keys',
    summary: 'Set the options of a write key',
    description: 'Effective on every edge within a second. Replaces all options: one that is not named is removed.',
    query: keyForm,
    isGuarded: true,
    body: {schema: keyOptions, example: exampleOptions},
    answers: {
      200: {
        description: 'The key as it is listed.',
        schema: listedKey,
        example: exampleKey,
        headers,
      },
      412: {
        description: 'Its options were changed since they were read. Nothing was changed now.',
        schema: keyChangedAnswer,
        headers,
      },
    },
    errors: ['not_found', 'unavailable'],
  },
  'DELETE /admin/v1/key': revokeKey,
  'DELETE /admin/v1/keys/{id}': inPath(revokeKey, {
    id: 'revokeKeyInPath',
    instead: '`DELETE /admin/v1/key`',
    path: {id: {description: 'The id of the key.', schema: {type: 'string'}, example: exampleKeyId}},
    query: noParameters,
  }),
};
