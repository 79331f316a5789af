// Webhooks over HTTP, from the definition to the receiver.
import {once} from 'node:events';
import {createServer, type IncomingHttpHeaders, type Server} from 'node:http';
import {Webhook} from 'standardwebhooks';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {CreatedWebhookAnswer, DeliveriesAnswer, WebhookAnswer} from '../../src/edge/answers/webhooks.js';
import {type Answer, expectError, expectJson} from '../support/http.js';
import {until} from '../support/until.js';
import {freshId, useService} from './service-under-test.js';

const under = useService({
  WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1',
  WEBHOOK_ALLOW_HTTP: '1',
  REPORT_REFRESH_SECONDS: '1',
});

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let receiver: Server;
let port: number;
const received: Received[] = [];
/** Answers of paths; 204 for the others. */
const statuses = new Map<string, number>();

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    received.push({path: request.url!, headers: request.headers, body});
    response.writeHead(statuses.get(request.url!) ?? 204).end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  port = (receiver.address() as {port: number}).port;
});

afterAll(() => {
  receiver.close();
});

async function created(body: object, path = `/${freshId('hook')}`): Promise<CreatedWebhookAnswer & {path: string}> {
  const url = `http://127.0.0.1:${port}${path}`;
  const answer = await under.read.post('/v1/webhooks', {kind: 'webhook', url, ...body});
  expectJson(answer, 201);
  return {...answer.json<CreatedWebhookAnswer>(), path};
}

const receivedBy = (path: string): Received[] => received.filter((one) => one.path === path);
const post = (id: string, action: string, json: object = {}) => under.read.post(`/v1/webhooks/${id}/${action}`, json);
const deliveries = async (id: string, status: string) =>
  (await under.read.get(`/v1/webhooks/${id}/deliveries?status=${status}`)).json<DeliveriesAnswer>().data;

describe('a webhook', () => {
  test('goes to no private address, and takes nothing that is misspelt', async () => {
    const refused = async (body: object, field: string) => {
      const url = 'https://hooks.example.com/';
      const answer = await under.read.post('/v1/webhooks', {
        kind: 'webhook',
        url,
        types: [{type: 'user.deleted'}],
        ...body,
      });
      expectError(answer, 400, 'invalid_request');
      expect(answer.json<{error: {field: string}}>().error.field).toBe(field);
    };
    await refused({url: 'https://169.254.169.254/latest'}, 'url');
    await refused({url: 'https://[::1]/'}, 'url');
    await refused({url: 'https://user@hooks.example.com/'}, 'url');
    await refused({kind: 'slack'}, 'types');
    await refused({types: [{type: 'user.deleted', where: ['a eq b']}]}, 'types');
    await refused({types: [{type: 'event.tracked', where: ['a is b']}]}, 'types.0.where.0');
    await refused({types: [{type: 'user.created'}]}, 'types.0.type');
    await refused({types: []}, 'types');
    await refused({retries: 3}, 'retries');
    await refused({max_lag_minutes: 1}, 'max_lag_minutes');
  });

  test('of a chat has no secret, and shows no URL that opens the chat', async () => {
    const {id, secret, url} = await created(
      {kind: 'slack', types: [{type: 'report.threshold'}]},
      '/services/T0/B0/secret',
    );
    expect([secret, url]).toEqual([undefined, `http://127.0.0.1:${port}/…cret`]);
    expectError(await post(id, 'rotate'), 400, 'invalid_request');
    await post(id, 'test');
    const [told] = await until('the chat is told', () => {
      const got = receivedBy('/services/T0/B0/secret');
      return got.length > 0 && got;
    });
    expect(JSON.parse(told!.body)).toEqual({text: 'A test message of Millrace: alerts come here.'});
    expect(told!.headers['webhook-signature']).toBeUndefined();
  });
});

