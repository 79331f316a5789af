// The connection over which parts are erased, and which server it leads to.
//   A server makes up its id anew with every start. What is published goes into the client's buffer and to the socket in the
//   same turn; dialling empties the buffer, and forgets the id, before another server can be met. So what is sent while an id
//   shows never reaches another one.
import {jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import type {ErasingLink} from '../partition/snapshot/part-sweep.js';
import {isOfCluster} from './client/connection.js';

export async function erasingLink(nc: NatsConnection): Promise<ErasingLink> {
  const jsm = await jetstreamManager(nc, {checkAPI: false});
  return {jsm, run: () => nc.info?.server_id, isOfCluster: () => isOfCluster(nc)};
}
