// Several processes that fold, or deliver, on one NATS: which of them goes on after a crash, a pause, a leave and a join.
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {connect} from 'nats';
import {afterEach, expect, test} from 'vitest';
import {monotonicMs} from '../src/clock.js';
import type {LoadState, MemberLoad} from '../src/edge/dashboard/answers/load.js';
import {NatsKeyBucket} from '../src/nats/key-bucket.js';
import {ServiceProcess} from '../tools/service-process.js';
import {BrowserClient} from './support/browser-client.js';
import {ExternalNats} from './support/external-nats.js';
import {halt} from './support/halt.js';
import {Client} from './support/http.js';
import {type Metrics, scrape} from './support/metrics.js';
import {Positions, reportCovering} from './support/reports.js';
import {type Service, startService, temporaryFolder} from './support/service.js';
import {until} from './support/until.js';

const partitions = 6;
const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

interface Cluster {
  readonly nats: ExternalNats;
  readonly edge: Service;
  readonly writer: Client;
  readonly reader: Client;
}

/** A process of the role that folds. */
class Worker {
  readonly process: ServiceProcess;

  constructor(
    {url}: ExternalNats,
    readonly dataDir = temporaryFolder(),
  ) {
    const env = {NATS_URL: url, PARTITIONS: String(partitions), ROLES: 'partition', REPORT_REFRESH_SECONDS: '2'};
    this.process = new ServiceProcess({dataDir, env: {...env, LOG_LEVEL: 'info'}});
    cleanUps.push(() => this.process.end('SIGKILL'));
  }

  /** Partitions that became live in this process. */
  get live(): number {
    return this.process.output().match(/partition is live/g)?.length ?? 0;
  }

  async ready(): Promise<void> {
    await until('the worker is ready', () => this.process.output().includes('"ready"'));
  }
}

/** An edge with reports, and workers that share the partitions. */
async function clusterOf(count: number): Promise<{cluster: Cluster; workers: Worker[]}> {
  const nats = await ExternalNats.start();
  cleanUps.push(() => nats.stop());
  const workers = Array.from({length: count}, () => new Worker(nats));
  const env = {NATS_URL: nats.url, PARTITIONS: String(partitions), ROLES: 'edge,report', REPORT_REFRESH_SECONDS: '2'};
  const edge = await startService({env});
  cleanUps.push(() => edge.kill());
  const cluster = {
    ...{nats, edge},
    writer: new Client(edge.baseUrl, edge.writeKey),
    reader: new Client(edge.baseUrl, edge.secretKey),
  };
  await until('each worker has had its share', () => workers.every(({live}) => live >= partitions / count));
  return {cluster, workers};
}

const users = Array.from({length: 24}, (_, i) => `user ${i}`);

/** Events that live reads must have, by user; and what failed meanwhile. */
class Traffic {
  private readonly sent = new Map<string, number>();
  readonly failures: string[] = [];
  slowestMs = 0;
  private isOver = false;
  private readonly ended: Promise<void>;

  constructor(private readonly cluster: Cluster) {
    this.ended = this.run();
  }

  private async run(): Promise<void> {
    for (let n = 0; !this.isOver; n++) {
      const userId = users[n % users.length]!;
      const {status} = await this.cluster.writer.post('/v1/events', {event: 'seen', userId, messageId: `m${n}`});
      if (status === 200) this.sent.set(userId, (this.sent.get(userId) ?? 0) + 1);
      else this.failures.push(`write: ${status}`);
      const startMs = monotonicMs();
      const read = await this.cluster.reader.get(`/v1/events?userId=${encodeURIComponent(userId)}&limit=1000`);
      this.slowestMs = Math.max(this.slowestMs, monotonicMs() - startMs);
      const count = read.status === 200 ? read.json<{data: unknown[]}>().data.length : undefined;
      if (read.status !== 200) this.failures.push(`read: ${read.status} ${read.text}`);
      else if (count !== (this.sent.get(userId) ?? 0))
        this.failures.push(`read: ${count} of ${this.sent.get(userId)} events`);
    }
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.ended;
  }
}

/** Whether live reads of all users are answered. */
async function areAnswered({reader}: Cluster): Promise<boolean> {
  for (const userId of users) {
    const {status} = await reader.get(`/v1/events?userId=${encodeURIComponent(userId)}`);
    if (status !== 200 && status !== 404) return false;
  }
  return true;
}

