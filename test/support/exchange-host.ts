// What an exchange needs of its server, for tests of exchanges without one.

import {RejectedEvents} from '../../src/edge/admission/rejected-events.js';
import {routes} from '../../src/edge/all-routes.js';
import {Deadlines} from '../../src/edge/http/deadlines.js';
import type {ExchangeHost} from '../../src/edge/http/exchange.js';
import {RequestIds} from '../../src/edge/http/request-id.js';
import {Traffic} from '../../src/edge/metrics/traffic.js';

/** Its clocks stand still, and a fault is thrown on. */
export const exchangeHost = (own: Partial<ExchangeHost> = {}): ExchangeHost => ({
  deadlines: new Deadlines(),
  monotonicMs: () => 0,
  turnMs: () => 0,
  closesConnections: () => false,
  exchangeOver: () => {},
  admitByBody: () => undefined,
  fault: (_, doing, error) => {
    throw new Error(doing, {cause: error});
  },
  requestIds: new RequestIds(),
  traffic: new Traffic(routes),
  rejected: new RejectedEvents(() => 0),
  ...own,
});
