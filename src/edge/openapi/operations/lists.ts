// Discovery: what events and users have, exact, from the newest published snapshot.
import {propertiesAnswer, traitsAnswer, valuesAnswer} from '../../answers.js';
import {propertiesForm, propertyValuesForm, traitsForm, traitValuesForm} from '../../routes/lists.js';
import type {Answer, Operations} from '../operation.js';

const freshness = ['Report-As-Of', 'Report-Log-Position', 'Report-Next-By', 'ETag'] as const;
const headers = {always: freshness} as const;
const unchanged: Answer = {description: 'The answer has not changed since that tag.', headers};
const errors = ['invalid_cursor', 'snapshot_gone', 'not_yet', 'unavailable'] as const;
const end = {has_more: false, next_cursor: null};
const pro = {value: 'pro', count: 1};

export const lists: Operations = {
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
        headers,
        example: {data: [pro, {kind: 'missing', count: 1}], distinct: 1, ...end},
      },
      304: unchanged,
    },
    errors,
  },
};
