// Resources: what people keep.
import {noParameters} from '../../query/query.js';
import {resources} from '../../resources/all.js';
import {outdatedAnswer, type Resource, removedAnswer} from '../../resources/resource.js';
import type {AnswerHeaders, Operation, Operations} from '../operation.js';
import {schemaName} from '../schemas.js';

const headers: AnswerHeaders = {always: ['ETag']};
const outdated = {
  description: 'It was changed since the version that `If-Match` names. Nothing was changed now.',
  schema: outdatedAnswer,
  headers,
};
const errors = ['not_found', 'unavailable'] as const;

function operationsOf(one: Resource): Operations {
  const {noun, name, countMax, schemas, listForm, beside, description} = one;
  const {tag, about, ofChange, example} = description;
  const type = schemaName(one);
  const article = /^[aeiou]/.test(noun) ? 'an' : 'a';
  const place = `/v1/${name}s`;
  const shown = {description: 'As it is now.', schema: schemas.answer, headers};
  const path = {id: {description: 'The id.', schema: {type: 'string'}, example: example.id}};
  const withId = {tag, path, query: noParameters, errors};
  const create: Operation = {
    id: `create${type}`,
    tag,
    summary: `Create ${article} ${noun}`,
    description: `${about} At most ${countMax}.`,
    query: noParameters,
    body: {schema: schemas.form, example: example.body},
    answers: {201: {...shown, schema: schemas.created, ...(example.answer && {example: example.answer})}},
    errors: ['unavailable'],
  };
  const page = example.answer && {data: [example.answer], has_more: false, next_cursor: null, ...beside?.example};
  const list: Operation = {
    id: `list${type}s`,
    tag,
    summary: `List the ${noun}s`,
    query: listForm,
    hasTag: true,
    answers: {
      200: {description: 'A page of them.', schema: schemas.list, headers, ...(page && {example: page})},
      304: {description: 'Nothing has changed.', headers},
    },
    errors: ['invalid_cursor', 'unavailable'],
  };
  const read: Operation = {
    ...withId,
    id: `read${type}`,
    summary: `Read ${article} ${noun}`,
    answers: {200: shown},
  };
  const change: Operation = {
    ...withId,
    id: `change${type}`,
    summary: `Change ${article} ${noun}`,
    ...(ofChange !== undefined && {description: ofChange}),
    isGuarded: true,
    body: {schema: schemas.change, example: example.change},
    answers: {200: shown, 412: outdated},
  };
  const remove: Operation = {
    ...withId,
    id: `delete${type}`,
    summary: `Delete ${article} ${noun}`,
    isGuarded: true,
    answers: {200: {description: 'It is deleted.', schema: removedAnswer}, 412: outdated},
  };
  return {
    [`POST ${place}`]: create,
    [`GET ${place}`]: list,
    [`GET ${place}/{id}`]: read,
    [`PATCH ${place}/{id}`]: change,
    [`DELETE ${place}/{id}`]: remove,
  };
}

export const kept: Operations = Object.assign({}, ...resources.map(operationsOf));
