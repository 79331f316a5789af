// The switch to the partitions of another number, once they are stored and checked; and the way back before it.
//   SW1. What is new is stored beside what is old: parts under keys of their own, manifests under other names. So until the record of
//        the deployment says `switching`, giving up is leaving these out.
//   SW2. From then on every step replaces what is old by what is new, and may be repeated: a run that was killed is finished by
//        the next one. The record takes the other number last.
//   SW3. Parts of numbers that are partitions before and after are erased by their first owner, as what no manifest names.
import {type JetStreamClient, type JetStreamManager, jetstream} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {encodeManifest, type Manifest, partsOf} from '../../../actors/manifest.js';
import {erasingLink} from '../../nats/erasing-link.js';
import {newestMessage} from '../../nats/newest-message.js';
import {partValues} from '../../nats/part-values.js';
import {publishedManifests} from '../../nats/published-manifests.js';
import {
  beginLog,
  bucketStream,
  bucketSubject,
  changeDeployment,
  type Deployment,
  type DeploymentRecord,
  dropStream,
  isStreamThere,
  logStream,
  partsBucket,
  partsBuckets,
} from '../../nats/topology.js';
import type {Logger} from '../../observe.js';
import {PartStore} from '../../partition/snapshot/part-store.js';
import {PartSweep} from '../../partition/snapshot/part-sweep.js';
import {IndexReader} from '../../parts/stored-index.js';
import {StoredParts} from '../../parts/stored-parts.js';
import {readManifest} from '../../parts/stored-state.js';
import {moveCursors} from './webhooks.js';

/** Names of manifests that are not published yet. */
const stagedSubject = (partition: number): string => bucketSubject('manifests', `next.p${partition}`);
const manifestSubject = (partition: number): string => bucketSubject('manifests', `p${partition}`);

export class Switch {
  private readonly js: JetStreamClient;
  private readonly parts: StoredParts;

  private constructor(
    private readonly nc: NatsConnection,
    /** Used by nothing else: it erases. */
    private readonly erasingNc: NatsConnection,
    private readonly jsm: JetStreamManager,
    private readonly log: Logger,
    private record: DeploymentRecord,
  ) {
    this.js = jetstream(nc);
    this.parts = new StoredParts(partValues(jsm));
  }

  static at(
    nc: NatsConnection,
    erasingNc: NatsConnection,
    jsm: JetStreamManager,
    log: Logger,
    record: DeploymentRecord,
  ): Switch {
    return new Switch(nc, erasingNc, jsm, log, record);
  }

  get deployment(): Deployment {
    return this.record.deployment;
  }

  private async change(deployment: Deployment): Promise<void> {
    this.record = {deployment, revision: await changeDeployment(this.nc, deployment, this.record.revision)};
  }

  /** Says that the copying has begun, and leaves out what an earlier run has left. */
  async begin(to: number): Promise<void> {
    const {repartition, ...deployment} = this.deployment;
    await this.change({...deployment, repartition: {to, stage: 'copying'}});
    if (repartition !== undefined) await this.eraseStaged(Math.max(repartition.to, to));
  }

  /** SW1 */
  async giveUp(): Promise<void> {
    const {repartition, ...deployment} = this.deployment;
    await this.eraseStaged(repartition?.to ?? 0);
    await this.dropBucketsBeyond(deployment.partitions);
    await this.change(deployment);
  }

  /** Erases parts that no manifest of now names, and the manifests that name them. */
  private async eraseStaged(to: number): Promise<void> {
    const {partitions} = this.deployment;
    for (let partition = 0; partition < Math.max(partitions, to); partition++) {
      await this.jsm.streams.purge(bucketStream('manifests'), {filter: stagedSubject(partition)});
      await this.eraseOthers(partition, partition < partitions ? await this.keysOf(partition) : new Set());
    }
  }

  /** Keys of the parts that the kept manifests of a partition name. */
  private async keysOf(partition: number): Promise<ReadonlySet<string>> {
    const manifest = await publishedManifests(this.jsm).newest(partition);
    const keys = new Set<string>();
    const reader = new IndexReader();
    for (const index of [manifest?.index, manifest?.previous?.index]) {
      if (index === undefined) continue;
      keys.add(index.key);
      for (const {key} of partsOf(await reader.read(index, (ref) => this.parts.read(ref)))) keys.add(key);
    }
    return keys;
  }

  private async eraseOthers(partition: number, named: ReadonlySet<string>): Promise<void> {
    const {js, jsm, log} = this;
    if ((await isStreamThere(this.nc, bucketStream(partsBucket(partition)))) === false) return;
    const erasing = await erasingLink(this.erasingNc);
    const parts = new PartStore(js, jsm, partition, {epoch: Number.MAX_SAFE_INTEGER, confirm: async () => undefined});
    const sweep = new PartSweep({partition, parts, jsm, erasing, log});
    sweep.addOrphans(named);
    await sweep.settle();
    await sweep.stop();
  }

  private async dropBucketsBeyond(partitions: number): Promise<void> {
    const kept = partsBuckets(partitions);
    for (const bucket of partsBuckets()) if (!kept.includes(bucket)) await dropStream(this.jsm, bucketStream(bucket));
  }

  /** Stores the manifests of the new partitions, and decides. SW2 */
  async decide(manifests: readonly Manifest[]): Promise<void> {
    for (const manifest of manifests) {
      await this.js.publish(stagedSubject(manifest.partition), encodeManifest(manifest));
    }
    const {repartition, ...deployment} = this.deployment;
    await this.change({...deployment, repartition: {to: manifests.length, stage: 'switching'}});
  }

  /** SW2 */
  async finish(): Promise<void> {
    const {repartition, ...deployment} = this.deployment;
    const [from, to] = [deployment.partitions, repartition!.to];
    const staged = await this.stagedManifests(to);
    for (const {partition} of staged) await beginLog(this.jsm, partition);
    for (let partition = to; partition < from; partition++) await dropStream(this.jsm, logStream(partition));
    await moveCursors(this.nc, await this.endsOf(staged));
    // An owner begins where no owner of now may write any more.
    await dropStream(this.jsm, bucketStream('cluster'));
    for (const manifest of staged) await this.js.publish(manifestSubject(manifest.partition), encodeManifest(manifest));
    for (let partition = to; partition < from; partition++) {
      await this.jsm.streams.purge(bucketStream('manifests'), {filter: manifestSubject(partition)});
      await this.eraseOthers(partition, new Set());
    }
    await this.dropBucketsBeyond(to);
    await this.change({...deployment, partitions: to});
    for (const {partition} of staged)
      await this.jsm.streams.purge(bucketStream('manifests'), {filter: stagedSubject(partition)});
  }

  private async stagedManifests(to: number): Promise<Manifest[]> {
    const manifests: Manifest[] = [];
    for (let partition = 0; partition < to; partition++) {
      const message = await newestMessage(this.jsm, bucketStream('manifests'), stagedSubject(partition));
      manifests.push(readManifest(message!.data, partition));
    }
    return manifests;
  }

  private endsOf(manifests: readonly Manifest[]): Promise<{generation: number; ordinal: number}[]> {
    return Promise.all(
      manifests.map(async ({index, position: {generation}}) => {
        const {nextOrdinal} = await new IndexReader().read(index, (ref) => this.parts.read(ref));
        return {generation, ordinal: nextOrdinal};
      }),
    );
  }
}
