// The connection that erases parts, and the server at its other end.
//   A server has a new id after every start. A publish goes into the client's buffer and to the socket in the same turn; dialling
//   empties the buffer and forgets the id before the client can meet another server. So what is sent while an id shows never
//   reaches another server.
import {jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import type {ErasingLink} from '../partition/snapshot/part-sweep.js';
import {isOfCluster} from './client/connection.js';

export async function erasingLink(nc: NatsConnection): Promise<ErasingLink> {
  const jsm = await jetstreamManager(nc, {checkAPI: false});
  return {jsm, run: () => nc.info?.server_id, isOfCluster: () => isOfCluster(nc)};
}
