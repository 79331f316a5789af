// A store to damage, and the answers that a service on it gives: filled by a real service, which then stops in good order.
import {setTimeout as pause} from 'node:timers/promises';
import {ask, HttpClient} from '../../http-client.js';
import {adminToken, ServiceProcess, secretKey, writeKey} from '../../service-process.js';

export const storeEnvironment = {PARTITIONS: '2', REPORT_REFRESH_SECONDS: '1', LOG_LEVEL: 'warn'};
const range = 'from=2026-01-01&to=2026-01-02';
const questions = [
  `/v1/reports/events?event=seen&${range}`,
  `/v1/reports/events?event=bought&${range}&breakdown=page`,
  `/v1/reports/users?${range}`,
  `/v1/reports/funnel?steps[]=seen&steps[]=bought&${range}`,
] as const;
const batches = 3;
const batchEvents = 400;
const betweenMs = 1_100;

/** Answers by question. They have no position and no time, so that every whole answer is the same. */
export type Answers = ReadonlyMap<string, string>;

export interface WholeStore {
  readonly dataDir: string;
  readonly answers: Answers;
  /** Ids of keys and definitions, sorted. */
  readonly ids: readonly string[];
}

/** Ids of the keys and definitions that a service knows. */
export async function knownIds(baseUrl: string): Promise<string[]> {
  const asked = [
    ['/v1/funnels', secretKey, 'data'],
    ['/v1/webhooks', secretKey, 'data'],
    ['/admin/v1/keys', adminToken, 'keys'],
  ] as const;
  const ids: string[] = [];
  for (const [path, key, field] of asked) {
    const answer = await ask(`${baseUrl}${path}`, {key});
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`);
    ids.push(...answer.json<Record<string, {readonly id: string}[]>>()[field]!.map(({id}) => id));
  }
  return ids.sort();
}

/** `agedMs`: time for which the service runs on, so that the log no longer reaches back before the snapshots. */
export async function fillStore(dataDir: string, agedMs = 0): Promise<WholeStore> {
  const service = new ServiceProcess({dataDir, env: storeEnvironment});
  const {baseUrl} = await service.ready();
  const [write, secret, admin] = [writeKey, secretKey, adminToken].map((key) => new HttpClient(baseUrl, {key}));
  const post = async (client: HttpClient, path: string, json: unknown): Promise<void> => {
    const {status, text} = await client.send('POST', path, {json});
    if (status >= 300) throw new Error(`POST ${path}: ${status} ${text}`);
  };
  for (let batch = 0; batch < batches; batch++) {
    const events = Array.from({length: batchEvents}, (_, i) => eventOf(batch * batchEvents + i));
    await post(write!, '/v1/events/batch', {events});
    await pause(betweenMs); // Each batch gets a snapshot of its own.
  }
  const steps = ['seen', 'bought'];
  for (const name of ['checkout', 'again']) await post(secret!, '/v1/funnels', {name, steps});
  await post(secret!, '/v1/webhooks', {
    kind: 'webhook',
    url: 'https://example.com/hook',
    types: [{type: 'user.deleted'}],
  });
  for (const name of ['web', 'app']) await post(admin!, '/admin/v1/keys', {kind: 'write', name});
  await pause(betweenMs + agedMs);
  const answers = new Map<string, string>();
  for (const question of questions) answers.set(question, (await secret!.send('GET', question)).text);
  const ids = await knownIds(baseUrl);
  for (const client of [write, secret, admin]) client!.close();
  const end = await service.end('SIGTERM');
  if (end !== 0) throw new Error(`the service on the whole store ended with ${end}:\n${service.output()}`);
  return {dataDir, answers, ids};
}

const eventOf = (i: number): object => ({
  event: i % 3 === 0 ? 'bought' : 'seen',
  userId: `user-${i % 50}`,
  timestamp: new Date(Date.UTC(2026, 0, 1) + i * 1_000).toISOString(),
  properties: {page: `/${i % 7}`},
});
