// Stopped or killed in the middle of ingestion, against a client's own journal: what was answered 200 is there exactly
// once, what was not answered is there at most once, and nothing else is there.

import {expect, test} from 'vitest';
import {activeUsersOf} from '../tools/model/active-users.js';
import {eventCountsOf} from '../tools/model/event-counts.js';
import {funnelOf} from '../tools/model/funnel.js';
import {type EventBody, Model, receivedAt} from '../tools/model/model.js';
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
    if (answer.status !== 200) {
      expect(answer.status, answer.text).toBe(503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      return;
    }
    // Right after nats-server came back a write may be answered before the generation of its log is known.
    if (answer.headers['log-position'] !== undefined) this.positions.note(answer);
    for (const body of bodies) this.answered.add(numberOf(body));
  }

  unanswered(): Record<string, unknown>[] {
    return this.sent.filter((body) => !this.answered.has(numberOf(body)));
  }
}

const numberOf = (body: {properties?: unknown}): number => (body.properties as {n: number}).n;

/** Undefined when the service went away instead of answering. */
async function answeredBy(call: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await call();
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException;
    if (code === undefined || !/^(ECONN|EPIPE|HPE_)/.test(code)) throw error;
    return undefined;
  }
}

/** Sends one request after the other until the service is gone; some are single events, some batches. */
async function sendUntilGone(client: Client, journal: Journal, batchEvents: number): Promise<void> {
  for (;;) {
    const bodies = Array.from({length: batchEvents}, () => journal.next());
    const answer = await answeredBy(() =>
      batchEvents === 1 ? client.post('/v1/events', bodies[0]) : client.post('/v1/events/batch', {events: bodies}),
    );
    if (answer === undefined) return;
    journal.note(answer, bodies);
  }
}

function startSenders(service: Service, journal: Journal): Promise<unknown> {
  const client = (): Client => new Client(service.baseUrl, service.writeKey);
  return Promise.all(
    [...Array.from({length: 12}, () => 1), 7, 50, 200].map((size) => sendUntilGone(client(), journal, size)),
  );
}

const untilAnswered = (journal: Journal, countMin: number): Promise<number> =>
  until(
    async () => journal.answered.size,
    (count) => count >= countMin,
    `${countMin} answered events`,
    60_000,
  );

async function ingestUntil(
  service: Service,
  journal: Journal,
  end: () => Promise<unknown>,
  answeredMin: number,
): Promise<void> {
  const senders = startSenders(service, journal);
  await untilAnswered(journal, answeredMin);
  await end();
  await senders;
}

const stored = (service: Service): Promise<EventAnswer[]> =>
  storedOf(new Client(service.baseUrl, service.secretKey), event);

