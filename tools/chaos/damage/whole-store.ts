// A store to damage, and what a service on it must answer: filled by a real service, which then stops in good order. A slow model
// says whether the answers are right.

import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {isDeepStrictEqual} from 'node:util';
import {ask, type HttpAnswer, HttpClient} from '../../http-client.js';
import {activeUsersOf} from '../../model/active-users.js';
import {eventCountsOf} from '../../model/event-counts.js';
import {funnelOf} from '../../model/funnel.js';
import {type EventBody, type JsonObject, Model, receivedAt} from '../../model/model.js';
import {withoutMeta} from '../../report-meta.js';
import {adminToken, ServiceProcess, secretKey, writeKey} from '../../service-process.js';
import {FailingReceiver} from './failing-receiver.js';

const environment = {
  PARTITIONS: '2',
  REPORT_REFRESH_SECONDS: '1',
  LOG_LEVEL: 'warn',
  WEBHOOK_ALLOW_HTTP: '1',
  WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1',
};
const range = {from: '2026-01-01', to: '2026-01-02'};
const inRange = `from=${range.from}&to=${range.to}`;
const batches = 3;
const batchEvents = 400;
const betweenMs = 1_100;
const comeMsMax = 120_000;
const pollMs = 100;

/** The known user of a device, who has traits. */
const joiner = 'user-1';
const device = 'device-1';
/** A user and a name whose deletions are in the journal of an old store. */
const deletedUser = 'deleted-user';
const deletedName = 'deleted_name';

/** Questions that the model answers. */
const reports: Readonly<Record<string, (model: Model) => JsonObject>> = {
  [`/v1/reports/events?event=seen&${inRange}`]: (model) => eventCountsOf(model, {event: 'seen', ...range}),
  [`/v1/reports/events?event=bought&${inRange}&filter=page%3D%2F3`]: (model) =>
    eventCountsOf(model, {event: 'bought', ...range, filter: 'page=/3'}),
  [`/v1/reports/users?${inRange}`]: (model) => activeUsersOf(model, range),
  [`/v1/reports/funnel?steps[]=seen&steps[]=bought&${inRange}`]: (model) =>
    funnelOf(model, {steps: ['seen', 'bought'], ...range}),
  [`/v1/reports/events?event=${deletedName}&${inRange}`]: (model) =>
    eventCountsOf(model, {event: deletedName, ...range}),
};
/** Questions whose right answer is that of the whole store. */
const others = [
  `/v1/reports/events?event=bought&${inRange}&breakdown=page`,
  `/v1/names?${inRange}`,
  `/v1/user?userId=${joiner}`,
  '/v1/user?userId=user-2',
  `/v1/events?userId=${joiner}&limit=1000`,
  '/v1/events?event=bought&limit=100',
  `/v1/events?event=${deletedName}`,
];

/** Text by question. Answers have no position and no time, so that every whole one is the same. */
export type Answers = ReadonlyMap<string, string>;

export interface WholeStore {
  /** Has DATA_DIR and DELETIONS_DIR. */
  readonly folder: string;
  readonly answers: Answers;
  /** Ids of keys and definitions, sorted. */
  readonly ids: readonly string[];
  /** Deliveries that wait, and dead letters, sorted. */
  readonly deliveries: readonly string[];
  /** Must open nothing. */
  readonly revokedKey: string;
  /** Questions about those who must be unknown. */
  readonly unknown: readonly string[];
}

export const dataName = 'data';
export const deletionsName = 'deletions';

/** A service on the store in `folder`. */
export const serviceOn = (folder: string): ServiceProcess =>
  new ServiceProcess({
    dataDir: join(folder, dataName),
    env: {...environment, DELETIONS_DIR: join(folder, deletionsName)},
  });

/** Ids of the keys and definitions that a service knows. */
export async function knownIds(baseUrl: string): Promise<string[]> {
  const asked = [
    ['/v1/funnels', secretKey, 'data'],
    ['/v1/webhooks', secretKey, 'data'],
    ['/v1/alerts', secretKey, 'data'],
    ['/admin/v1/keys', adminToken, 'keys'],
  ] as const;
  const ids: string[] = [];
  for (const [path, key, field] of asked)
    ids.push(...(await read<Record<string, {id: string}[]>>(baseUrl, path, key))[field]!.map(({id}) => id));
  return ids.sort();
}

