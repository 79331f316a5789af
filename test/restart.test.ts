// Stopped or killed in the middle of ingestion, against a client's own journal: what was answered 200 is there exactly
// once, what was not answered is there at most once, and nothing else is there.

import {expect, test} from 'vitest';
import {type Answer, Client, type EventAnswer, expectJson, type HistoryAnswer, query} from './support/http.js';
import {Positions, reportCovering, until} from './support/reports.js';
import {type Service, startService} from './support/service.js';

const unlimited = {RATE_LIMIT_READS_PER_MINUTE: '0', RATE_LIMIT_EVENTS_PER_SECOND: '0'};
const event = 'journaled';
const usersCount = 40;
const range = {from: '2024-01-01', to: '2024-01-31'};

/** What one client knows: every event it sent, and which of them were answered 200. */
class Journal {
  readonly sent: Record<string, unknown>[] = [];
  readonly answered = new Set<number>();
  readonly positions = new Positions();

  next(): Record<string, unknown> {
    const n = this.sent.length;
    const body = {
      event,
      userId: `user-${n % usersCount}`,
      timestamp: new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString(),
      properties: {n},
      messageId: `message-${n}`,
    };
    this.sent.push(body);
    return body;
  }

  note(answer: Answer, bodies: readonly Record<string, unknown>[]): void {
    if (answer.status !== 200) return;
    this.positions.note(answer);
    for (const body of bodies) this.answered.add(numberOf(body));
  }

  unanswered(): Record<string, unknown>[] {
    return this.sent.filter((body) => !this.answered.has(numberOf(body)));
  }
}

const numberOf = (body: {properties?: unknown}): number => (body.properties as {n: number}).n;

/** Sends one request after the other until the service is gone; some are single events, some batches. */
async function sendUntilGone(client: Client, journal: Journal, batchEvents: number): Promise<void> {
  for (;;) {
    const bodies = Array.from({length: batchEvents}, () => journal.next());
    try {
      const answer =
        batchEvents === 1
          ? await client.post('/v1/events', bodies[0])
          : await client.post('/v1/events/batch', {events: bodies});
      expect([200, 503], answer.text).toContain(answer.status);
      journal.note(answer, bodies);
    } catch (error) {
      const {code} = error as NodeJS.ErrnoException;
      if (code === undefined || !/^(ECONN|EPIPE|HPE_|UND_)/.test(code)) throw error;
      return;
    }
  }
}

async function ingestUntil(
  service: Service,
  journal: Journal,
  end: () => Promise<unknown>,
  answeredMin: number,
): Promise<void> {
  const client = (): Client => new Client(service.baseUrl, service.writeKey);
  const senders = [...Array.from({length: 12}, () => 1), 7, 50, 200].map((size) =>
    sendUntilGone(client(), journal, size),
  );
  await until(
    async () => journal.answered.size,
    (count) => count >= answeredMin,
    `${answeredMin} answered events`,
    30_000,
  );
  await end();
  await Promise.all(senders);
}

