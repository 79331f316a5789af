// One service for a whole test file, or for several, with a client for each kind of key.

import {randomUUID} from 'node:crypto';
import {afterAll, beforeAll, expect} from 'vitest';
import {isRunning} from '../../src/process-life.js';
import {type Answer, Client, type EventAnswer, expectJson, type HistoryAnswer, query} from '../support/http.js';
import {Positions} from '../support/reports.js';
import {type Service, share, startService} from '../support/service.js';

/** Limits of rate are another matter than these tests; they ask more often than a client may. */
export const unlimited = {
  RATE_LIMIT_EVENTS_PER_SECOND: '0',
  RATE_LIMIT_READS_PER_MINUTE: '0',
  RATE_LIMIT_DELETES_PER_SECOND: '0',
};

export class ServiceUnderTest {
  private started: Service | undefined;
  private clients: {write: Client; read: Client; nobody: Client; admin: Client} | undefined;
  positions = new Positions();

  constructor(private env: Readonly<Record<string, string>>) {}

  get service(): Service {
    return this.started!;
  }

  get isRunning(): boolean {
    return this.started !== undefined && isRunning(this.started.pid);
  }

  /** May write only. */
  get write(): Client {
    return this.clients!.write;
  }

  /** May do everything. */
  get read(): Client {
    return this.clients!.read;
  }

  /** Sends no key. */
  get nobody(): Client {
    return this.clients!.nobody;
  }

  get admin(): Client {
    return this.clients!.admin;
  }

  async start(dataDir?: string): Promise<void> {
    const env = {...unlimited, ...this.env};
    const service = await startService(dataDir === undefined ? {env} : {env, dataDir});
    this.started = service;
    const clientOf = (key?: string): Client => new Client(service.baseUrl, key);
    this.clients = {
      write: clientOf(service.writeKey),
      read: clientOf(service.secretKey),
      nobody: clientOf(),
      admin: clientOf(service.adminToken),
    };
  }

  /** `env`: what it starts with from now on, beside what it had. */
  async restart(how: 'stop' | 'kill', env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.env = {...this.env, ...env};
    if (how === 'kill') await this.service.kill();
    else expect(await this.service.stop()).toBe(0);
    await this.start(this.service.dataDir);
  }

  /** What each file ends with. A busy machine is late with a few; who never hears that a partition came after would be with most. */
  expectFewBehind(): void {
    expect(Client.asked.behind).toBeLessThanOrEqual(3 + Client.asked.inAll / 10);
  }

  async stop(): Promise<void> {
    this.expectFewBehind();
    if (this.started !== undefined) expect(await this.started.stop()).toBe(0);
  }

  /** Sends one event that must be accepted. */
  async track(body: Record<string, unknown>): Promise<Answer> {
    const answer = await this.write.post('/v1/events', body);
    expectJson(answer, 200);
    return this.positions.note(answer);
  }

  async trackAll(events: readonly Record<string, unknown>[]): Promise<Answer> {
    const answer = await this.write.post('/v1/events/batch', {events});
    expectJson(answer, 200);
    return this.positions.note(answer);
  }

  async identify(userId: string, traits: Record<string, unknown>): Promise<Answer> {
    const answer = await this.write.post('/v1/users/identify', {userId, traits});
    expectJson(answer, 200);
    return this.positions.note(answer);
  }

  async history(parameters: Readonly<Record<string, string | number | undefined>>): Promise<HistoryAnswer> {
    const answer = await this.read.get(`/v1/events?${query(parameters)}`);
    expectJson(answer, 200);
    return answer.json<HistoryAnswer>();
  }

  async eventsOf(userId: string): Promise<EventAnswer[]> {
    return (await this.history({userId, limit: 1_000})).data;
  }
}

/** Starts before the tests of the file and must stop cleanly after them. */
export function useService(env: Readonly<Record<string, string>> = {}): ServiceUnderTest {
  const under = new ServiceUnderTest(env);
  beforeAll(() => under.start());
  afterAll(() => under.stop());
  return under;
}

let shared: ServiceUnderTest | undefined;

/**
 * The service that files of a process share, one after the other; a file that does not share ends it. For tests that choose their ids and
 * names by `freshId`, count nothing but these, and leave no settings behind: one of them may have restarted it.
 */
export function useSharedService(): ServiceUnderTest {
  shared ??= new ServiceUnderTest({});
  const under = shared;
  if (under.isRunning) share(under.service.dataDir);
  beforeAll(async () => {
    under.positions = new Positions();
    if (!under.isRunning) await under.start();
    share(under.service.dataDir);
  });
  afterAll(() => under.expectFewBehind());
  return under;
}

/** Ids that no other test uses. */
export const freshId = (prefix = 'user'): string => `${prefix}-${randomUUID().slice(0, 8)}`;
