// `npm run repartition`: a service with another number of partitions says what it said before, takes no event twice, tells nobody
// twice, and forgets no deletion. A run that is killed is finished by the next one, or given up.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {fileURLToPath} from 'node:url';
import {afterAll, expect, test} from 'vitest';
import {ExternalNats} from './support/external-nats.js';
import {Client, type EventAnswer, expectJson, type HistoryAnswer, type ProfileBody, query} from './support/http.js';
import {Positions, reportCovering} from './support/reports.js';
import {playsAll} from './support/runs.js';
import {hasOwnNats, type Service, startService, temporaryFolder} from './support/service.js';
import {until} from './support/until.js';

const program = fileURLToPath(new URL('../dist/service/cli/repartition.js', import.meta.url));
const dayMs = 86_400_000;
const todayMs = Math.floor(Date.now() / dayMs) * dayMs;
const at = (day: number, minute: number): string =>
  new Date(todayMs - (10 - day) * dayMs + minute * 60_000).toISOString();
const range = {from: at(0, 0).slice(0, 10), to: at(10, 0).slice(0, 10)};
const names = ['visit', 'signup', 'purchase'] as const;
const usersCount = 40;

/** What a receiver of webhooks got: `webhook-id` of every message. */
const told: string[] = [];
const receiver = createServer((request, response) => {
  told.push(String(request.headers['webhook-id']));
  request.resume().once('end', () => response.writeHead(200).end());
});
afterAll(() => void receiver.close());

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** `killAt`: killed once its output has this. */
async function repartition(env: Record<string, string>, words: readonly string[], killAt?: string): Promise<Ended> {
  const {PATH, NATS_SERVER_BIN} = process.env;
  const child = spawn(process.execPath, [program, ...words], {env: {PATH, NATS_SERVER_BIN, ...env}});
  const text = {out: '', err: ''};
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text.out += chunk;
    if (killAt !== undefined && text.out.includes(killAt)) child.kill('SIGKILL');
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return {code, ...text};
}

/** Events of days 0 to 9 with message ids; every fourth user was anonymous first. */
const batch = Array.from({length: 600}, (_, n) => {
  const user = n % usersCount;
  const event = names[n % 7 === 0 ? 2 : n % 3 === 0 ? 1 : 0];
  const isAnonymous = user % 4 === 0 && n < 200;
  return {
    event,
    ...(isAnonymous ? {anonymousId: `device-${user}`} : {userId: `user-${user}`}),
    timestamp: at(n % 10, Math.floor(n / 10)),
    messageId: `message-${n}`,
    properties: {plan: user % 2 === 0 ? 'pro' : 'free', amount: n, note: {deep: [n]}},
  };
});

async function fill(client: Client): Promise<Positions> {
  const positions = new Positions();
  const sent = async (path: string, body: object): Promise<void> => {
    const answer = positions.note(await client.post(path, body));
    expect(answer.status, answer.text).toBe(200);
  };
  await sent('/v1/events/batch', {events: batch});
  for (let user = 0; user < usersCount; user++) {
    await sent('/v1/users/identify', {
      userId: `user-${user}`,
      traits: {city: `city-${user % 5}`, age: user},
      messageId: `identify-${user}`,
      timestamp: at(9, user),
    });
    if (user % 4 === 0)
      await sent('/v1/events', {
        event: 'signup',
        userId: `user-${user}`,
        anonymousId: `device-${user}`,
        timestamp: at(9, 100 + user),
        messageId: `join-${user}`,
      });
  }
  return positions;
}

const withoutIds = (events: readonly EventAnswer[]) => events.map(({id: _, ...event}) => JSON.stringify(event)).sort(); // Events of one time are in the order of partitions.

async function history(client: Client, asked: Record<string, string>): Promise<EventAnswer[]> {
  const events: EventAnswer[] = [];
  for (let cursor: string | undefined; ; ) {
    const answer = await client.get(`/v1/events?${query({...asked, limit: 100, cursor})}`);
    expectJson(answer, 200);
    const {data, next_cursor} = answer.json<HistoryAnswer>();
    events.push(...data);
    if (next_cursor === null) return events;
    cursor = next_cursor;
  }
}

/** All that the service says of the data, but for ids of events and positions. */
async function answersOf(client: Client, deletion: string) {
  const said: Record<string, unknown> = {};
  const question = {...range, interval: 'day'};
  for (const event of names) {
    said[`counts ${event}`] = (await client.get(`/v1/reports/events?${query({event, ...question})}`)).text;
    said[`pro ${event}`] = (
      await client.get(`/v1/reports/events?${query({event, ...question, filter: 'plan=pro'})}`)
    ).text;
  }
  said.users = (await client.get(`/v1/reports/users?${query(question)}`)).text;
  said.funnel = (await client.get(`/v1/reports/funnel?steps[]=visit&steps[]=signup&${query(range)}`)).text;
  said.names = (await client.get(`/v1/names?${query(range)}`)).text;
  said.all = withoutIds(await history(client, range));
  for (let user = 0; user < usersCount; user++) {
    const userId = `user-${user}`;
    said[`history of ${userId}`] = (await history(client, {userId})).map(({id: _, ...event}) => event);
    const profile = await client.get(`/v1/user?${query({userId})}`);
    const {events: _, ...body} = profile.json<ProfileBody>();
    said[`profile of ${userId}`] = {...body, anonymous_ids: body.anonymous_ids?.toSorted()};
  }
  const {text: receipt} = await client.get(`/v1/deletion?${query({id: deletion})}`);
  said.receipt = receipt;
  return said;
}

/** A deployment that services of several numbers of partitions run on, one after the other. */
class Deployment {
  readonly dataDir = temporaryFolder();
  readonly env: Record<string, string>;