/** The state as the page Live load has it, and what the metrics say. */
async function seen({
  edge,
}: Cluster): Promise<{members: readonly MemberLoad[]; reasons: readonly string[]; metrics: Metrics}> {
  const {baseUrl, adminToken} = edge;
  const session = new BrowserClient(baseUrl);
  await session.signIn({token: adminToken});
  const {state} = (await session.get('/dashboard/api/load?minutes=1')).json<{state: LoadState}>();
  const {reasons} = (await new Client(baseUrl).get('/readyz')).json<{reasons: string[]}>();
  const members = (state.members ?? []).filter(({role}) => role === 'partition');
  return {members, reasons, metrics: await scrape(baseUrl)};
}

test('a killed worker: the others answer for it within 15 s, and every event is there once', async () => {
  const {cluster, workers} = await clusterOf(3);
  const before = new Traffic(cluster);
  await until('some events', () => before.slowestMs > 0 && before.failures.length === 0 && areAnswered(cluster));
  await before.end();
  expect(before.failures).toEqual([]);
  await workers[0]!.process.end('SIGKILL');
  const startMs = monotonicMs();
  await until('live reads are answered', () => areAnswered(cluster), 30_000);
  const ms = monotonicMs() - startMs;
  process.stderr.write(`kill -9 to live reads: ${Math.round(ms)} ms\n`);
  expect(ms).toBeLessThan(15_000);
  // It starts again on its folder, and the shares are even again.
  const again = new Worker(cluster.nats, workers[0]!.dataDir);
  await until('it has its share', () => again.live >= partitions / 3, 30_000);
  expect(again.process.output()).not.toContain('alarm');
  const {members, metrics} = await seen(cluster);
  expect(members.map(({state, partitions: {length}}) => [state, length])).toEqual(Array(3).fill(['up', 2]));
  expect(metrics.sum('millrace_members', {role: 'partition', state: 'up'})).toBe(3);
  expect(metrics.sum('millrace_partitions_owned')).toBe(partitions);
  expect(metrics.sum('millrace_alarm')).toBe(0);
});

test('workers that stop one after the other, and start again, fail no write and no read', async () => {
  const {cluster, workers} = await clusterOf(3);
  const traffic = new Traffic(cluster);
  const slowestMs: number[] = [];
  for (const worker of workers) {
    traffic.slowestMs = 0;
    const startMs = monotonicMs();
    expect(await worker.process.end('SIGTERM')).toBe(0);
    process.stderr.write(`SIGTERM to the end: ${Math.round(monotonicMs() - startMs)} ms\n`);
    const next = new Worker(cluster.nats, worker.dataDir);
    await until('it has its share', () => next.live >= partitions / 3, 30_000);
    slowestMs.push(traffic.slowestMs);
  }
  await traffic.end();
  process.stderr.write(`slowest reads: ${slowestMs.map(Math.round).join(', ')} ms\n`);
  expect(traffic.failures).toEqual([]);
  // What keeps the machine busy makes some late; a move that takes longer by itself is late each time.
  expect(Math.min(...slowestMs)).toBeLessThan(3_000);
});

test('a worker that was paused for long answers nothing wrong, and is another member when it wakes', async () => {
  const {cluster, workers} = await clusterOf(2);
  await halt(workers[0]!.process.pid);
  await until('live reads are answered', () => areAnswered(cluster), 30_000);
  const traffic = new Traffic(cluster);
  await until('some reads', () => traffic.slowestMs > 0);
  process.kill(workers[0]!.process.pid, 'SIGCONT');
  await until('it says what it lost', () => workers[0]!.process.output().includes('membership_lost'), 30_000);
  // By the page: lines of the log may be those of the start, when the first worker had all of them for a while.
  const shares = async (): Promise<number[]> => (await seen(cluster)).members.map((member) => member.partitions.length);
  await until(
    'the shares are even',
    async () => (await shares()).join() === `${partitions / 2},${partitions / 2}`,
    30_000,
  );
  await traffic.end();
  expect(traffic.failures).toEqual([]);
  expect(workers[0]!.process.isRunning).toBe(true);
  const {members, metrics} = await seen(cluster);
  expect(members.map(({is_back}) => is_back).sort()).toEqual([false, true]);
  expect(metrics.sum('millrace_alarm', {kind: 'membership_lost'})).toBe(1);
});

