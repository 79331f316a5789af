// The report processes of a deployment as this one knows them: members of the cluster of which one evaluates alerts (actors/cluster),
// and shares over NATS.
import type {NatsConnection} from 'nats';
import {processMembership} from '../nats/process-membership.js';
import {ShareLink} from '../nats/share-link.js';
import type {Logger} from '../observe.js';
import type {ClusterPlan} from '../worker-messages.js';
import type {ReportEngine} from './engine.js';

interface JoinOptions extends ClusterPlan {
  readonly logger: Logger;
  readonly onFatal: (error: Error) => void;
}

export interface ReportPeers {
  /** Whether this process is the one that evaluates alerts. */
  readonly ownsAlerts: boolean;
  leave(): Promise<void>;
}

/** Lets the engine and those of other processes take their shares of each other's questions. */
export function joinReports(nc: NatsConnection, engine: ReportEngine, options: JoinOptions): ReportPeers {
  const link = new ShareLink(nc);
  let unserve = (): void => undefined;
  const membership = processMembership(nc, {...options, role: 'report', partitionCount: 1}, (id) => {
    unserve();
    unserve = link.serve(id, (asked, asker) => engine.partial(asked, asker));
  });
  membership.join().catch(options.onFatal);
  engine.join({
    get me() {
      return membership.id;
    },
    get all() {
      return membership.peers;
    },
    ask: link.ask,
  });
  return {
    get ownsAlerts() {
      return membership.owned.length > 0;
    },
    async leave() {
      await membership.leave();
      unserve();
    },
  };
}
