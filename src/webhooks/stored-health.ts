// Reads the standings of all endpoints, which the processes that deliver wrote.
import type {Endpoint} from './endpoint.js';
import type {KeptStore} from '../kept/kept-store.js';
import {type Standing, standingFrom, standingName} from './endpoint-health.js';

/** Standings of all endpoints, the oldest endpoint first. */
export type Standings = readonly {readonly endpoint: Endpoint; readonly standing: Standing}[];

/** Rejects with a `BucketFault`. */
export const readStandings = ({endpoints, bucket}: KeptStore): Promise<Standings> =>
  Promise.all(
    endpoints.list().map(async (endpoint) => ({endpoint, standing: await readStanding(bucket, endpoint.id)})),
  );

/** Standing of one endpoint. Rejects with a `BucketFault`. */
export const readStanding = async (bucket: Pick<KeptStore['bucket'], 'read'>, id: string): Promise<Standing> =>
  standingFrom((await bucket.read(standingName(id)))?.text);
