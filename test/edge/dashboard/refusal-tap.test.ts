import {expect, test} from 'vitest';
import {RefusalTap} from '../../../src/edge/metrics/refusal-tap.js';

test('refusals are kept while somebody looks, equal ones with their count, and never a text of a client', () => {
  const tap = new RefusalTap();
  tap.note('invalid_key', '/v1/events', {});
  tap.isOpen = true;
  tap.note('invalid_event', '/v1/events', {field: 'userId', keyId: 'key_1'});
  tap.note('invalid_event', '/v1/events', {field: 'userId', keyId: 'key_1'});
  tap.note('invalid_request', '/v1/events', {field: 'ada@example.com', keyId: 'key_1'});
  tap.note('not_found', undefined, {});
  expect(tap.take()).toEqual({
    refusals: [
      {code: 'invalid_event', route: '/v1/events', field: 'userId', key_id: 'key_1', count: 2},
      {code: 'invalid_request', route: '/v1/events', field: null, key_id: 'key_1', count: 1},
      {code: 'not_found', route: undefined, field: null, key_id: null, count: 1},
    ],
    more: 0,
  });
  expect(tap.take()).toEqual({refusals: [], more: 0});
});

test('past twenty kinds of a second only their number is known', () => {
  const tap = new RefusalTap();
  tap.isOpen = true;
  for (let at = 0; at < 50; at++) tap.note('invalid_event', '/v1/events', {keyId: `key_${at}`});
  const {refusals, more} = tap.take();
  expect([refusals.length, more]).toEqual([20, 30]);
});
