// Sources of reports, in this process: the newest snapshots of a running service, and the values of their parts.

import {jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {must} from '../../actors/invariant.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {partValues} from '../../src/nats/part-values.js';
import {publishedManifests} from '../../src/nats/published-manifests.js';
import {readDeployment} from '../../src/nats/topology.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import type {PartValues} from '../../src/parts/stored-parts.js';
import {NewestSnapshots, type PartitionSnapshot} from '../../src/report/published/newest-snapshots.js';
import {brokerAddress} from '../machine/broker.js';
import type {BenchService} from '../machine/service.js';

/** Memory of indexes and event names, which are read once. */
const indexBytesMax = 64 * 2 ** 20;

export class SnapshotsLink {
  private constructor(
    private readonly nc: NatsConnection,
    readonly values: PartValues,
    /** One for each partition. */
    readonly snapshots: readonly PartitionSnapshot[],
  ) {}

  static async open(service: BenchService): Promise<SnapshotsLink> {
    const nc = await connectNats(brokerAddress(service.dataDir), 'bench');
    const jsm = await jetstreamManager(nc);
    const {partitions} = must(await readDeployment(nc), 'a service has a deployment');
    const values = partValues(jsm);
    const newest = new NewestSnapshots(publishedManifests(jsm), new PartsCache(values, indexBytesMax), partitions);
    const snapshots = (await newest.read()).map((each) => must(each, 'a filled store has published all partitions'));
    return new SnapshotsLink(nc, values, snapshots);
  }

  async stop(): Promise<void> {
    await this.nc.close();
  }
}
