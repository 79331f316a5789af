// Alerts over HTTP: definitions, previews, states, and what receivers get.
import {once} from 'node:events';
import {createServer, type Server} from 'node:http';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {AlertAnswer} from '../../src/edge/answers/alerts.js';
import {expectError, expectJson} from '../support/http.js';
import {scrape} from '../support/metrics.js';
import {reportCovering, until} from '../support/reports.js';
import {freshId, useService} from './service-under-test.js';

const under = useService({WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1', WEBHOOK_ALLOW_HTTP: '1'});
const minuteMs = 60_000;

let receiver: Server;
const received: {readonly path: string; readonly id: unknown; readonly body: Record<string, unknown>}[] = [];

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    received.push({path: request.url!, id: request.headers['webhook-id'], body: JSON.parse(text)});
    response.writeHead(204).end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
});

afterAll(() => void receiver.close());

/** An endpoint at a path of its own. */
async function endpoint(kind: string, type: string, names: readonly string[]): Promise<{id: string; path: string}> {
  const path = `/${freshId(kind)}`;
  const {port} = receiver.address() as {port: number};
  const url = `http://127.0.0.1:${port}${path}`;
  const answer = await under.read.post('/v1/webhooks', {kind, url, types: [{type, names}]});
  expectJson(answer, 201);
  return {id: answer.json<{id: string}>().id, path};
}

const receivedAt = ({path}: {path: string}, count: number) =>
  until(
    async () => received.filter((one) => one.path === path),
    (all) => all.length >= count,
    `${count} messages came`,
  );

const through = (...events: readonly string[]) => ({report: 'funnel', steps: events.map((event) => ({event}))});

async function created(body: object): Promise<AlertAnswer> {
  const answer = await under.read.post('/v1/alerts', body);
  expectJson(answer, 201);
  return answer.json<AlertAnswer>();
}

test('an alert says how many webhooks and chats hear of it', async () => {
  const name = freshId('Reach');
  const question = {report: 'counts', events: [{event: 'failed'}]};
  const body = {name, kind: 'threshold', question, minutes: 60, gte: 10};
  const {id, reaches} = await created(body);
  expect(reaches).toBe(0);
  const chat = await endpoint('slack', 'report.threshold', [name]);
  const read = async () => (await under.read.get(`/v1/alerts/${id}`)).json<AlertAnswer>().reaches;
  await until(read, (number) => number === 1, 'the chat is counted');
  expect((await created({...body, name: freshId('Other')})).reaches).toBe(0);
  expect((await created({...body, endpoints: []})).reaches).toBe(0);
  expect((await created({...body, name: freshId('Other'), endpoints: [chat.id]})).reaches).toBe(1);
  expect((await under.read.delete(`/v1/webhooks/${chat.id}`)).status).toBe(200);
  await until(read, (number) => number === 0, 'the chat is gone');
});

test('an alert whose endpoint and funnel were deleted can be paused and renamed, and takes no other one that is not there', async () => {
  const {id: hook} = await endpoint('webhook', 'funnel.stalled', [freshId('name')]);
  const made = await under.read.post('/v1/funnels', {name: freshId('funnel'), question: through('cart', 'paid')});
  const {id: funnel} = made.json<{id: string}>();
  const {id} = await created({name: 'Left', kind: 'stalled', funnel, step: 1, minutes: 5, endpoints: [hook]});
  expectJson(await under.read.delete(`/v1/webhooks/${hook}`), 200);
  expectJson(await under.read.delete(`/v1/funnels/${funnel}`), 200);
  const change = (json: object) => under.read.send('PATCH', `/v1/alerts/${id}`, {json});
  const changed = await change({paused: true, name: 'Left in the cart'});
  expectJson(changed, 200);
  expect(changed.json()).toMatchObject({paused: true, name: 'Left in the cart', endpoints: [hook], funnel});
  expectError(await change({endpoints: [hook, 'wh_0123456789abcdef']}), 400, 'invalid_request', 'endpoints');
  expectError(await change({minutes: 6}), 400, 'invalid_request', 'funnel');
});

