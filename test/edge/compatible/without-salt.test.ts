// An edge without a salt: a request with an event that would need the id of a visitor is refused as a whole.
import {expect, test} from 'vitest';
import {routes} from '../../../src/edge/all-routes.js';
import type {Failure} from '../../../src/edge/failure.js';
import type {Front} from '../../../src/edge/front.js';
import type {Exchange} from '../../../src/edge/http/exchange.js';
import type {BodyEndpoint} from '../../../src/edge/route.js';

const invalidKey: Failure = {code: 'invalid_key', message: 'the key is wrong'};

/** The failure of a request. `isKnown`: whether its key is. */
function failureOf(path: string, body: object, isKnown = true): {failure: Failure | undefined; saltsAsked: number} {
  let failure: Failure | undefined;
  let saltsAsked = 0;
  const front = {
    wallMs: () => 0,
    partitionCount: 1,
    operations: {clientAddresses: {of: () => '192.0.2.1'}, traffic: {events: {refused: 0}}},
    writes: {
      encoder: {plainEvent: () => false},
      visitorSalt: () => {
        saltsAsked += 1;
        return undefined;
      },
    },
  };
  const exchange = {
    userAgent: '',
    authorization: 'Bearer k',
    query: '',
    caller: isKnown ? {key: {id: 'key_1', options: {mayIdentify: true, isWeb: true}}} : {},
    admitByBody: () => invalidKey,
    fail: (found: Failure) => {
      failure = found;
    },
  };
  const {takeBody} = routes.exact.get(path)!.POST as BodyEndpoint;
  void takeBody(front as unknown as Front, exchange as unknown as Exchange, Buffer.from(JSON.stringify(body)));
  return {failure, saltsAsked};
}

test.each([
  ['/api/event', {n: 'pageview'}],
  ['/api/send', {type: 'event', payload: {url: '/'}}],
  ['/api/send', {type: 'identify', payload: {data: {}}}],
  ['/track', {type: 'track', payload: {name: 'seen'}}],
  ['/v1/events', {event: 'seen'}],
  ['/v1/events/batch', {events: [{event: 'seen', userId: 'ada'}, {event: 'seen'}]}],
])('POST %s of nobody is 503, and getting a salt has begun', (path, body) => {
  expect(failureOf(path, body)).toMatchObject({
    failure: {code: 'unavailable', headers: [['Retry-After', '1']]},
    saltsAsked: 1,
  });
});

test('a wrong key is refused first', () => {
  expect(failureOf('/api/send', {type: 'event', payload: {website: 'x'}}, false).failure).toBe(invalidKey);
});