  constructor(nats: ExternalNats | undefined) {
    this.env = nats === undefined ? {} : {NATS_URL: nats.url};
  }

  start(partitions: number): Promise<Service> {
    const hooks = {WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1', WEBHOOK_ALLOW_HTTP: '1'};
    return startService({dataDir: this.dataDir, env: {PARTITIONS: `${partitions}`, ...hooks, ...this.env}});
  }

  repartition(words: readonly string[], killAt?: string): Promise<Ended> {
    return repartition({DATA_DIR: this.dataDir, ...this.env}, words, killAt);
  }
}

/** Fills a service, waits until nothing is under way, and stops it. */
async function filled(deployment: Deployment) {
  const {port} = receiver.address() as AddressInfo;
  const service = await deployment.start(2);
  const client = new Client(service.baseUrl, service.secretKey);
  expect((await deployment.repartition(['--to', '3'])).err).toMatch(
    /^The number of partitions is not changed: .*is in use by another Millrace/,
  );
  const created = await client.post('/v1/funnels', {
    name: 'onboarding',
    question: {report: 'funnel', steps: [{event: 'visit'}, {event: 'signup'}], window: '30d'},
  });
  expect(created.status, created.text).toBe(201);
  const types = [{type: 'event.tracked'}, {type: 'funnel.completed'}, {type: 'user.identified'}];
  const webhook = await client.post('/v1/webhooks', {kind: 'webhook', url: `http://127.0.0.1:${port}/`, types});
  expect(webhook.status, webhook.text).toBe(201);
  const positions = await fill(client);
  const gone = await client.delete(`/v1/user?${query({userId: 'user-7'})}`);
  const {id: deletion} = gone.json<{deletion: {id: string}}>().deletion;
  await until('the deletion is completed', async () => {
    const receipt = await client.get(`/v1/deletion?${query({id: deletion})}`);
    return receipt.json<{deletion: {status: string}}>().deletion.status === 'completed';
  });
  await reportCovering(client, `/v1/reports/events?${query({event: 'visit', ...range})}`, positions);
  // Distinct users count alike once no join is under way. The receiver gets nothing more then.
  await until('nothing is under way', async () => {
    const text = async () => (await client.get(`/v1/reports/users?${query(range)}`)).text;
    const [first, users] = [told.length, await text()];
    const {length} = (await history(client, {userId: 'user-4'})).filter(({joined}) => joined);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    return first > batch.length && length > 0 && first === told.length && users === (await text());
  });
  const cursor = (await client.get(`/v1/events?${query({...range, limit: 5})}`)).json<HistoryAnswer>().next_cursor!;
  const before = await answersOf(client, deletion);
  expect(await service.stop()).toBe(0);
  return {deletion, cursor, before, toldBefore: told.length};
}

test.runIf(hasOwnNats).each(playsAll ? ['own', 'external'] : ['own'])(
  'data of 2 partitions becomes one of 3, and says what it said (%s NATS)',
  {timeout: 400_000},
  async (kind) => {
    told.length = 0;
    if (!receiver.listening) await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const nats = kind === 'own' ? undefined : await ExternalNats.start();
    const deployment = new Deployment(nats);
    const {deletion, cursor, before, toldBefore} = await filled(deployment);

    if (playsAll) {
      // Killed while it copies: nothing starts, until it is given up.
      const killed = await deployment.repartition(['--to', '5'], 'finish what they have begun');
      expect(killed.code).toBeNull();
      await expect(deployment.start(2)).rejects.toThrow(
        /a change to 5 partitions has begun and has not ended: finish it with .*--to 5", or give it up with .*--abandon"/,
      );
      expect(await deployment.repartition(['--abandon'])).toMatchObject({code: 0, err: ''});
      const service = await deployment.start(2);
      expect(await answersOf(new Client(service.baseUrl, service.secretKey), deletion)).toEqual(before);
      await service.stop();
      expect((await deployment.repartition(['--to', '2'])).err).toMatch(/the data has 2 partitions already/);
      // Begun once more, and then with another number.
      await deployment.repartition(['--to', '5'], 'finish what they have begun');
    }
    // Killed once it is decided: the next run finishes.
    await deployment.repartition(['--to', '3'], 'They have every event');
    expect(await deployment.repartition(['--to', '3'])).toMatchObject({code: 0, err: ''});
    await expect(deployment.start(2)).rejects.toThrow(/PARTITIONS is 2, but the data was created with 3/);

    const numbers = playsAll ? [3, 6, 1] : [3];
    for (const partitions of numbers) {
      if (partitions !== 3) {
        const again = await deployment.repartition(['--to', `${partitions}`]);
        expect(again, again.err).toMatchObject({
          code: 0,
          out: expect.stringMatching(/events of \d+ users are stored in/),
        });
      }
      const service = await deployment.start(partitions);
      const client = new Client(service.baseUrl, service.secretKey);
      expect(await answersOf(client, deletion)).toEqual(before);
      expect((await client.get(`/v1/events?${query({...range, limit: 5, cursor})}`)).status).toBe(400);
      // A copy of each event and each identify is known, those of the deleted user as well.
      const copies = await fill(client);
      await reportCovering(client, `/v1/reports/events?${query({event: 'visit', ...range})}`, copies);
      expect(await answersOf(client, deletion)).toEqual(before);
      expect(service.logs()).not.toMatch(/"level":(50|60)/);
      expect(told.length).toBe(toldBefore);
      if (partitions === numbers.at(-1)) {
        expect((await client.post('/v1/events', {event: 'other', userId: 'user-1', timestamp: at(0, 1)})).status).toBe(
          200,
        );
        await until('a new event is told', async () => told.length > toldBefore);
      }
      await service.stop();
    }
    await nats?.stop();
  },
);
