// Reads the health of endpoints, which the processes that deliver wrote.

import type {KeptStore} from '../kept/kept-store.js';
import type {Endpoint} from './endpoint.js';
import {type EndpointHealth, healthFrom, healthName} from './endpoint-health.js';

/** Health of all endpoints, the oldest endpoint first. */
export type EndpointHealths = readonly {readonly endpoint: Endpoint; readonly health: EndpointHealth}[];

/** Rejects with a `BucketFault`. */
export const readHealths = ({endpoints, bucket}: KeptStore): Promise<EndpointHealths> =>
  Promise.all(endpoints.list().map(async (endpoint) => ({endpoint, health: await readHealth(bucket, endpoint.id)})));

/** Health of one endpoint. Rejects with a `BucketFault`. */
export const readHealth = async (bucket: Pick<KeptStore['bucket'], 'read'>, id: string): Promise<EndpointHealth> =>
  healthFrom((await bucket.read(healthName(id)))?.text);
