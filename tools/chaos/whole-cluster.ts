// Whether the servers of a NATS cluster have caught up with each other, so that one of them may go.
import {jetstreamManager} from '@nats-io/jetstream';
import {connectNats} from '../../src/nats/client/connection.js';
import {isSilence} from '../../src/nats/error-codes.js';
import {clusterSize} from './cluster-lines.js';

/** True once every stream has a leader, and followers that have what it has; false also while nobody answers. */
export async function isWhole(servers: readonly string[]): Promise<boolean> {
  try {
    const nc = await connectNats({servers: [...servers]}, 'whole-cluster');
    try {
      const jsm = await jetstreamManager(nc); // Throws without a leader of the cluster itself.
      for await (const {cluster} of jsm.streams.list()) {
        const followers = cluster?.replicas ?? [];
        if (cluster?.leader === undefined || followers.length !== clusterSize - 1) return false;
        if (followers.some(({current, offline}) => !current || offline === true)) return false;
      }
      return true;
    } finally {
      await nc.close();
    }
  } catch (error) {
    if (isSilence(error)) return false;
    throw error;
  }
}