test('partitions that nobody is left to own are named by the edge, until somebody owns them', async () => {
  const {cluster, workers} = await clusterOf(1);
  expect((await seen(cluster)).metrics.sum('millrace_alarm')).toBe(0);
  await workers[0]!.process.end('SIGKILL');
  const raised = async (): Promise<number> =>
    (await scrape(cluster.edge.baseUrl)).sum('millrace_alarm', {kind: 'partition_unowned'});
  await until('the alarm is raised', async () => (await raised()) === partitions, 30_000);
  const {members, reasons, metrics} = await seen(cluster);
  expect(members.map(({state}) => state)).toEqual(['silent']);
  expect(metrics.sum('millrace_partitions_owned')).toBe(0);
  expect(reasons).toContain('partition 0 does not answer: no process owns it');
  const lines = (): string[] =>
    cluster.edge
      .logs()
      .split('\n')
      .filter((line) => line.includes('partition_unowned'));
  expect(lines()).toHaveLength(partitions);
  new Worker(cluster.nats, workers[0]!.dataDir);
  await until('the alarm is over', async () => (await raised()) === 0, 30_000);
});

/** A receiver on loopback: how often each event came. */
async function receiver(): Promise<{url: string; counts: Map<number, number>}> {
  const counts = new Map<number, number>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const {n} = (JSON.parse(body) as {data: {event: {properties: {n: number}}}}).data.event.properties;
    counts.set(n, (counts.get(n) ?? 0) + 1);
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(async () => void server.close());
  return {url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, counts};
}

