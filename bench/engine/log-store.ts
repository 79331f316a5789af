// A log of the canonical workload that was never folded: a service that only takes events (ROLES=edge) wrote it. It has every
// message from the first one, and no snapshot: the input of a recovery from the log.

import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {must} from '../../actors/invariant.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {NatsLogSource} from '../../src/nats/log-pull.js';
import {logStream, readDeployment} from '../../src/nats/topology.js';
import type {ReceivedMessage} from '../../src/partition/log/handed-messages.js';
import {LogReader} from '../../src/partition/log/log-reader.js';
import type {Say} from '../bench.js';
import {startService} from '../machine/service.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import type {WorkloadOptions} from '../workload/events.js';
import type {Broker} from './broker.js';
import {Feed} from './feed.js';
import {storeEnv} from './store.js';

/** Fills a temporary folder, which is removed when the bench ends. Resolves with its DATA_DIR. */
export async function fillLog(
  workload: WorkloadOptions,
  {partitions}: Pick<BenchOptions, 'partitions'>,
  owned: Owned,
  say: Say,
): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-bench-log-'));
  owned.add({stop: () => rmSync(dataDir, {recursive: true, force: true})});
  const env = {...storeEnv(partitions), ROLES: 'edge'};
  const service = owned.add(await startService({env, profileFolder: null, dataDir, awaits: 'listening'}));
  const feed = owned.add(new Feed());
  await feed.begin(workload);
  const {events} = await feed.send(service, workload.eventCount, (sent) => say(`${sent} events in the log`));
  if (events !== workload.eventCount) throw new Error(`${events} of ${workload.eventCount} events were sent`);
  feed.stop();
  await service.stop();
  return dataDir;
}

/** Reads logs from their first message, like a partition. */
export class Logs {
  private constructor(
    private readonly nc: NatsConnection,
    private readonly readers: readonly LogReader[],
    private readonly ends: readonly number[],
  ) {}

  static async open(broker: Broker): Promise<Logs> {
    const nc = await connectNats(broker.address, 'bench-log');
    const jsm = await jetstreamManager(nc);
    const source = new NatsLogSource(nc, jsm);
    const deployment = must(await readDeployment(nc), 'a service wrote the logs');
    const partitions = Array.from({length: deployment.partitions}, (_, partition) => partition);
    const readers = partitions.map((partition) => new LogReader(source, jsm, partition));
    const ends: number[] = [];
    for (const partition of partitions) ends.push((await jsm.streams.info(logStream(partition))).state.last_seq);
    return new Logs(nc, readers, ends);
  }

  get partitions(): readonly number[] {
    return [...this.readers.keys()];
  }

  /** Messages of a partition that existed when the logs were opened. */
  async *messages(partition: number): AsyncGenerator<ReceivedMessage> {
    const reader = this.readers[partition]!;
    const end = this.ends[partition]!;
    if (end === 0) return;
    for await (const messages of reader.read(0)) {
      yield* messages;
      if (messages[messages.length - 1]!.sequence >= end) break;
    }
    reader.interrupt();
  }

  async stop(): Promise<void> {
    await this.nc.close();
  }
}
