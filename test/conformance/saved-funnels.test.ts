// Saved funnels over HTTP: definitions, the report of one, and how far a user got.

import {expect, test} from 'vitest';
import type {z} from 'zod';
import type {savedFunnelAnswer, savedFunnelsAnswer, userFunnelsAnswer} from '../../src/edge/answers/saved-funnels.js';
import {type Answer, expectError, expectJson, query} from '../support/http.js';
import {reportCovering} from '../support/reports.js';
import {freshId, useService} from './service-under-test.js';

const under = useService();

type Funnel = z.infer<typeof savedFunnelAnswer>;
const saved = (answer: Answer): Funnel => answer.json() as Funnel;
const list = async (): Promise<readonly Funnel[]> =>
  ((await under.read.get('/v1/funnels')).json() as z.infer<typeof savedFunnelsAnswer>).data;

const save = (body: object): Promise<Answer> => under.read.post('/v1/funnels', body);

const track = (userId: string, event: string, time: string): Promise<unknown> =>
  under.trackAll([{event, userId, timestamp: `2024-05-01T${time}:00Z`}]);

const remove = async (id: string): Promise<void> =>
  expectJson(await under.read.send('DELETE', `/v1/funnels/${id}`), 200);

test('a funnel is saved, listed, read and deleted', async () => {
  const name = freshId('funnel');
  const answer = await save({name, steps: ['a', 'b', 'a'], window: '48h'});
  expectJson(answer, 201);
  const funnel = saved(answer);
  expect(funnel).toEqual({
    id: expect.stringMatching(/^fn_[0-9a-f]{16}$/),
    name,
    steps: ['a', 'b', 'a'],
    window: '2d',
    created_at: expect.any(String),
  });
  expect((await under.read.get(`/v1/funnels/${funnel.id}`)).json()).toEqual(funnel);
  expect((await under.read.get('/v1/funnels')).json()).toEqual({
    data: expect.arrayContaining([funnel]),
    late_users: 0,
  });
  const deleted = await under.read.send('DELETE', `/v1/funnels/${funnel.id}`);
  expect(deleted.json()).toEqual({status: 'deleted', id: funnel.id});
  expectError(await under.read.get(`/v1/funnels/${funnel.id}`), 404, 'not_found');
  expectError(await under.read.send('DELETE', `/v1/funnels/${funnel.id}`), 404, 'not_found');
  expect(await list()).not.toContainEqual(funnel);
});

test.each([
  ['name', {steps: ['a']}],
  ['name', {name: '', steps: ['a']}],
  ['steps', {name: 'f'}],
  ['steps', {name: 'f', steps: []}],
  ['steps', {name: 'f', steps: Array.from({length: 51}, () => 'a')}],
  ['steps.1', {name: 'f', steps: ['a', '']}],
  ['window', {name: 'f', steps: ['a'], window: '7w'}],
  ['windows', {name: 'f', steps: ['a'], windows: '7d'}],
])('a funnel with a wrong %s is refused: %j', async (field, body) => {
  expectError(await save(body), 400, 'invalid_request', field);
});

test('the twenty-first funnel is refused', async () => {
  const before = (await list()).length;
  const made: string[] = [];
  for (let count = before; count < 20; count++) made.push(saved(await save({name: 'f', steps: ['a']})).id);
  expectError(await save({name: 'f', steps: ['a']}), 400, 'invalid_request');
  for (const id of made) await remove(id);
  expect(await list()).toHaveLength(before);
});

test('how far a user got is live; the report counts as that of the same steps', async () => {
  const [cart, buy, ada, bob] = [freshId('cart'), freshId('buy'), freshId(), freshId()];
  const {id} = saved(await save({name: 'checkout', steps: [cart, buy], window: '1h'}));
  const reached = async (userId: string) => {
    const answer = await under.read.get(`/v1/user/funnels?${query({userId})}`);
    return (answer.json() as z.infer<typeof userFunnelsAnswer>).data.find((one) => one.id === id);
  };
  expectError(await under.read.get(`/v1/user/funnels?${query({userId: ada})}`), 404, 'user_not_found');
  await track(ada, buy, '09:00');
  expect(await reached(ada)).toEqual({id, name: 'checkout', reached: 0, steps: 2, reached_at: null});
  await track(ada, cart, '10:00');
  expect(await reached(ada)).toMatchObject({reached: 1, reached_at: '2024-05-01T10:00:00.000Z'});
  await track(ada, buy, '12:00'); // After the window.
  await track(bob, buy, '11:30');
  expect(await reached(ada)).toMatchObject({reached: 1});
  await track(ada, cart, '11:00'); // Late.
  expect(await reached(ada)).toMatchObject({reached: 2, reached_at: '2024-05-01T12:00:00.000Z'});
  expect(await reached(bob)).toMatchObject({reached: 0});
  const may = {from: '2024-05-01', to: '2024-05-31'};
  const report = await reportCovering(under.read, `/v1/funnels/${id}/report?${query(may)}`, under.positions);
  expectJson(report, 200);
  expect(report.json()).toMatchObject({
    steps: [
      {event: cart, count: 1},
      {event: buy, count: 1},
    ],
    total: 1,
  });
  const plain = await under.read.get(`/v1/reports/funnel?steps[]=${cart}&steps[]=${buy}&window=1h&${query(may)}`);
  expect(report.json()).toEqual(plain.json());
  expectError(await under.read.get(`/v1/funnels/${id}/report?from=never`), 400, 'invalid_request', 'from');
  await remove(id);
});
