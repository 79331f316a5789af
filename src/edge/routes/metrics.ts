// GET /metrics: without a key, like /healthz. It has no id, key or name of a user or an event (families.ts).

import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {metricsContentType} from '../metrics/scrape.js';

export async function metrics({operations: {metricsText}}: Front, exchange: Exchange): Promise<void> {
  exchange.answer('200 OK', metricsContentType, await metricsText());
}