async function read<Body>(baseUrl: string, path: string, key = secretKey): Promise<Body> {
  const answer = await ask(`${baseUrl}${path}`, {key});
  if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`);
  return answer.json<Body & Record<string, unknown>>();
}

/** Ids of the deliveries that wait for their next attempt, and of the dead letters, sorted. */
export async function knownDeliveries(baseUrl: string): Promise<string[]> {
  const ids: string[] = [];
  for (const {id} of (await read<{data: {id: string}[]}>(baseUrl, '/v1/webhooks')).data)
    for (const status of ['pending', 'dead'])
      for (const delivery of (
        await read<{data: {id: string}[]}>(baseUrl, `/v1/webhooks/${id}/deliveries?status=${status}`)
      ).data)
        ids.push(`${delivery.id} of ${id}`);
  return ids.sort();
}

/**
 * `isOld`: a user and a name are deleted, and the service runs on until its log no longer reaches back before its snapshots;
 * `agedMs`: for how long.
 */
export async function fillStore(
  folder: string,
  {isOld = false, agedMs = 0}: {isOld?: boolean; agedMs?: number} = {},
): Promise<WholeStore> {
  const service = serviceOn(folder);
  const receiver = await FailingReceiver.start();
  try {
    const {baseUrl} = await service.ready();
    const filling = new Filling(baseUrl);
    try {
      await filling.define(receiver.baseUrl);
      await filling.send();
      await until('deliveries have failed', async () => receiver.hasRefusedAll);
      if (isOld) await filling.delete();
      await pause(betweenMs + agedMs);
      const [ids, deliveries] = [await knownIds(baseUrl), await knownDeliveries(baseUrl)];
      const store = {folder, answers: await filling.answers(), ids, deliveries};
      const end = await service.end('SIGTERM');
      if (end !== 0) throw new Error(`it ended with ${end}`);
      return {...store, revokedKey: filling.revokedKey, unknown: isOld ? [`/v1/user?userId=${deletedUser}`] : []};
    } finally {
      filling.close();
    }
  } catch (cause) {
    throw new Error(`the service on the whole store: ${(cause as Error).message}:\n${service.output()}`, {cause});
  } finally {
    await service.end('SIGKILL');
    receiver.close();
  }
}

class Filling {
  revokedKey = '';
  private readonly model = new Model(true);
  private readonly write: HttpClient;
  private readonly secret: HttpClient;
  private readonly admin: HttpClient;

  constructor(baseUrl: string) {
    [this.write, this.secret, this.admin] = [writeKey, secretKey, adminToken].map(
      (key) => new HttpClient(baseUrl, {key}),
    ) as [HttpClient, HttpClient, HttpClient];
  }

  close(): void {
    for (const client of [this.write, this.secret, this.admin]) client.close();
  }

  /** `receiver`: the address of one that takes nothing. */
  async define(receiver: string): Promise<void> {
    const question = {report: 'funnel', steps: [{event: 'seen'}, {event: 'bought'}]};
    for (const name of ['checkout', 'again']) await post(this.secret, '/v1/funnels', {name, question});
    // One whose messages wait in OUT, and one whose are in DEAD.
    for (const path of ['waits', 'gone'])
      await post(this.secret, '/v1/webhooks', {
        kind: 'webhook',
        url: `${receiver}/${path}`,
        types: [{type: 'user.identified'}],
      });
    await post(this.secret, '/v1/alerts', {name: 'lags', kind: 'lag', lag: 'report', seconds: 3_600});
    for (const name of ['web', 'app']) await post(this.admin, '/admin/v1/keys', {kind: 'write', name});
    const revoked = await post(this.admin, '/admin/v1/keys', {kind: 'read', name: 'revoked'});
    const {id, key} = revoked.json<{id: string; key: string}>();
    this.revokedKey = key;
    await sent(this.admin, 'DELETE', `/admin/v1/key?id=${id}`);
  }

  async send(): Promise<void> {
    const {model, write} = this;
    const received = receivedAt(0);
    for (let batch = 0; batch < batches; batch++) {
      const events = Array.from({length: batchEvents}, (_, i) => eventOf(batch * batchEvents + i));
      await post(write, '/v1/events/batch', {events});
      model.batch(events, received);
      const identify = {userId: joiner, traits: {plan: `plan-${batch}`}};
      await post(write, '/v1/users/identify', identify);
      model.identify(identify, received);
      await pause(betweenMs); // Each batch gets a snapshot of its own.
    }
  }

  async delete(): Promise<void> {
    const deletions = [`/v1/user?userId=${deletedUser}`, `/v1/name?event=${deletedName}`];
    for (const path of deletions) {
      const {deletion} = (await sent(this.secret, 'DELETE', path)).json<{deletion: {id: string}}>();
      await until(`DELETE ${path} is completed`, async () => {
        const answer = await sent(this.secret, 'GET', `/v1/deletion?id=${deletion.id}`);
        return answer.json<{deletion: {status: string}}>().deletion.status === 'completed';
      });
    }
    this.model.delete({kind: 'user', id: deletedUser});
    this.model.events = this.model.events.filter(({name}) => name !== deletedName);
  }

  /** All answers, once the reports have everything. */
  async answers(): Promise<Answers> {
    const answers = new Map<string, string>();
    for (const [question, answer] of Object.entries(reports)) {
      const expected = answer(this.model);
      await until(`GET ${question} is ${JSON.stringify(expected)}`, async () => {
        const text = withoutMeta((await sent(this.secret, 'GET', question)).text);
        answers.set(question, text);
        return isDeepStrictEqual(JSON.parse(text), expected);
      });
    }
    for (const question of others) answers.set(question, withoutMeta((await sent(this.secret, 'GET', question)).text));
    const history = JSON.parse(answers.get(`/v1/events?userId=${joiner}&limit=1000`)!) as {data: object[]};
    const count = this.model.eventsOf({kind: 'user', id: joiner}).length;
    if (history.data.length !== count)
      throw new Error(`${joiner} has ${history.data.length} events, and sent ${count}`);
    return answers;
  }
}

const post = (client: HttpClient, path: string, json: unknown): Promise<HttpAnswer> => sent(client, 'POST', path, json);

async function sent(client: HttpClient, method: string, path: string, json?: unknown): Promise<HttpAnswer> {
  const answer = await client.send(method, path, {json});
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer;
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + comeMsMax;
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) throw new Error(`waited ${comeMsMax / 1_000} s in vain until ${what}`);
    await pause(pollMs);
  }
}

/** Every 20th event is of a device, every 20th of a user who is deleted, and every 25th has a name that is deleted. */
function eventOf(i: number): EventBody {
  const userId = i % 20 === 7 ? deletedUser : `user-${i % 50}`;
  const isOfDevice = i % 20 === 11;
  return {
    event: i % 25 === 13 ? deletedName : i % 3 === 0 ? 'bought' : 'seen',
    ...(isOfDevice ? {anonymousId: device} : {userId, ...(userId === joiner && {anonymousId: device})}),
    timestamp: new Date(Date.UTC(2026, 0, 1) + i * 1_000).toISOString(),
    properties: {page: `/${i % 7}`},
  };
}
