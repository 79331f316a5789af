// The report processes of a deployment as this one knows them: members of the cluster that own nothing (actors/cluster), and shares
// over NATS.
import type {NatsConnection} from 'nats';
import {Membership} from '../cluster/membership.js';
import {NatsKeyBucket} from '../nats/key-bucket.js';
import {ShareLink} from '../nats/share-link.js';
import {ensureCluster} from '../nats/topology.js';
import type {Logger} from '../observe.js';
import type {ReportEngine} from './engine.js';

interface JoinOptions {
  readonly replicas: number;
  readonly logger: Logger;
  readonly onFatal: (error: Error) => void;
}

/** Lets the engine and those of other processes take their shares of each other's questions. @returns what ends that. */
export async function joinReports(
  nc: NatsConnection,
  engine: ReportEngine,
  {replicas, ...options}: JoinOptions,
): Promise<() => Promise<void>> {
  const link = new ShareLink(nc);
  let me = '';
  let unserve = (): void => undefined;
  const membership = await Membership.join({
    ...options,
    openBucket: () => new NatsKeyBucket(nc, 'cluster'),
    ensure: () => ensureCluster(nc, replicas),
    partitionCount: 0,
    role: 'report',
    name: `reports of process ${process.pid}`,
    note: {
      formerId: undefined, // It owned nothing.
      keep(id) {
        unserve();
        me = id;
        unserve = link.serve(id, (asked, asker) => engine.partial(asked, asker));
      },
    },
  });
  engine.join({
    get me() {
      return me;
    },
    get all() {
      return membership.peers;
    },
    ask: link.ask,
  });
  return async () => {
    await membership.leave();
    unserve();
  };
}