async function storedOf(client: Client, event: string): Promise<EventAnswer[]> {
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

const counts = {event, ...range};
const filteredCounts = {event, ...range, interval: 'hour', filter: 'n=17'} as const;
const weekly = {...range, metric: 'wau'} as const;
const funnel = {...range, window: '3h'};
const steps = [event, event, event];

/** The published answers of a service that stands still. */
async function answers(service: Service, positions: Positions): Promise<unknown[]> {
  const client = new Client(service.baseUrl, service.secretKey);
  const reports = [
    `/v1/reports/events?${query(counts)}`,
    `/v1/reports/events?${query(filteredCounts)}`,
    `/v1/reports/users?${query(weekly)}`,
    `/v1/reports/funnel?${query({'steps[]': steps, ...funnel})}`,
  ];
  const published = await Promise.all(reports.map((path) => reportCovering(client, path, positions)));
  return published.map((answer) => answer.json());
}

/** The published answers that follow from everything that was sent. */
function expectedReports(journal: Journal): unknown[] {
  const model = new Model();
  model.batch(journal.sent as unknown as EventBody[], receivedAt(0));
  return [
    eventCountsOf(model, counts),
    eventCountsOf(model, filteredCounts),
    activeUsersOf(model, weekly),
    funnelOf(model, {steps, ...funnel}),
  ];
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

const kill = (service: Service): Promise<void> => service.kill();
const stop = async (service: Service): Promise<void> => expect(await service.stop()).toBe(0);

// Each of them alone, many times, and nats-server killed in the same way: `npm run chaos`, `npm run rolling`, whose short forms
// are tests too (test/tools).
test('SIGKILL and SIGTERM in the middle of ingestion lose no answered event and invent none', async () => {
  const journal = new Journal();
  let service = await startService({env: unlimited});
  const {dataDir} = service;
  // The second end comes when there is a snapshot of the first run to start from.
  for (const [end, answeredMin] of [[kill, 1_500] as const, [stop, 4_000] as const]) {
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

  expect(await answers(service, journal.positions)).toEqual(expectedReports(journal));
  expect(await service.stop()).toBe(0);
});

/** What one client knows of users that it made and deleted again, three events each. */
class ErasureJournal {
  readonly made: string[] = [];
  readonly deleted = new Set<string>();
}

const eventsPerErased = 3;

async function eraseUntilGone(service: Service, journal: ErasureJournal, lane: string): Promise<void> {
  const client = new Client(service.baseUrl, service.secretKey);
  for (let n = 0; ; n++) {
    const userId = `${lane}-${n}`;
    const events = Array.from({length: eventsPerErased}, () => ({event: 'erasable', userId, timestamp: '2024-01-05'}));
    journal.made.push(userId);
    const written = await answeredBy(() => client.post('/v1/events/batch', {events}));
    if (written === undefined) return;
    if (written.status !== 200) continue;
    const answer = await answeredBy(() => client.delete(`/v1/users/${userId}`));
    if (answer === undefined) return;
    expect([200, 202, 503], answer.text).toContain(answer.status);
    if (answer.status !== 503) journal.deleted.add(userId);
  }
}

test('SIGKILL in the middle of deletions: what was answered is gone for good, no user is half there', async () => {
  const journal = new ErasureJournal();
  let service = await startService({env: unlimited});
  const {dataDir} = service;
  for (const [round, deletedMin] of [10, 20].entries()) {
    const lanes = Array.from({length: 6}, (_, lane) => eraseUntilGone(service, journal, `round-${round}-lane-${lane}`));
    await until(
      async () => journal.deleted.size,
      (count) => count >= deletedMin,
      `${deletedMin} deletions`,
      60_000,
    );
    await service.kill();
    await Promise.all(lanes);
    service = await startService({env: unlimited, dataDir});
  }

  const client = new Client(service.baseUrl, service.secretKey);
  const positions = new Positions();
  positions.note(await client.post('/v1/events', {event: 'erasable', userId: 'stays', timestamp: '2024-01-05'}));
  let remaining = 1;
  for (const userId of journal.made) {
    const {data} = (await client.get(`/v1/events?${query({userId})}`)).json<HistoryAnswer>();
    if (journal.deleted.has(userId)) expect(data, userId).toEqual([]);
    else expect([0, eventsPerErased], userId).toContain(data.length);
    remaining += data.length;
  }
  const counts = `/v1/reports/events?${query({event: 'erasable', ...range})}`;
  // A deletion whose answer the kill took away may complete only now.
  await until(
    async () => {
      const [report, history] = [await reportCovering(client, counts, positions), await storedOf(client, 'erasable')];
      return [report.json<{total: number}>().total, history.length] as const;
    },
    ([published, live]) => published === live && live <= remaining,
    'the reports count what the history has',
  );
  expect(await service.stop()).toBe(0);
});

test('killed right after a 200, before any snapshot of it: the event is there, once; SIGTERM publishes it for the next start', async () => {
  const env = {...unlimited, REPORT_REFRESH_SECONDS: '3600'};
  const body = {event, userId: 'ada', messageId: 'm'};
  let service = await startService({env});
  const client = new Client(service.baseUrl, service.writeKey);
  expectJson(await client.post('/v1/events', {...body, timestamp: '2024-01-02'}), 200);
  expectJson(await client.post('/v1/users/identify', {userId: 'ada', traits: {plan: 'pro'}}), 200);
  await service.kill();
  service = await startService({env, dataDir: service.dataDir});
  const secret = new Client(service.baseUrl, service.secretKey);
  const ada = {traits: {plan: 'pro'}, events: [{event, messageId: 'm'}]};
  expect((await secret.get('/v1/users/ada')).json()).toMatchObject(ada);
  const again = await new Client(service.baseUrl, service.writeKey).post('/v1/events', body);
  expectJson(again, 200);
  const positions = new Positions();
  positions.note(again);
  expect((await secret.get('/v1/users/ada')).json<{events: unknown[]}>().events).toHaveLength(1);
  expect(await service.stop()).toBe(0);

  // The first report of the next start: no snapshot of its own is due for an hour.
  service = await startService({env, dataDir: service.dataDir});
  const report = await new Client(service.baseUrl, service.secretKey).get(
    `/v1/reports/events?${query({event, ...range})}`,
  );
  expect(report.json()).toMatchObject({total: 1});
  expect(positions.areCoveredBy(String(report.headers['report-log-position']))).toBe(true);
  expect(await service.stop()).toBe(0);
});