describe('states', () => {
  const stateOf = async (id: string) => (await under.read.get(`/v1/alerts/${id}`)).json<AlertAnswer>().state;
  const becomes = (id: string, wanted: string) =>
    until(
      () => stateOf(id),
      (state) => state?.state === wanted,
      `the alert is ${wanted}`,
    );

  test('follow the published reports: above a bound, silent, converting too few', async () => {
    const [event, paid] = [freshId('event'), freshId('paid')];
    await under.trackAll([0, 1, 2].map((user) => ({event, userId: `user-${user}`, properties: {plan: 'pro'}})));
    await under.track({event: paid, userId: 'user-0'});
    const funnel = await under.read.post('/v1/funnels', {name: 'Pays', question: through(event, paid)});
    expectJson(funnel, 201);
    const question = {report: 'counts', events: [{event, where: ['plan eq pro']}]};
    const watched = {question, minutes: 60};
    const drop = {kind: 'funnel_drop', funnel: funnel.json<{id: string}>().id, days: 1};
    // Partitions publish one after another: an alert that sees some of them alone fires with another value.
    await reportCovering(under.read, '/v1/names', under.positions);
    const busy = await created({name: 'Busy', kind: 'threshold', ...watched, gte: 3});
    const calm = await created({
      name: 'Calm',
      kind: 'threshold',
      minutes: 60,
      question: {...question, measure: {of: 'users'}},
      gte: 4,
    });
    const alive = await created({name: 'Alive', kind: 'absence', ...watched});
    const few = await created({name: 'Few pay', ...drop, below: 0.5});
    const enough = await created({name: 'Enough pay', ...drop, below: 0.2});
    const firing = await becomes(busy.id, 'firing');
    expect(firing).toMatchObject({value: 3, report_log_position: expect.stringMatching(/^0:\d+\.\d+,/)});
    // A pass that began before the purchase was published may be the first to judge it.
    await until(
      () => stateOf(few.id),
      (state) => state?.state === 'firing' && Math.abs(state.value! - 1 / 3) < 1e-6,
      'a third has paid',
    );
    for (const {id} of [calm, alive, enough]) await becomes(id, 'ok');
    await until(
      () => scrape(under.service.baseUrl),
      (metrics) =>
        metrics.sum('millrace_alert_state', {alert: busy.id}) === 1 &&
        metrics.find('millrace_alert_state', {alert: calm.id})[0]?.value === 0 &&
        metrics.sum('millrace_alerts', {state: 'firing'}) >= 2,
      'the metrics say so',
    );

    const changed = await under.read.send('PATCH', `/v1/alerts/${busy.id}`, {json: {gte: 4}});
    expectJson(changed, 200);
    expect(changed.json<AlertAnswer>().state).toBeNull();
    await becomes(busy.id, 'ok');
    expectError(
      await under.read.post('/v1/alerts', {name: 'No', ...drop, funnel: 'fn_0', below: 0.5}),
      400,
      'invalid_request',
    );
  });
});

test('an alert is about a segment as it is now; one that was removed is not judged, and taken by no other rule', async () => {
  const [event, plan] = [freshId('event'), freshId('plan')];
  for (const userId of ['ada', 'bob'].map(freshId)) {
    await under.read.post('/v1/users/identify', {userId, traits: {plan}});
    await under.track({event, userId});
  }
  await under.track({event, userId: freshId('cyd')});
  const segments = '/v1/segments';
  const {id: segment} = (
    await under.read.post(segments, {name: freshId('Paying'), users: {where: [`plan eq ${plan}`], did: [{event}]}})
  ).json<{id: string}>();
  const question = {report: 'counts', events: [{event}], users: {segment}, measure: {of: 'users'}};
  const rule = {kind: 'threshold', question, minutes: 60, gte: 2};
  const {id} = await created({name: freshId('Paying'), ...rule});
  const stateOf = async () => (await under.read.get(`/v1/alerts/${id}`)).json<AlertAnswer>().state;
  expect(await until(stateOf, (state) => state?.state === 'firing', 'it fires')).toMatchObject({value: 2});
  const nobody = {users: {where: [`plan eq ${freshId('other')}`]}};
  expectJson(await under.read.send('PATCH', `${segments}/${segment}`, {json: nobody}), 200);
  await until(stateOf, (state) => state?.state === 'ok', 'it is over: nobody is in the segment');

  expectJson(await under.read.delete(`${segments}/${segment}`), 200);
  const pointer = '/question/users/segment';
  expectError(await under.read.post('/v1/alerts/preview', rule), 400, 'invalid_request', pointer);
  expectError(await under.read.post('/v1/alerts', {name: 'Other', ...rule}), 400, 'invalid_request', pointer);
  const renamed = await under.read.send('PATCH', `/v1/alerts/${id}`, {json: {name: 'Nobody'}});
  expectJson(renamed, 200);
  expect(renamed.json()).toMatchObject({question: {...question, timezone: 'UTC'}, state: {state: 'ok'}});
});

