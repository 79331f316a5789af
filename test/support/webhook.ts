// An active webhook for tests that store none.
import type {Endpoint, SubscribedType} from '../../src/webhooks/endpoint.js';

/** Subscribes to one type; single events, in any order. */
export const webhookOf = (type: SubscribedType): Endpoint => ({
  v: 1,
  id: 'wh_0123456789abcdef',
  createdMs: 0,
  kind: 'webhook',
  url: 'https://hooks.example.com/',
  types: [{type}],
  state: 'active',
  reason: null,
  secrets: [{value: 'whsec_AAAA'}],
  batch: {events: 1, ms: 0},
  ordered: false,
});