async function stored(service: Service): Promise<EventAnswer[]> {
  const client = new Client(service.baseUrl, service.secretKey);
  const events: EventAnswer[] = [];
  let cursor: string | undefined;
  do {
    const answer = await client.get(`/v1/events?${query({event, limit: 1_000, cursor})}`);
    expectJson(answer, 200);
    const page = answer.json<HistoryAnswer>();
    events.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return events;
}

function checkAgainst(journal: Journal, events: readonly EventAnswer[]): void {
  const numbers = events.map(numberOf);
  expect(new Set(events.map((one) => one.id)).size).toBe(events.length);
  expect(new Set(numbers).size, 'nothing is there twice').toBe(numbers.length);
  const present = new Set(numbers);
  expect(
    [...journal.answered].filter((n) => !present.has(n)),
    'answered 200 and lost',
  ).toEqual([]);
  for (const one of events) {
    const {id: _, received_at: _receivedAt, anonymousId, ...body} = one;
    expect({...body, anonymousId}).toEqual({...journal.sent[numberOf(one)], anonymousId: null});
  }
}

/** Every kind of answer, from a service that stands still. */
async function answers(service: Service, positions: Positions): Promise<unknown[]> {
  const client = new Client(service.baseUrl, service.secretKey);
  const reports = [
    `/v1/reports/events?${query({event, ...range})}`,
    `/v1/reports/events?${query({event, ...range, interval: 'hour', filter: 'n=17'})}`,
    `/v1/reports/users?${query({...range, metric: 'wau'})}`,
    `/v1/reports/funnel?${query({'steps[]': [event, event, event], ...range, window: '3h'})}`,
  ];
  const live = ['/v1/events?limit=1000', '/v1/users/user-1', '/v1/users/user-2', '/v1/events?userId=user-3&limit=1000'];
  const published = await Promise.all(reports.map((path) => reportCovering(client, path, positions)));
  return [...published, ...(await Promise.all(live.map((path) => client.get(path))))].map((answer) => answer.json());
}

async function total(service: Service, positions: Positions): Promise<number> {
  const client = new Client(service.baseUrl, service.secretKey);
  const report = await reportCovering(
    client,
    `/v1/reports/events?${query({event, from: '2024-01-01', to: '2030-01-01', interval: 'month'})}`,
    positions,
  );
  return report.json<{total: number}>().total;
}

async function retryUnanswered(service: Service, journal: Journal): Promise<void> {
  const client = new Client(service.baseUrl, service.writeKey);
  const missing = journal.unanswered();
  for (let at = 0; at < missing.length; at += 500) {
    const bodies = missing.slice(at, at + 500);
    const answer = await client.post('/v1/events/batch', {events: bodies});
    expectJson(answer, 200);
    journal.note(answer, bodies);
  }
}

test.each([
  ['SIGKILL', (service: Service) => service.kill()],
  ['SIGTERM', async (service: Service) => expect(await service.stop()).toBe(0)],
] as const)('%s in the middle of ingestion loses no answered event and invents none', async (_signal, end) => {
  const journal = new Journal();
  let service = await startService({env: unlimited});
  const {dataDir} = service;
  // Twice: the second end comes when there is a snapshot of the first run to start from.
  for (const answeredMin of [1_500, 4_000]) {
    await ingestUntil(service, journal, () => end(service), answeredMin);
    service = await startService({env: unlimited, dataDir});
    const events = await stored(service);
    checkAgainst(journal, events);
    expect(await total(service, journal.positions)).toBe(events.length);
  }

  await retryUnanswered(service, journal);
  const events = await stored(service);
  checkAgainst(journal, events);
  expect(events).toHaveLength(journal.sent.length);
  expect(await total(service, journal.positions)).toBe(journal.sent.length);

  const before = await answers(service, journal.positions);
  for (const restart of [() => service.kill(), () => service.stop()]) {
    await restart();
    service = await startService({env: unlimited, dataDir});
    expect(await answers(service, journal.positions)).toEqual(before);
  }
  expect(await service.stop()).toBe(0);
});

test('killed right after a 200, before any snapshot of it: the event is there, and in the next report', async () => {
  const env = {...unlimited, REPORT_REFRESH_SECONDS: '3600'};
  let service = await startService({env});
  const positions = new Positions();
  const client = new Client(service.baseUrl, service.writeKey);
  positions.note(await client.post('/v1/events', {event, userId: 'ada', timestamp: '2024-01-02', messageId: 'm'}));
  positions.note(await client.post('/v1/users/identify', {userId: 'ada', traits: {plan: 'pro'}}));
  await service.kill();
  service = await startService({env: unlimited, dataDir: service.dataDir});
  const secret = new Client(service.baseUrl, service.secretKey);
  expect((await secret.get('/v1/users/ada')).json()).toMatchObject({
    traits: {plan: 'pro'},
    events: [{event, messageId: 'm'}],
  });
  expect(await total(service, positions)).toBe(1);
  positions.note(
    await new Client(service.baseUrl, service.writeKey).post('/v1/events', {event, userId: 'ada', messageId: 'm'}),
  );
  expect(await total(service, positions)).toBe(1);
  expect(await service.stop()).toBe(0);
});

test('SIGTERM publishes what was acknowledged: the first report of the next start includes it', async () => {
  const env = {...unlimited, REPORT_REFRESH_SECONDS: '3600'};
  let service = await startService({env});
  const answer = await new Client(service.baseUrl, service.writeKey).post('/v1/events', {
    event,
    userId: 'ada',
    timestamp: '2024-01-02',
  });
  expectJson(answer, 200);
  expect(await service.stop()).toBe(0);
  service = await startService({env, dataDir: service.dataDir});
  const report = await new Client(service.baseUrl, service.secretKey).get(
    `/v1/reports/events?${query({event, ...range})}`,
  );
  expect(report.json()).toMatchObject({total: 1});
  expect(await service.stop()).toBe(0);
});
