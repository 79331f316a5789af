// Discovery: what events and users have, exact, from the newest published snapshot.
import {
  hiddenNamesAnswer,
  hiddenNamesChangedAnswer,
  hiddenPropertiesAnswer,
  hiddenPropertiesChangedAnswer,
  propertiesAnswer,
  traitsAnswer,
  valuesAnswer,
} from '../../answers/lists.js';
import {usersAnswer} from '../../answers/users.js';
import {hiddenNames, hiddenProperties} from '../../routes/hidden.js';
import {propertiesForm, propertyValuesForm, traitsForm, traitValuesForm} from '../../routes/lists.js';
import {userListForm} from '../../routes/user-list.js';
import type {Answer, Operations} from '../operation.js';
import {freshness, hinted} from './reports.js';

const headers = {always: freshness, sometimes: [...hinted.sometimes, 'Next-Cursor']} as const;
const unchanged: Answer = {
  description: 'The answer has not changed since that tag.',
  headers: hinted,
};
const errors = ['invalid_cursor', 'too_expensive', 'snapshot_gone', 'not_yet', 'unavailable'] as const;
const tagged = {always: ['ETag']} as const;
const listChanged = {
  description: 'The list was changed since it was read: this is how it is now. Nothing was changed now.',
  headers: tagged,
} as const;
const end = {has_more: false, next_cursor: null};
const pro = {value: 'pro', count: 1};

export const lists: Operations = {
  'GET /v1/users': {
    id: 'listUsers',
    tag: 'Users',
    summary: 'List users',
    description:
      'The last seen first, or with `sort` the heaviest first, anonymous ones included. An `anonymousId` that is a known user is not listed: its events are ' +
      'those of that user.',
    query: userListForm,
    isConditional: true,
    answers: {
      200: {
        description: 'One page of users.',
        schema: usersAnswer,
        isTable: true,
        headers,
        example: {
          data: [
            {
              id: 'grace',
              kind: 'user',
              created_at: '2026-05-02T09:00:00.000Z',
              last_seen: '2026-05-02T09:00:00.000Z',
              traits: {},
            },
            {
              id: 'ada',
              kind: 'user',
              created_at: '2026-05-01T12:00:00.000Z',
              last_seen: '2026-05-01T12:30:00.000Z',
              traits: {name: 'Ada Lovelace', plan: 'pro'},
            },
          ],
          ...end,
        },
      },
      304: unchanged,
    },
    errors,
  },
  'PUT /v1/names/hidden': {
    id: 'hideNames',
    tag: 'Reports',
    summary: 'Hide names of events from lists',
    description:
      'Replaces the whole list. Nothing is deleted, and reports of a hidden name answer as before. Effective on every edge ' +
      'within a second.',
    isGuarded: true,
    body: {schema: hiddenNames, example: {names: ['debug']}},
    answers: {
      200: {
        description: 'The stored list.',
        schema: hiddenNamesAnswer,
        headers: tagged,
        example: {names: ['debug']},
      },
      412: {...listChanged, schema: hiddenNamesChangedAnswer},
    },
    errors: ['unavailable'],
  },
  'GET /v1/names/hidden': {
    id: 'listHiddenNames',
    tag: 'Reports',
    summary: 'Read which names of events are hidden',
    answers: {
      200: {description: 'The whole list.', schema: hiddenNamesAnswer, headers: tagged, example: {names: ['debug']}},
    },
    errors: [],
  },
  'PUT /v1/properties/hidden': {
    id: 'hideProperties',
    tag: 'Reports',
    summary: 'Hide properties from lists',
    description: 'Replaces the whole list. Nothing is deleted. Effective on every edge within a second.',
    isGuarded: true,
    body: {schema: hiddenProperties, example: {properties: ['$ip']}},
    answers: {
      200: {
        description: 'The stored list.',
        schema: hiddenPropertiesAnswer,
        headers: tagged,
        example: {properties: ['$ip']},
      },
      412: {...listChanged, schema: hiddenPropertiesChangedAnswer},
    },
    errors: ['unavailable'],
  },
  'GET /v1/properties/hidden': {
    id: 'listHiddenProperties',
    tag: 'Reports',
    summary: 'Read which properties are hidden',
    answers: {
      200: {
        description: 'The whole list.',
        schema: hiddenPropertiesAnswer,
        headers: tagged,
        example: {properties: ['$ip']},
      },
    },
    errors: [],
  },
  'GET /v1/properties': {
    id: 'listProperties',
    tag: 'Reports',
    summary: 'List the properties of events',
    description:
      'Top-level keys of the properties of the events in the range, with the share of the events that have it.',
    query: propertiesForm,
    isConditional: true,
    answers: {
      200: {
        description: 'One page of properties.',
        schema: propertiesAnswer,
        isTable: true,
        headers,
        example: {data: [{property: 'plan', share: 1, types: {string: 2}}], ...end},
      },
      304: unchanged,
    },
    errors,
  },
  'GET /v1/properties/values': {
    id: 'listPropertyValues',
    tag: 'Reports',
    summary: 'List the values of a property',
    description: 'Texts of the values that the events in the range have, with how many events have each.',
    query: propertyValuesForm,
    isConditional: true,
    answers: {
      200: {
        description: 'One page of values.',
        schema: valuesAnswer,
        isTable: true,
        headers,
        example: {data: [{value: 'free', count: 1}, pro], distinct: 2, ...end},
      },
      304: unchanged,
    },
    errors,
  },
  'GET /v1/traits': {
    id: 'listTraits',
    tag: 'Reports',
    summary: 'List the traits of users',
    description: 'Top-level keys of the current traits of users, with the share of the users that have it.',
    query: traitsForm,
    isConditional: true,
    answers: {
      200: {
        description: 'One page of traits.',
        schema: traitsAnswer,
        isTable: true,
        headers,
        example: {
          data: [
            {trait: 'name', share: 0.5, types: {string: 1}},
            {trait: 'plan', share: 0.5, types: {string: 1}},
          ],
          ...end,
        },
      },
      304: unchanged,
    },
    errors,
  },
  'GET /v1/traits/values': {
    id: 'listTraitValues',
    tag: 'Reports',
    summary: 'List the values of a trait',
    description: 'Texts of the current values that users have, with how many users have each.',
    query: traitValuesForm,
    isConditional: true,
    answers: {
      200: {
        description: 'One page of values.',
        schema: valuesAnswer,
        isTable: true,
        headers,
        example: {data: [pro, {kind: 'missing', count: 1}], distinct: 1, ...end},
      },
      304: unchanged,
    },
    errors,
  },
};
