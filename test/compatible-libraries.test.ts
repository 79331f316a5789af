// The real, unchanged libraries of other services, through refusals, lost answers and a killed service: what they were given is
// stored once. A gate stands before the service, under one address, and misbehaves as proxies and networks do.

import {createServer, type IncomingMessage, request, type Server, type ServerResponse} from 'node:http';
import {createRequire} from 'node:module';
import type {AddressInfo} from 'node:net';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {Client, expectJson, type HistoryAnswer, type ProfileBody, query, userPath} from './support/http.js';
import {until} from './support/reports.js';
import {type Service, startService} from './support/service.js';

/** What both libraries have; their packages are no part of the service's own types. */
interface Library {
  track(message: object): void;
  page(message: object): void;
  screen(message: object): void;
  identify(message: object): void;
  group(message: object): void;
  alias(message: object): void;
}

const load = createRequire(import.meta.url);

/** Forwards to the service, wherever it is now. While there is none, requests wait, as they do at a balancer. */
class Gate {
  private target: URL | undefined;
  private waiting: (() => void)[] = [];
  /** Answers that it replaces by a 503 after the service has stored the request. */
  losesAnswers = 0;
  /** Statuses that passed, and how often. */
  readonly statuses = new Map<number, number>();
  private readonly server: Server = createServer((asked, answer) => this.pass(asked, answer));

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  lead(target: URL | undefined): void {
    this.target = target;
    if (target === undefined) return;
    for (const pass of this.waiting.splice(0)) pass();
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private pass(asked: IncomingMessage, answer: ServerResponse): void {
    const {target} = this;
    if (target === undefined) {
      this.waiting.push(() => this.pass(asked, answer));
      return;
    }
    const onward = request(
      {host: target.hostname, port: target.port, method: asked.method, path: asked.url, headers: asked.headers},
      (passed) => {
        const {statusCode = 500} = passed;
        const isLost = statusCode === 200 && this.losesAnswers > 0;
        if (isLost) this.losesAnswers -= 1;
        const status = isLost ? 503 : statusCode;
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
        answer.writeHead(status, isLost ? {'retry-after': '1'} : passed.headers);
        passed.on('error', () => answer.destroy());
        passed.pipe(answer);
      },
    );
    onward.on('error', () => asked.socket.destroy());
    asked.pipe(onward);
  }
}

const gate = new Gate();
let host = '';
let service: Service;
/** Low enough for a 429 now and then. */
const env = {RATE_LIMIT_EVENTS_PER_SECOND: '60', RATE_LIMIT_READS_PER_MINUTE: '0'};

async function begin(dataDir?: string): Promise<void> {
  service = await startService(dataDir === undefined ? {env} : {env, dataDir});
  gate.lead(new URL(service.baseUrl));
}

beforeAll(async () => {
  host = await gate.open();
  await begin();
});
afterAll(async () => {
  gate.close();
  expect(await service.stop()).toBe(0);
});

const usersCount = 10;
const rounds = 40;
const day = '2026-02-03';
const timeOf = (n: number): Date => new Date(Date.parse(`${day}T00:00:00Z`) + n * 1_000);

/** Calls of one round: each user browses, logs in once, and goes on. `n` is unique. */
function play(library: Library, name: string, round: number): void {
  for (let user = 0; user < usersCount; user++) {
    const n = round * usersCount + user;
    const [userId, anonymousId] = [`${name}-u${user}`, `${name}-a${user}`];
    const at = {timestamp: timeOf(n)};
    if (round === 0) library.page({anonymousId, name: 'Home', properties: {n}, ...at});
    else if (round === 1) {
      library.identify({userId, anonymousId, traits: {plan: 'free', first: n}, ...at});
      library.track({userId, event: 'played', properties: {n}, ...at});
    } else if (round === 2) {
      library.alias({userId, previousId: `${anonymousId}-old`, ...at});
      library.group({userId, groupId: 'acme', traits: {n}, ...at});
    } else if (round === 3) library.track({anonymousId: `${anonymousId}-old`, event: 'played', properties: {n}, ...at});
    else if (round === rounds - 1) library.identify({userId, traits: {plan: 'pro'}, ...at});
    else if (round % 9 === 0) library.screen({userId, name: 'Main', properties: {n}, ...at});
    else library.track({userId, event: 'played', properties: {n}, ...at});
  }
}

/** Events of a user as `play` makes them. */
function expectedOf(user: number): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (let round = 0; round < rounds - 1; round++) {
    const event = round === 0 ? 'page' : round === 2 ? 'group' : round > 3 && round % 9 === 0 ? 'screen' : 'played';
    found.set(event, [...(found.get(event) ?? []), round * usersCount + user]);
  }
  return found;
}

