// The membership of this process beside a real NATS: which bucket, which note, which name.
import {hostname} from 'node:os';
import type {NatsConnection} from 'nats';
import {Membership, type MembershipOptions} from '../cluster/membership.js';
import {formerMember, keepMember} from '../data-dir.js';
import type {ClusterPlan} from '../worker-messages.js';
import {NatsKeyBucket} from './key-bucket.js';
import {ensureCluster, programLevels} from './topology.js';

type ProcessMembershipOptions = ClusterPlan & Pick<MembershipOptions, 'role' | 'partitionCount' | 'logger' | 'onFatal'>;

/** `onId`: this process is this member from now on. */
export function processMembership(
  nc: NatsConnection,
  {replicas, dataDir, ...options}: ProcessMembershipOptions,
  onId: (id: string) => void = () => undefined,
): Membership {
  return new Membership({
    ...options,
    openBucket: () => new NatsKeyBucket(nc, 'cluster'),
    ensure: () => ensureCluster(nc, replicas),
    name: `${hostname()}, process ${process.pid}`,
    levels: programLevels,
    note: {
      formerId: formerMember(dataDir, options.role),
      keep(id) {
        keepMember(dataDir, options.role, id);
        onId(id);
      },
    },
  });
}
