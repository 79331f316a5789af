// A cluster of three nats-servers with REPLICAS=3: one of them may go at any moment, and what a majority has is stored.
// Many more deaths, and of the service too: `npm run chaos -- cluster`.
import {execFileSync} from 'node:child_process';
import {setTimeout as pause} from 'node:timers/promises';
import {jetstream} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {connectNats} from '../src/nats/client/connection.js';
import {putIfNewest} from '../src/nats/compare-and-set.js';
import {bucketSubject} from '../src/nats/topology.js';
import {isAtLeast, serverVersionReplicas} from '../src/nats/version.js';
import {Client, expectError, query, userPath} from './support/http.js';
import {NatsCluster} from './support/nats-cluster.js';
import {type Service, startService} from './support/service.js';
import {until} from './support/until.js';

const said = execFileSync(process.env.NATS_SERVER_BIN!, ['--version'], {encoding: 'utf8'});
const version = /v([0-9.]+)/.exec(said)?.[1] ?? said;
const isNewEnough = isAtLeast(version, serverVersionReplicas);
if (!isNewEnough)
  console.warn(`skipped: replicas need nats-server ${serverVersionReplicas}, and this one is ${version}`);

const batchEvents = 20;
const userCount = 10;
const senders = 2;

/** Batches of several users, each sent until it is answered 200. */
class Traffic {
  /** Of events answered 200. */
  acked = 0;
  /** Whatever was answered instead. */
  readonly refusals = new Set<number>();
  private made = 0;
  private isOver = false;
  private readonly client: Client;
  private readonly running: Promise<unknown>;

  constructor({baseUrl, writeKey}: Service) {
    this.client = new Client(baseUrl, writeKey);
    this.running = Promise.all(Array.from({length: senders}, () => this.send()));
  }

  /** So many more are acked. */
  async untilMore(events: number): Promise<void> {
    const wanted = this.acked + events;
    await until(`${events} more events are stored`, () => this.acked >= wanted);
  }

  async finish(): Promise<void> {
    this.stop();
    await this.running;
  }

  stop(): void {
    this.isOver = true;
  }

  private async send(): Promise<void> {
    while (!this.isOver) {
      const events = Array.from({length: batchEvents}, () => {
        const number = this.made++;
        return {event: 'order', userId: `u${number % userCount}`, messageId: `m${number}`};
      });
      while (!(await this.isStored(events))) await pause(50);
      this.acked += events.length;
      await pause(5);
    }
  }

  private async isStored(events: readonly unknown[]): Promise<boolean> {
    const {status} = await this.client.post('/v1/events/batch', {events});
    if (status !== 200) this.refusals.add(status);
    return status === 200;
  }
}

interface Receipt {
  readonly id: string;
  readonly status: string;
  readonly events_deleted: number;
}

const dayMs = 24 * 60 * 60 * 1_000;
const dayIn = (days: number): string => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);

/** As the reports have it; 0 while there are none. */
async function total({baseUrl, secretKey}: Service): Promise<number> {
  const path = `/v1/reports/events?event=order&from=${dayIn(-1)}&to=${dayIn(1)}`;
  const answer = await new Client(baseUrl, secretKey).get(path);
  return answer.status === 200 ? answer.json<{total: number}>().total : 0;
}

