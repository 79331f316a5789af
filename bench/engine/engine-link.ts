// The report engine in this process, over the store of a running service: reports without HTTP and hops.
//   L1. The service's report thread counts publications in memory that it shares with the publishing threads
//       (src/nats/published-manifests.ts). Here notices are counted instead: a call costs the same, and the result is as good
//       while no publication changes an answer. Without counting, each call asks NATS, as with an external one.

import {jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {must} from '../../actors/invariant.js';
import type {ReportQuery} from '../../src/asks/report.js';
import {monotonicMs} from '../../src/clock.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {partValues} from '../../src/nats/part-values.js';
import {onAnnounced, publishedManifests} from '../../src/nats/published-manifests.js';
import {readDeployment} from '../../src/nats/topology.js';
import {createLogger} from '../../src/observe.js';
import {ReportEngine} from '../../src/report/engine.js';
import type {CountedPublications} from '../../src/report/published/newest-snapshots.js';
import {brokerAddress} from '../machine/broker.js';
import type {BenchService} from '../machine/service.js';

export class EngineLink {
  private constructor(
    readonly nc: NatsConnection,
    readonly engine: ReportEngine,
  ) {}

  /**
   * `cacheBytesMax`: memory of the service's report role (RE3 of the engine), but no answer is cached. `newest`: how a call
   * finds the newest snapshot. L1
   */
  static async open(service: BenchService, cacheBytesMax: number, newest: 'counted' | 'asked'): Promise<EngineLink> {
    const nc = await connectNats(brokerAddress(service.dataDir), 'bench');
    const jsm = await jetstreamManager(nc);
    const logger = createLogger('warn', 'bench');
    const {partitions: partitionCount} = must(await readDeployment(nc), 'a service has a deployment');
    const options = {partitionCount, cacheBytesMax, answerCharsMax: 0, refresh: {ms: 300_000}};
    const publications = newest === 'counted' ? countedNotices(nc) : undefined;
    const manifests = publishedManifests(jsm, publications);
    return new EngineLink(nc, new ReportEngine(manifests, partValues(jsm), options, logger));
  }

  async ask(query: ReportQuery): Promise<{body: unknown; elapsedMs: number}> {
    const startMs = monotonicMs();
    const answer = await this.engine.answer({ask: 'report', query});
    const elapsedMs = monotonicMs() - startMs;
    if (answer.kind !== 'report' || answer.body === null) throw new Error(`the engine answered ${answer.kind}`);
    return {body: JSON.parse(answer.body), elapsedMs};
  }

  /** Resolves when the postings of the funnels asked so far are built. */
  async settled(): Promise<void> {
    await this.engine.postings.settled();
  }

  async stop(): Promise<void> {
    await this.nc.close();
  }
}

function countedNotices(nc: NatsConnection): CountedPublications {
  let count = 0;
  onAnnounced(nc, () => {
    count += 1;
  });
  return {count: () => count, takeHanded: () => undefined};
}