describe('what is tracked', () => {
  test('comes signed, under one id, and again when it is asked for', async () => {
    const event = freshId('event');
    const {id, path, secret} = await created({
      types: [{type: 'event.tracked', names: [event], where: ['plan eq pro']}],
    });
    await under.track({event, userId: 'ada', properties: {plan: 'free'}});
    await under.track({event, userId: 'ada', properties: {plan: 'pro'}, timestamp: '2026-05-01T10:00:00Z'});
    await until('it is there', () => receivedBy(path).length > 0);
    const [{headers, body}] = receivedBy(path) as [Received];
    expect(new Webhook(secret!).verify(body, headers as Record<string, string>)).toMatchObject({
      type: 'event.tracked',
      data: {event: {event, userId: 'ada', properties: {plan: 'pro'}}, user_ref: expect.any(String)},
    });

    await until('it is counted', async () => {
      const text = (await under.nobody.get('/metrics')).text;
      return text.includes(`millrace_webhook_attempts_total{webhook="${id}",outcome="delivered"} 1`);
    });
    const rotated = await post(id, 'rotate');
    expectJson(rotated, 200);
    const range = {from: '2026-05-01T00:00:00Z', to: '2026-05-01T23:00:00Z'};
    const replayed = await post(id, 'replay', range);
    expectJson(replayed, 202);
    expect(replayed.json()).toEqual({queued: 1});
    await until('it is there again', () => receivedBy(path).length === 2);
    const again = receivedBy(path)[1]!.headers;
    expect(again['webhook-id']).toBe(headers['webhook-id']);
    expect(String(again['webhook-signature']).split(' ').length).toBe(2);
    const recent = await until('both are listed', async () => {
      const data = await deliveries(id, 'recent');
      return data.length === 2 && data;
    });
    expect(recent[0]).toMatchObject({
      id: headers['webhook-id'],
      type: 'event.tracked',
      status: 'delivered',
      answer: 204,
    });
    for (const bad of [{}, {from: range.from}, {...range, deliveries: ['msg_1']}, {deliveries: ['msg_1']}])
      expectError(await post(id, 'replay', bad), 400, 'invalid_request');
  });

  test('that replays a time has every event that was accepted before', async () => {
    const [event, userId] = [freshId('event'), freshId('ada')];
    const {id} = await created({types: [{type: 'event.tracked', names: [event]}], batch: {events: 500, ms: 0}});
    const range = {from: '2026-05-03T00:00:00Z', to: '2026-05-03T01:00:00Z'};
    const timestamp = '2026-05-03T00:30:00Z';
    for (let round = 1; round <= 3; round++) {
      await under.trackAll(Array.from({length: 500}, () => ({event, userId, timestamp})));
      // One user has one partition: its batches are full.
      expect((await post(id, 'replay', range)).json()).toEqual({queued: round});
    }
  });

  test('waits for a receiver that fails, and is listed; a 410 disables, and what is buried then can be sent again', async () => {
    const event = freshId('event');
    const {id, path} = await created({types: [{type: 'event.tracked', names: [event]}]});
    statuses.set(path, 500);
    await under.track({event, userId: 'ada'});
    const [waiting] = await until('it waits', async () => {
      const data = await deliveries(id, 'pending');
      return data.length > 0 && data;
    });
    expect(waiting).toMatchObject({type: 'event.tracked', status: 'pending', attempts: 1});
    statuses.set(path, 410);
    const stateOf = async () => (await under.read.get(`/v1/webhooks/${id}`)).json<WebhookAnswer>();
    await until('it is disabled', async () => (await stateOf()).state === 'disabled');
    expect((await stateOf()).reason).toBe('the receiver answered 410');
    const [dead] = await until('it is buried', async () => {
      const data = await deliveries(id, 'dead');
      return data.length > 0 && data;
    });
    expect(dead).toMatchObject({id: waiting!.id, status: 'dead', why: 'the receiver answered 410'});
    statuses.delete(path);
    expectJson(await post(id, 'resume'), 200);
    const before = receivedBy(path).length;
    expect((await post(id, 'replay', {deliveries: [dead!.id]})).json()).toEqual({queued: 1});
    await until('it is taken', () => receivedBy(path).length > before);
    expect(receivedBy(path).at(-1)!.headers['webhook-id']).toBe(waiting!.id);
    expect(await deliveries(id, 'dead')).toEqual([]);
  });

  test('by a write key cannot be listened to', async () => {
    expectError(await under.write.get('/v1/webhooks'), 403, 'insufficient_permissions');
  });
});