describe.skipIf(!isNewEnough)('in a cluster of three', () => {
  let cluster: NatsCluster;
  let service: Service;
  let traffic: Traffic;

  const start = (dataDir?: string): Promise<Service> =>
    startService({env: {NATS_URL: cluster.url, REPLICAS: '3', PARTITIONS: '2'}, ...(dataDir && {dataDir})});

  beforeAll(async () => {
    cluster = await NatsCluster.start();
    service = await start();
    traffic = new Traffic(service);
  });

  afterAll(async () => {
    traffic?.stop();
    await service?.stop();
    await cluster?.stop();
  });

  /** A snapshot has all that is acked by now. */
  async function untilReported(): Promise<void> {
    const {acked} = traffic;
    await until('the reports have what was stored', async () => (await total(service)) >= acked);
  }

  test('when the leader of a log is killed, and the next one, writes go on, and so do snapshots', async () => {
    for (let killed = 0; killed < 2; killed++) {
      await traffic.untilMore(200);
      const server = await cluster.leaderOf('LOG-0');
      await cluster.kill(server);
      await traffic.untilMore(200);
      await untilReported();
      await cluster.startAgain(server);
      await cluster.untilWhole();
    }
    expect([...traffic.refusals].filter((status) => status !== 503 && status !== 207)).toEqual([]);
  });

  test('without a majority nothing is stored, and with it everything goes on', async () => {
    const reader = new Client(service.baseUrl, service.secretKey);
    traffic.refusals.clear();
    await Promise.all([cluster.kill(0), cluster.kill(1)]);
    await until('writes are refused', () => traffic.refusals.has(503));
    const reasons = async (): Promise<string[]> => (await reader.get('/readyz')).json<{reasons: string[]}>().reasons;
    await until('/readyz says why', async () => (await reasons()).some((reason) => reason.includes('log')));
    await cluster.startAgain(0);
    await traffic.untilMore(200);
    await cluster.startAgain(1);
    await cluster.untilWhole();
    await until('it is ready', async () => (await reader.get('/readyz')).status === 200);
  });

  test('of writes of a record at once one is stored, and each other one hears that it lost', async () => {
    // From several connections, to different servers, as processes write that start together.
    const writers = await Promise.all(
      Array.from({length: 12}, (_, i) => connectNats({servers: [cluster.servers[i % 3]!.url]}, 'test')),
    );
    try {
      for (let round = 0; round < 10; round++) {
        const put = (nc: NatsConnection, i: number): Promise<number | undefined> =>
          putIfNewest(jetstream(nc), bucketSubject('settings', `raced-${round}`), `${i}`, 0);
        const revisions = (await Promise.all(writers.map(put))).filter((revision) => revision !== undefined);
        expect(revisions).toHaveLength(1);
      }
    } finally {
      await Promise.all(writers.map((nc) => nc.close()));
    }
  });

  test('an acknowledgement survives what the weakest of its servers survives', async () => {
    const reader = new Client(service.baseUrl);
    const durability = async (): Promise<string> =>
      (await reader.get('/healthz')).json<{durability: string}>().durability;
    // Of two of them the service is connected to one at most.
    for (const server of [0, 2]) {
      await until('all of them sync', async () => (await durability()) === 'power-cut');
      await cluster.startWithoutSync(server);
      await until('one of them does not', async () => (await durability()) === 'process-crash');
      await cluster.startAgain(server);
    }
    expect(service.logs()).toMatch(/maybe not a power cut: the sync_interval of .+ is not always/);
    await cluster.untilWhole();
  });

  test('what was answered 200 is in the reports once, and a deleted user is not', async () => {
    await traffic.finish();
    await until('the reports have all', async () => (await total(service)) === traffic.acked);
    const reader = new Client(service.baseUrl, service.secretKey);
    const {id} = (await reader.delete(userPath('u3'))).json<{deletion: Receipt}>().deletion;
    // A receipt may take longer than a DELETE waits.
    const {events_deleted: own} = await until('the deletion is complete', async () => {
      const {deletion} = (await reader.get(`/v1/deletion?${query({id})}`)).json<{deletion: Receipt}>();
      return deletion.status === 'completed' && deletion;
    });
    expect(own).toBe(traffic.acked / userCount);
    await until('the reports are without them', async () => (await total(service)) === traffic.acked - own);
    expectError(await reader.get(userPath('u3')), 404, 'user_not_found');
  });

  test('a service starts beside a server that is silent, and has everything', async () => {
    const before = await total(service);
    await service.stop();
    await cluster.freeze(2);
    service = await start(service.dataDir);
    expect(await until('the reports answer', async () => (await total(service)) || undefined)).toBe(before);
    cluster.thaw(2);
  });
});
