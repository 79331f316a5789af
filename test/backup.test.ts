// `npm run backup` of a running service, and a start on what it wrote: what was answered before the backup began is in it once,
// and what clients send again fills in what came after it.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {unfinishedBackup} from '../src/data-dir.js';
import {Client, type EventAnswer, expectJson, type HistoryAnswer, query} from './support/http.js';
import {reportPositions} from './support/reports.js';
import {hasOwnNats, type Service, startService, temporaryFolder} from './support/service.js';
import {until} from './support/until.js';

const program = fileURLToPath(new URL('../dist/service/cli/backup.js', import.meta.url));
const event = 'backed up';
const usersCount = 20;
const batchEvents = 25;
const report = `/v1/reports/events?${query({event, from: '2024-01-01', to: '2024-12-31'})}`;

async function backUp(dataDir: string, target: string): Promise<{code: number; out: string; err: string}> {
  const {PATH, NATS_SERVER_BIN} = process.env;
  const child = spawn(process.execPath, [program, target], {env: {PATH, NATS_SERVER_BIN, DATA_DIR: dataDir}});
  const text = {out: '', err: ''};
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
  const [code] = await once(child, 'close');
  return {code: code as number, ...text};
}

/** Clients that send without a pause, and what they know. */
class Traffic {
  readonly answered = new Set<number>();
  readonly statuses = new Set<number>();
  private sent = 0;
  private isOver = false;
  private readonly sending: Promise<unknown>;

  constructor(service: Service) {
    const client = new Client(service.baseUrl, service.writeKey);
    this.sending = Promise.all(Array.from({length: 4}, () => this.send(client)));
  }

  private async send(client: Client): Promise<void> {
    while (!this.isOver) {
      const numbers = Array.from({length: batchEvents}, () => this.sent++);
      const {status} = await client.post('/v1/events/batch', {events: numbers.map(bodyOf)});
      this.statuses.add(status);
      if (status === 200) for (const n of numbers) this.answered.add(n);
    }
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.sending;
  }
}

const bodyOf = (n: number) => ({
  event,
  userId: `user-${n % usersCount}`,
  timestamp: new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString(),
  properties: {n},
  messageId: `message-${n}`,
});