test('two processes that deliver: a join and a stop send nothing twice, and one goes on for one that was killed within 15 s', async () => {
  const nats = await ExternalNats.start();
  cleanUps.push(() => nats.stop());
  const env = {
    ...{NATS_URL: nats.url, PARTITIONS: String(partitions), REPORT_REFRESH_SECONDS: '2', LOG_LEVEL: 'info'},
    ...{WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1', WEBHOOK_ALLOW_HTTP: '1'},
  };
  const edge = await startService({env: {...env, ROLES: 'edge,partition,report'}});
  cleanUps.push(() => edge.kill());
  const sender = (dataDir = temporaryFolder()): ServiceProcess => {
    const one = new ServiceProcess({dataDir, env: {...env, ROLES: 'deliver'}});
    cleanUps.push(() => one.end('SIGKILL'));
    return one;
  };
  const [writer, keeper] = [new Client(edge.baseUrl, edge.writeKey), new Client(edge.baseUrl, edge.secretKey)];
  const {url, counts} = await receiver();
  const made = await keeper.post('/v1/webhooks', {kind: 'webhook', url, types: [{type: 'event.tracked'}]});
  expect(made.status).toBe(201);
  let sent = 0;
  const send = async (): Promise<void> => {
    for (const userId of users) {
      const {status} = await writer.post('/v1/events', {event: 'seen', userId, properties: {n: sent}});
      if (status === 200) sent += 1;
    }
  };
  const whileSending = async (isMet: () => Promise<boolean>): Promise<void> => {
    await until(
      'the shares are even',
      async () => {
        await send();
        return isMet();
      },
      30_000,
    );
  };
  const shares = async (): Promise<number[]> => {
    const session = new BrowserClient(edge.baseUrl);
    await session.signIn({token: edge.adminToken});
    const {state} = (await session.get('/dashboard/api/load?minutes=1')).json<{state: LoadState}>();
    const senders = (state.members ?? []).filter((member) => member.role === 'deliver' && member.state === 'up');
    return senders.map((member) => member.partitions.length).sort();
  };
  const areShared = (...parts: number[]): Promise<void> =>
    whileSending(async () => (await shares()).join() === parts.join());
  const haveCome = (): Promise<unknown> => until('all have come', () => counts.size === sent, 30_000);

  const first = sender();
  await areShared(partitions);
  const second = sender();
  await areShared(partitions / 2, partitions / 2);
  await haveCome();
  await first.end('SIGTERM');
  await areShared(partitions);
  await haveCome();
  expect([...counts.values()].every((count) => count === 1)).toBe(true);

  const third = sender();
  await areShared(partitions / 2, partitions / 2);
  await second.end('SIGKILL');
  const startMs = monotonicMs();
  await send();
  await haveCome();
  const ms = monotonicMs() - startMs;
  process.stderr.write(`kill -9 to the last delivery: ${Math.round(ms)} ms\n`);
  expect(ms).toBeLessThan(15_000);
  expect(third.isRunning).toBe(true);
  await areShared(partitions);
  expect(await third.end('SIGTERM')).toBe(0);
});

/** A zone whose local time is noon or just after: no hour of a digest comes near. */
function zoneAtNoon(): string {
  const hours = 12 - new Date().getUTCHours();
  return `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`;
}

test('a digest comes once, late, over an outage of its receiver and kill -9, with the numbers of its report', async () => {
  const nats = await ExternalNats.start();
  cleanUps.push(() => nats.stop());
  const [dataDir, timezone] = [temporaryFolder(), zoneAtNoon()];
  const env = {
    ...{NATS_URL: nats.url, PARTITIONS: '2', REPORT_REFRESH_SECONDS: '0.5', DASHBOARD_URL: 'https://stats.example.com'},
    ...{WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1', WEBHOOK_ALLOW_HTTP: '1'},
  };
  const first = await startService({dataDir, env});
  cleanUps.push(() => first.kill());
  let isAway = true;
  const received: {id: unknown; body: {type: string; data: Record<string, unknown>}; isTaken: boolean}[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    received.push({id: request.headers['webhook-id'], body: JSON.parse(text), isTaken: !isAway});
    response.writeHead(isAway ? 503 : 204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(async () => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  const keeper = new Client(first.baseUrl, first.secretKey);
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await keeper.post(path, body);
    expect(answer.status).toBe(201);
    return answer.json<{id: string}>().id;
  };
  const question = {report: 'counts', events: [{event: 'signup'}], range: '-7d', timezone};
  const of = await post('/v1/saved-reports', {name: 'Growth', questions: [question]});
  await post('/v1/webhooks', {kind: 'webhook', url, types: [{type: 'report.digest', names: ['Growth']}]});
  const dayAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
  const events = [...[1, 2, 3].map(dayAgo), ...[9, 10].map(dayAgo), dayAgo(0)];
  const written = new Positions();
  for (const timestamp of events)
    written.note(await keeper.post('/v1/events', {event: 'signup', userId: 'ada', timestamp}));
  await reportCovering(keeper, '/v1/names', written);
  const digest = await post('/v1/digests', {of, hour: 6, timezone, paused: true});

  // It is three days old: of what it missed since, the last one is told.
  const nc = await connect({servers: nats.url});
  cleanUps.push(() => nc.close());
  const bucket = new NatsKeyBucket(nc, 'hooks');
  const {text, revision} = (await bucket.read(digest))!;
  const old = {...(JSON.parse(text) as object), createdMs: Date.now() - 3 * 86_400_000, isPaused: false};
  await bucket.write(digest, JSON.stringify(old), revision);
  // From then on the next attempt is due after five seconds. Whoever is killed within the first leaves the message to the stream,
  // which gives it back after a minute.
  const hook = (await keeper.get('/v1/webhooks')).json<{data: {id: string}[]}>().data[0]!.id;
  const pending = async () =>
    (await keeper.get(`/v1/webhooks/${hook}/deliveries?status=pending`)).json<{data: {attempts: number}[]}>();
  await until('it was tried', async () => (await pending()).data.some(({attempts}) => attempts > 0));
  await first.kill();
  isAway = false;
  const second = await startService({dataDir, env});
  cleanUps.push(() => second.kill());
  const taken = () => received.filter(({isTaken}) => isTaken);
  await until('it came', () => taken().length > 0, 120_000);
  const reader = new Client(second.baseUrl, first.secretKey);
  const asOf = async () => (await reader.get('/v1/names')).headers['report-as-of'];
  const before = await asOf();
  await until('another pass was made', async () => (await asOf()) !== before);
  expect(new Set(received.map(({id}) => id)).size).toBe(1);
  expect(taken().length).toBe(1);
  const {type, data} = taken()[0]!.body;
  const [report] = data.reports as [{from: string; to: string; figures: object[]; link: string}];
  expect([type, data.late, data.missed, data.of]).toEqual(['report.digest', true, 2, {id: of, name: 'Growth'}]);
  expect(report.figures).toEqual([{name: 'signup', value: 3, previous: 2, change: 0.5}]);
  expect(report.link).toContain('https://stats.example.com/trends?event=signup');
  const {from, to} = report;
  const asked = await reader.post('/v1/query', {...question, range: {from, to}, compare: 'before'});
  expect(asked.json()).toMatchObject({answer: {total: 3}, previous: {total: 2}});
});