describe('receivers', () => {
  test('are told each change of an alert: a webhook signed data, chats a line', async () => {
    const [event, name] = [freshId('event'), freshId('Errors')];
    const hook = await endpoint('webhook', 'report.threshold', [name]);
    const [slack, discord, teams] = await Promise.all(
      ['slack', 'discord', 'teams'].map((kind) => endpoint(kind, 'report.threshold', [name])),
    );
    const other = await endpoint('webhook', 'report.threshold', [freshId('Other')]);
    await under.trackAll([0, 1].map((user) => ({event, userId: `user-${user}`})));
    const question = {report: 'counts', events: [{event}]};
    const alert = await created({name, kind: 'threshold', question, minutes: 60, gte: 2});
    const [firing] = await receivedAt(hook, 1);
    const {data, ...envelope} = firing!.body as {data: Record<string, unknown>};
    expect(envelope).toEqual({type: 'report.threshold', timestamp: data.to});
    expect(data).toMatchObject({alert: {id: alert.id, name}, state: 'firing', value: 2, bound: 2});
    const sentence = `2 events "${event}" in 60 minutes; the bound is at least`;
    const text = `Firing: ${name}. ${sentence} 2. (${String(data.to).slice(0, 16).replace('T', ' ')} UTC)`;
    expect(data.text).toBe(text);
    expect((await receivedAt(slack!, 1))[0]!.body).toEqual({text});
    expect((await receivedAt(discord!, 1))[0]!.body).toMatchObject({content: text});
    expect(JSON.stringify((await receivedAt(teams!, 1))[0]!.body)).toContain(JSON.stringify(text));

    await under.read.send('PATCH', `/v1/alerts/${alert.id}`, {json: {gte: 3}});
    const [, over] = await receivedAt(hook, 2);
    expect(over!.body.data).toMatchObject({state: 'ok', bound: 3});
    expect(over!.id).not.toBe(firing!.id);
    expect(received.filter(({path}) => path === other.path)).toEqual([]);
  });

  test('are told who stalled in a saved funnel, and not who went on', async () => {
    const [cart, buy, name] = [freshId('cart'), freshId('buy'), freshId('Checkout')];
    const [ada, bob] = [freshId('ada'), freshId('bob')];
    const question = {...through(cart, buy), where: ['plan eq pro']};
    const saved = await under.read.post('/v1/funnels', {name, question});
    expectJson(saved, 201);
    const funnel = saved.json<{id: string}>().id;
    const body = {name: freshId('Left'), kind: 'stalled', funnel, step: 1, minutes: 5};
    const slack = await endpoint('slack', 'report.threshold', [name]);
    const refused = async (field: string, wrong: object) =>
      expectError(await under.read.post('/v1/alerts', {...body, ...wrong}), 400, 'invalid_request', field);
    await refused('endpoints', {endpoints: [slack.id]});
    await refused('step', {step: 2});
    await refused('funnel', {funnel: 'fn_0123456789abcdef'});
    const strict = await under.read.post('/v1/funnels', {
      name: freshId('Strict'),
      question: {...question, order: 'strict'},
    });
    await refused('funnel', {funnel: strict.json<{id: string}>().id});
    await refused('quiet_hours', {quiet_hours: {timezone: 'UTC', from: '22:00', to: '07:00'}});

    const hook = await endpoint('webhook', 'funnel.stalled', [name]);
    const alert = await created(body);
    const stateOf = async () => (await under.read.get(`/v1/alerts/${alert.id}`)).json<AlertAnswer>().state;
    await until(stateOf, (state) => state !== null, 'it has begun');
    const chats = await under.read.send('PATCH', `/v1/alerts/${alert.id}`, {json: {endpoints: [slack.id]}});
    expectError(chats, 400, 'invalid_request', 'endpoints');
    // Their deadline comes soon, and not before a busy machine has taken the events.
    const deadlineMs = Date.now() + 8_000;
    const reached = new Date(deadlineMs - 5 * minuteMs).toISOString();
    const properties = {plan: 'pro'};
    await under.trackAll([
      {event: cart, userId: ada, timestamp: reached, properties},
      {event: cart, userId: freshId('free'), timestamp: reached},
      {event: cart, userId: bob, timestamp: reached, properties},
      {event: buy, userId: bob, timestamp: new Date(deadlineMs - minuteMs).toISOString(), properties},
    ]);
    const [stalled] = await receivedAt(hook, 1);
    expect(stalled).toMatchObject({id: expect.stringMatching(/^msg_/)});
    expect(stalled!.body).toEqual({
      type: 'funnel.stalled',
      timestamp: new Date(deadlineMs).toISOString(),
      data: {
        userId: ada,
        user_ref: expect.stringMatching(/^[\w-]{43}$/),
        alert: {id: alert.id},
        funnel: {id: funnel, name},
        reached: 1,
        reached_at: reached,
        entered_at: reached,
      },
    });
    await until(stateOf, (state) => state!.value === 1, 'the alert has counted it');
    expect(received.filter(({path}) => path === hook.path)).toHaveLength(1);
  });
});