async function expectStoredOnce(name: string): Promise<void> {
  const client = new Client(service.baseUrl, service.secretKey);
  for (let user = 0; user < usersCount; user++) {
    const userId = `${name}-u${user}`;
    const ask = async () => {
      const answer = await client.get(`/v1/events?${query({userId, limit: 1_000})}`);
      expectJson(answer, 200);
      return answer.json<HistoryAnswer>().data;
    };
    const events = await until(ask, ({length}) => length >= rounds - 1, `${userId} is joined with what it was before`);
    const stored = new Map<string, number[]>();
    for (const {event, properties} of events) {
      const n = Number(event === 'group' ? (properties.traits as {n: number}).n : properties.n);
      stored.set(
        event,
        [...(stored.get(event) ?? []), n].sort((a, b) => a - b),
      );
    }
    expect(stored).toEqual(expectedOf(user));
    const profile = (await client.get(userPath(userId))).json<ProfileBody>();
    expect(profile.traits).toEqual({plan: 'pro', first: usersCount + user});
    expect([...profile.anonymous_ids!].sort()).toEqual([`${name}-a${user}`, `${name}-a${user}-old`]);
  }
}

/** The counts of all users together, as the report has them once it has everything. */
async function expectReported(libraries: number): Promise<void> {
  const client = new Client(service.baseUrl, service.secretKey);
  const sum = (event: string): number =>
    libraries *
    Array.from({length: usersCount}, (_, user) => expectedOf(user).get(event)!.length).reduce((a, b) => a + b, 0);
  for (const event of ['page', 'played', 'screen', 'group']) {
    const path = `/v1/reports/events?${query({event, from: day, to: day})}`;
    const countsOf = async () => (await client.get(path)).json<{total: number; data: {count: number}[]}>();
    const report = await until(
      countsOf,
      ({data}) => data.reduce((all, {count}) => all + count, 0) >= sum(event),
      `the report has every ${event}`,
    );
    expect([event, report.data.reduce((all, {count}) => all + count, 0)]).toEqual([event, sum(event)]);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Both play all rounds; in the middle answers are lost, and then the service is killed and comes back. */
async function playThrough(libraries: ReadonlyMap<string, Library>): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const [name, library] of libraries) play(library, name, round);
    if (round === 10) gate.losesAnswers = 4;
    if (round === 20) {
      gate.lead(undefined);
      await service.kill();
      await begin(service.dataDir);
    }
    await pause(25);
  }
}

test('what @segment/analytics-node and @rudderstack/rudder-sdk-node were given is stored once, through 429, lost answers and kill -9', async () => {
  const faults: unknown[] = [];
  const {Analytics} = load('@segment/analytics-node');
  const segment = new Analytics({writeKey: service.writeKey, host, flushAt: 15, flushInterval: 100, maxRetries: 1_000});
  segment.on('error', (fault: unknown) => faults.push(fault));
  const RudderAnalytics = load('@rudderstack/rudder-sdk-node');
  const rudder = new RudderAnalytics(service.writeKey, {
    dataPlaneUrl: host,
    flushAt: 15,
    flushInterval: 100,
    logLevel: 'none',
    retryCount: 1_000,
    axiosRetryConfig: {retryDelay: () => 250},
    errorHandler: (fault: unknown) => faults.push(fault),
  });
  await playThrough(
    new Map<string, Library>([
      ['segment', segment],
      ['rudder', rudder],
    ]),
  );
  await segment.closeAndFlush({timeout: 200_000});
  do await rudder.flush();
  while (rudder.queue.length > 0);
  expect(faults).toEqual([]);
  await expectStoredOnce('segment');
  await expectStoredOnce('rudder');
  await expectReported(2);
  expect(gate.losesAnswers).toBe(0);
  expect(gate.statuses.get(429) ?? 0, 'some requests were over the limit').toBeGreaterThan(0);
});