async function numbersStored(client: Client): Promise<number[]> {
  const numbers: number[] = [];
  let cursor: string | undefined;
  do {
    const answer = await client.get(`/v1/events?${query({event, limit: 1_000, cursor})}`);
    expectJson(answer, 200);
    const {data, next_cursor} = answer.json<HistoryAnswer>();
    numbers.push(...data.map((one: EventAnswer) => one.properties.n as number));
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
  return numbers;
}

const totalOf = async (client: Client): Promise<number> => {
  const answer = await client.get(report);
  expectJson(answer, 200);
  return answer.json<{total: number}>().total;
};

test.runIf(hasOwnNats)(
  'a backup under traffic has what was answered before it, once; retries fill in the rest',
  async () => {
    const service = await startService();
    const reader = new Client(service.baseUrl, service.secretKey);
    const traffic = new Traffic(service);
    await until(
      'enough is answered, and in a snapshot',
      async () => traffic.answered.size > 1_000 && (await totalOf(reader)) > 0,
    );

    const before = new Set(traffic.answered);
    const target = join(temporaryFolder(), 'backup');
    const made = await backUp(service.dataDir, target);
    expect(made, made.err).toMatchObject({code: 0, err: ''});
    expect(made.out).toMatch(
      / read back and opened; the service ran, its nats-server was paused for \d+ ms\n {2}partition 0: log up to \d+/,
    );
    const [answeredOnAtBackup] = [traffic.answered.size];
    await until('it goes on', () => traffic.answered.size > answeredOnAtBackup + 500);
    await traffic.end();
    expect([...traffic.statuses], 'nothing was refused meanwhile').toEqual([200]);
    const positions = reportPositions(await reader.get(report));
    expect((statSync(target).mode & 0o777).toString(8)).toBe('700');
    expect(readdirSync(target).filter((name) => /^(lock\.\d+|nats|positions)$/.test(name)).length).toBe(3);
    expect(readdirSync(target)).not.toContain('service.json');
    expect(readFileSync(join(target, 'written-by'), 'utf8')).toMatch(/^Millrace \S+ \(commit \S+\), 2\S+Z\n$/);
    expect(await service.stop()).toBe(0);

    const restored = await startService({dataDir: target});
    const client = new Client(restored.baseUrl, restored.secretKey);
    const numbers = await numbersStored(client);
    const present = new Set(numbers);
    expect(numbers.length, 'nothing is there twice').toBe(present.size);
    expect(
      [...before].filter((n) => !present.has(n)),
      'answered before the backup, and lost',
    ).toEqual([]);
    expect(
      [...present].filter((n) => !traffic.answered.has(n)),
      'never sent',
    ).toEqual([]);
    expect(present.size, 'what came after the backup is not in it').toBeLessThan(traffic.answered.size);
    expect(await totalOf(client)).toBe(present.size);
    for (const [partition, {generation}] of reportPositions(await client.get(report)))
      expect(generation, 'positions of the original stand for other messages').toBe(
        positions.get(partition)!.generation + 1,
      );

    const all = [...traffic.answered];
    const writer = new Client(restored.baseUrl, restored.writeKey); // Message ids are remembered by kind of key.
    for (let at = 0; at < all.length; at += 1_000) {
      const again = await writer.post('/v1/events/batch', {events: all.slice(at, at + 1_000).map(bodyOf)});
      expectJson(again, 200);
    }
    expect((await numbersStored(client)).sort((a, b) => a - b)).toEqual(all.sort((a, b) => a - b));
    await until('reports have all', async () => (await totalOf(client)) === all.length);
    expect(await restored.stop()).toBe(0);
  },
);

/** One of its events, which it also sends again with the same message id. */
const eventOf = (userId: string, name: string, n = 0) => ({
  event: name,
  userId,
  messageId: `${name}-${n}`,
  timestamp: '2024-05-01T12:00:00Z',
});

async function deleteCompletely(client: Client, userId: string): Promise<string> {
  const asked = await client.delete(`/v1/users/${userId}`);
  const {id} = asked.json<{deletion: {id: string}}>().deletion;
  await completed(client, id);
  return id;
}

const completed = (client: Client, id: string) =>
  until(`${id} is completed`, async () => {
    const answer = await client.get(`/v1/deletions/${id}`);
    return answer.status === 200 && answer.text.includes('"completed"') && answer;
  });

test.runIf(hasOwnNats)(
  'users who were deleted after the backup are deleted again where it is restored, and fresh ones stay',
  async () => {
    const service = await startService();
    const original = new Client(service.baseUrl, service.secretKey);
    const sendTo = async (client: Client, ...events: object[]) =>
      expectJson(await client.post('/v1/events/batch', {events}), 200);
    await sendTo(original, eventOf('ann', 'seen', 1), eventOf('ann', 'seen', 2), eventOf('bob', 'seen', 3));
    expectJson(await original.post('/v1/users/identify', {userId: 'ann', traits: {email: 'ann@example.org'}}), 200);
    const admin = new Client(service.baseUrl, service.adminToken);
    const keyMade = (await admin.post('/admin/v1/keys', {kind: 'read', name: 'revoked later'})).json<{
      id: string;
      key: string;
    }>();
    const target = join(temporaryFolder(), 'backup');
    const made = await backUp(service.dataDir, target);
    expect(made.out).toMatch(/no journal of deletions is in /);
    expectJson(await admin.delete(`/admin/v1/key?id=${keyMade.id}`), 200);
    await sendTo(original, eventOf('carl', 'seen', 4));
    const [ann, carl] = [await deleteCompletely(original, 'ann'), await deleteCompletely(original, 'carl')];
    expect(await service.stop()).toBe(0);

    const journal = `${service.dataDir}-deletions`;
    for (const name of readdirSync(journal))
      expect(readFileSync(join(journal, name), 'utf8')).not.toMatch(/ann|carl|example/);
    const env = {DELETIONS_DIR: journal};
    let restored = await startService({dataDir: target, env});
    let client = new Client(restored.baseUrl, restored.secretKey);
    expect(restored.logs()).toMatch(/"users":1,"events":2,"msg":"the data is older than some deletions in the journal/);
    expect(restored.logs()).toMatch(/"keys":1,"links":0,"msg":"a backup was restored: what was revoked/);
    expect((await new Client(restored.baseUrl, keyMade.key).get('/v1/users/bob')).status, 'the key is revoked').toBe(
      401,
    );
    expect((await client.get('/v1/users/ann')).status).toBe(404);
    expect((await client.delete('/v1/users/ann')).text, 'its receipt is there again').toContain(ann);
    const seen = `/v1/reports/events?${query({event: 'seen', from: '2024-05-01', to: '2024-05-01'})}`;
    expect((await client.get(seen)).json<{total: number}>().total, 'reports have bob alone').toBe(1);
    await Promise.all([completed(client, ann), completed(client, carl)]);

    // Late copies of deleted events are not stored; what is new makes fresh users, whom no later start deletes.
    await sendTo(client, eventOf('ann', 'seen', 1), eventOf('ann', 'back', 5), eventOf('carl', 'back', 6));
    expect(await restored.stop()).toBe(0);
    restored = await startService({dataDir: target, env});
    client = new Client(restored.baseUrl, restored.secretKey);
    const history = (await client.get('/v1/events?limit=100')).json<HistoryAnswer>().data;
    expect(history.map(({userId, event: name}) => `${userId} ${name}`).sort()).toEqual([
      'ann back',
      'bob seen',
      'carl back',
    ]);
    expect(restored.logs()).not.toContain('the data is older');
    expect(await restored.stop()).toBe(0);
  },
);

test.runIf(hasOwnNats)('where no backup can be made one line says why, and nothing is written', async () => {
  const empty = temporaryFolder();
  const target = join(temporaryFolder(), 'backup');
  expect((await backUp(empty, target)).err).toMatch(
    /^No backup was made: .* contains no store: an external NATS has the events/,
  );
  mkdirSync(join(empty, 'nats', 'jetstream'), {recursive: true});
  expect((await backUp(empty, join(empty, 'inside'))).err).toMatch(/is inside DATA_DIR/);
  const full = temporaryFolder();
  writeFileSync(join(full, 'something'), '');
  expect((await backUp(empty, full)).err).toMatch(/is not empty/);
  // A store without a deployment: what was written of the copy goes again.
  expect(await backUp(empty, target)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^No backup was made: the store is damaged/),
  });
  expect(readdirSync(target)).toEqual([]);

  writeFileSync(join(target, unfinishedBackup), '');
  await expect(startService({dataDir: target})).rejects.toThrow('is a backup that was not finished');
});