test('who is identified, completes a saved funnel and is deleted is told of, under one reference', async () => {
  const [cart, buy, leave] = [freshId('cart'), freshId('buy'), freshId('leave')];
  const [ada, name] = [freshId('ada'), freshId('funnel')];
  const question = {
    report: 'funnel',
    steps: [{event: cart}, {event: buy, where: ['amount gt 0']}],
    window: '1h',
    exclude: [{event: leave}],
  };
  const saved = await under.read.post('/v1/funnels', {name, question});
  expectJson(saved, 201);
  const {id} = saved.json<{id: string}>();
  const types = [{type: 'user.identified'}, {type: 'user.deleted'}, {type: 'funnel.completed', names: [name]}];
  const {path, id: webhook} = await created({types});
  const told = () => receivedBy(path).map(({body}) => JSON.parse(body) as {type: string; data: {userId?: string}});
  const toldOf = (type: string, userId: string) =>
    told().find((one) => one.type === type && one.data.userId === userId);
  const complete = (userId: string) =>
    under.trackAll([
      {event: cart, userId, timestamp: '2024-05-01T10:00:00Z'},
      {event: buy, userId, timestamp: '2024-05-01T10:30:00Z', properties: {amount: 1}},
    ]);
  const partitionOf = (written: Answer): string => String(written.headers['log-position']).split(':')[0]!;
  let hers = '';
  await until('a user of this id is told of', async () => {
    hers = partitionOf(await under.identify(ada, {plan: 'pro'}));
    return toldOf('user.identified', ada) !== undefined;
  });
  // Until the funnel has begun in her partition, whoever completes it there may be taken for one who did before.
  const others: string[] = [];
  await until('the funnel has begun where she is', async () => {
    const other = freshId();
    if (partitionOf(await complete(other)) === hers) others.push(other);
    return others.some((userId) => toldOf('funnel.completed', userId) !== undefined);
  });
  const {data: identified} = toldOf('user.identified', ada)!;
  expect(identified).toEqual({userId: ada, user_ref: expect.any(String), traits: {plan: 'pro'}});
  // Nothing that she bought, and after she had left: neither completes it.
  await under.trackAll([
    {event: cart, userId: ada, timestamp: '2024-05-01T08:00:00Z'},
    {event: buy, userId: ada, timestamp: '2024-05-01T08:30:00Z', properties: {amount: 0}},
    {event: cart, userId: ada, timestamp: '2024-05-01T09:00:00Z'},
    {event: leave, userId: ada, timestamp: '2024-05-01T09:10:00Z'},
    {event: buy, userId: ada, timestamp: '2024-05-01T09:20:00Z', properties: {amount: 1}},
  ]);
  await complete(ada);
  await until('her completion is told', () => toldOf('funnel.completed', ada) !== undefined);
  expect(toldOf('funnel.completed', ada)!.data).toEqual({
    funnel: {id, name},
    userId: ada,
    user_ref: (identified as {user_ref?: string}).user_ref,
    entered_at: '2024-05-01T10:00:00.000Z',
    completed_at: '2024-05-01T10:30:00.000Z',
  });
  const anonymousId = freshId('device');
  await under.trackAll([
    {event: cart, anonymousId},
    {event: cart, anonymousId, userId: ada},
  ]);
  await under.read.send('DELETE', `/v1/user?userId=${ada}`);
  const deletions = () => told().filter(({type}) => type === 'user.deleted');
  await until('her deletion and that of her device are told', () => deletions().length >= 2);
  const [first, second] = deletions().map(({data}) => data as {deletion_id?: string; user_ref?: string});
  expect(first!.deletion_id).toMatch(/^del_/);
  expect(second!.deletion_id).toBe(first!.deletion_id);
  const refs = [first!.user_ref, second!.user_ref];
  expect(refs).toContain((identified as {user_ref?: string}).user_ref);
  expect(new Set(refs).size).toBe(2);
  await under.read.send('DELETE', `/v1/webhooks/${webhook}`);
  await under.read.send('DELETE', `/v1/funnels/${id}`);
});
