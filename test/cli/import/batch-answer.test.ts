import {expect, test} from 'vitest';
import {type BatchAnswer, interpret} from '../../../src/cli/import/batch-answer.js';

const badName = {index: 1, code: 'invalid_event', message: 'm', field: 'event'};
const lost = (index: number) => ({index, code: 'unavailable', message: 'm'});
const judged = (refused: [number, object][] = [], unavailable: number[] = []) =>
  ({kind: 'judged', refused: new Map(refused), unavailable}) as BatchAnswer;
const refusal = {code: 'invalid_event', message: 'm', field: 'event'};

// Answers to a batch of three events.
test.each<[string, number, unknown, BatchAnswer | BatchAnswer['kind']]>([
  ['all stored', 200, {status: 'ok', received: 3, rejected: 0, errors: []}, judged()],
  ['all stored, no list', 200, {status: 'ok', received: 3}, judged()],
  ['one refused', 207, {status: 'partial', received: 2, rejected: 1, errors: [badName]}, judged([[1, refusal]])],
  [
    'all refused',
    400,
    {error: {}, errors: [0, 1, 2].map((index) => ({...badName, index}))},
    judged([0, 1, 2].map((n) => [n, refusal])),
  ],
  ['a share was not taken', 503, {received: 1, errors: [lost(0), lost(2)]}, judged([], [0, 2])],
  ['a share was not taken, one refused', 503, {received: 1, errors: [lost(0), badName]}, judged([[1, refusal]], [0])],
  [
    'overload',
    503,
    {error: {code: 'unavailable', message: 'm'}},
    {kind: 'later', reason: 'status 503, unavailable: m'},
  ],
  ['a proxy without upstream', 502, '<html>', {kind: 'later', reason: 'status 502'}],
  ['rate limit', 429, {error: {code: 'rate_limited', message: 'm'}}, 'later'],
  [
    'body not parsed',
    400,
    {error: {code: 'invalid_json', message: 'm'}},
    {kind: 'body_refused', refusal: {code: 'invalid_json', message: 'm'}},
  ],
  [
    'a proxy with a small bound',
    413,
    '<html>',
    {kind: 'body_refused', refusal: {code: 'http_413', message: 'refused with status 413'}},
  ],
  [
    'a revoked key',
    401,
    {error: {code: 'invalid_key', message: 'm'}},
    {kind: 'hopeless', reason: 'status 401, invalid_key: m'},
  ],
  ['a redirect', 301, '', 'hopeless'],
  ['something else answers', 200, 'hello', 'hopeless'],
  ['numbers that do not add up', 200, {status: 'ok', received: 2, errors: []}, 'hopeless'],
  ['an index outside the batch', 207, {received: 2, errors: [{...badName, index: 3}]}, 'hopeless'],
  ['an index twice', 207, {received: 1, errors: [badName, badName]}, 'hopeless'],
])('answer: %s', (_, status, body, meaning) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const got = interpret({status, retryAfterSeconds: null, body: text}, 3);
  expect(typeof meaning === 'string' ? got.kind : got).toEqual(meaning);
});
