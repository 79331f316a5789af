// DELETE /v1/user and /v1/users/:id: gone from every answer, live and published, and still gone after a restart.

import {describe, expect, test} from 'vitest';
import {type Answer, expectError, expectJson, query, userPath} from '../support/http.js';
import {reportCovering, until} from '../support/reports.js';
import {freshId, useSharedService} from './service-under-test.js';

const under = useSharedService();

interface Deletion {
  readonly id: string;
  readonly status: 'pending' | 'completed';
  readonly log_position: string;
  readonly events_deleted: number;
  readonly completed_at: string | null;
  readonly verified: unknown;
}

const deletionFields = ['completed_at', 'events_deleted', 'id', 'log_position', 'named_by', 'status', 'verified'];

const erase = (id: string): Promise<Deletion> => erased(id, userPath(id), '/v1/deletions/');

const eraseByQuery = (name: 'userId' | 'anonymousId', id: string): Promise<Deletion> =>
  erased(id, `/v1/user?${query({[name]: id})}`, '/v1/deletion?id=');

/** Deletes, and waits where the answer is a 202. */
async function erased(id: string, path: string, receipts: string): Promise<Deletion> {
  const answer = await under.read.delete(path);
  expect([200, 202], answer.text).toContain(answer.status);
  const body = answer.json<{status: string; id: string; deletion: Deletion}>();
  expect(Object.keys(body).sort()).toEqual(['deletion', 'id', 'status']);
  expect([body.id, body.status]).toEqual([id, answer.status === 200 ? 'deleted' : 'pending']);
  expect(Object.keys(body.deletion).sort()).toEqual(deletionFields);
  if (answer.status === 202) expect(answer.headers.location).toBe(`${receipts}${body.deletion.id}`);
  const completed = await until(
    () => deletion(body.deletion.id),
    (state) => state.status === 'completed',
    'the deletion completes',
  );
  under.positions.add(completed.log_position);
  return completed;
}

async function deletion(id: string): Promise<Deletion> {
  const answer = await under.read.get(`/v1/deletions/${id}`);
  expectJson(answer, 200);
  const body = answer.json<{deletion: Deletion}>();
  expect(Object.keys(body)).toEqual(['deletion']);
  expect(Object.keys(body.deletion).sort()).toEqual(deletionFields);
  expect((await under.read.get(`/v1/deletion?id=${id}`)).json<{deletion: Deletion}>().deletion.id).toBe(id);
  return body.deletion;
}

async function reportTotals(event: string): Promise<number[]> {
  const range = {from: '2024-01-01', to: '2024-01-31'};
  const paths = [
    `/v1/reports/events?${query({event, ...range})}`,
    `/v1/reports/events?${query({event, ...range, filter: 'plan=pro'})}`,
    `/v1/reports/funnel?${query({'steps[]': [event], ...range})}`,
  ];
  const answers = await Promise.all(paths.map((path) => reportCovering(under.read, path, under.positions)));
  return answers.map((answer) => answer.json<{total: number}>().total);
}

async function activeOn(date: string): Promise<number> {
  const path = `/v1/reports/users?${query({from: date, to: date})}`;
  return (await reportCovering(under.read, path, under.positions)).json<{total: number}>().total;
}

test('a completed deletion: the receipt, and no trace in any answer, also after a kill', async () => {
  const [gone, stays, event] = [freshId(), freshId(), freshId('event')];
  const date = '2024-01-11';
  for (const userId of [gone, stays]) {
    await under.identify(userId, {email: `${userId}@example.org`});
    for (const messageId of ['1', '2', '3']) {
      await under.track({event, userId, messageId, timestamp: date, properties: {plan: 'pro'}});
    }
  }
  const activeBefore = await activeOn(date);
  expect(await reportTotals(event)).toEqual([6, 6, 2]);

  const before = Date.now();
  const receipt = await erase(gone);
  expect(receipt).toMatchObject({status: 'completed', events_deleted: 3});
  expect(receipt.log_position).toMatch(/^\d+:\d+\.\d+$/);
  expect(receipt.verified).not.toBeNull();
  expect(Date.parse(receipt.completed_at!)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(receipt.completed_at!)).toBeLessThanOrEqual(Date.now());

  const checkGone = async (): Promise<void> => {
    expect((await under.read.get(userPath(gone))).status).toBe(404);
    expect(await under.eventsOf(gone)).toEqual([]);
    expect((await under.history({event, limit: 1_000})).data.map((one) => one.userId)).toEqual([stays, stays, stays]);
    expect(await reportTotals(event)).toEqual([3, 3, 1]);
    expect(await activeOn(date)).toBe(activeBefore - 1);
    expect((await under.read.get(userPath(stays))).json()).toMatchObject({traits: {email: `${stays}@example.org`}});
    expect(await deletion(receipt.id)).toEqual(receipt);
  };
  await checkGone();
  await under.restart('kill');
  await checkGone();
});

test('a deletion is completed when it is answered', async () => {
  // What takes longer than 5 s, as it may on a busy machine, is answered before.
  const deleteOne = async (): Promise<number> => {
    const userId = freshId();
    await under.track({event: 'seen', userId});
    return (await under.read.delete(userPath(userId))).status;
  };
  await until(deleteOne, (status) => status === 200, 'a deletion is answered as completed');
});

test('once it is answered as completed, the published reports are free of the user', async () => {
  const [userId, event] = [freshId(), freshId('event')];
  await under.track({event, userId, timestamp: '2024-01-12'});
  expect(await reportTotals(event)).toEqual([1, 0, 1]);
  const path = `/v1/reports/events?${query({event, from: '2024-01-12', to: '2024-01-12'})}`;
  const before = await under.read.get(path);
  expect(before.json()).toMatchObject({total: 1});
  await erase(userId);
  expect((await under.read.get(path)).json()).toMatchObject({total: 0});
  const earlier = await under.read.get(`${path}&at=${String(before.headers['report-log-position'])}`);
  expectError(earlier, 410, 'snapshot_gone', 'at');
});

test('the receipt never names the user', async () => {
  const userId = freshId('secret-name');
  await under.track({event: 'seen', userId});
  const {id} = await erase(userId);
  expect((await under.read.get(`/v1/deletions/${id}`)).text).not.toContain(userId);
  expect(id).not.toContain(userId);
});

describe('the user that a query names', () => {
  test.each(['org/1', 'a//b', 'a\\b', 'a b+c%2F', '?x=1&y#z', 'é/😀'])(
    '%s is read and erased, and nobody else',
    async (text) => {
      const id = `${freshId()}/${text}`;
      const others = [[...id].slice(0, -1).join(''), id.toUpperCase(), encodeURIComponent(id)].filter(
        (other) => other !== id,
      );
      const event = freshId('event');
      for (const userId of [id, ...others]) await under.track({event, userId});
      await under.track({event, anonymousId: id});
      const {read} = under;
      const found = await read.get(`/v1/user?${query({userId: id})}`);
      expect(found.json()).toMatchObject({id, events: [{userId: id}]});
      expect((await eraseByQuery('userId', id)).events_deleted).toBe(1);
      expectError(await read.get(`/v1/user?${query({userId: id})}`), 404, 'user_not_found');
      const left = (await under.history({event})).data.map((one) => one.userId ?? one.anonymousId);
      expect(left.sort()).toEqual([id, ...others].sort());
      expect((await read.get(`/v1/user?${query({anonymousId: id})}`)).json()).toMatchObject({
        events: [{anonymousId: id}],
      });
      expect((await eraseByQuery('anonymousId', id)).events_deleted).toBe(1);
    },
  );
});

test('unknown deletions are not_found; asking needs a secret key', async () => {
  for (const id of [
    'del_1',
    'x',
    'del_0_00000000000000000000000000000000',
    'del_99_00000000000000000000000000000000',
    '%2E%2E',
  ]) {
    expectError(await under.read.get(`/v1/deletions/${id}`), 404, 'not_found');
    expectError(await under.read.get(`/v1/deletion?id=${id}`), 404, 'not_found');
  }
  expectError(await under.write.get('/v1/deletions/del_1'), 403, 'insufficient_permissions');
  expectError(await under.nobody.get('/v1/deletions/del_1'), 401, 'missing_key');
});

test('the name spaces are apart: each deletion leaves the other user of the same text', async () => {
  const id = freshId();
  await under.track({event: 'known', userId: id});
  await under.track({event: 'anonymous', anonymousId: id});
  expect((await erase(id)).events_deleted).toBe(1);
  expect((await under.history({anonymousId: id})).data).toMatchObject([{event: 'anonymous'}]);
  await under.track({event: 'known', userId: id});
  expect((await erased(id, `${userPath(id)}?kind=anonymous`, '/v1/deletions/')).events_deleted).toBe(1);
  expect((await under.history({anonymousId: id})).data).toEqual([]);
  expect(await under.eventsOf(id)).toMatchObject([{event: 'known'}]);
  const again: Answer = await under.read.delete(`${userPath(id)}?kind=anonymous`);
  expect(again.status).toBe(404);
});

test('many deletions at once complete, each with its own count', async () => {
  const users = Array.from({length: 12}, (_, at) => ({id: freshId(), count: at + 1}));
  await under.trackAll(
    users.flatMap(({id, count}) => Array.from({length: count}, () => ({event: 'seen', userId: id}))),
  );
  const receipts = await Promise.all(users.map(({id}) => erase(id)));
  expect(receipts.map((receipt) => receipt.events_deleted)).toEqual(users.map(({count}) => count));
  for (const {id} of users) expect(await under.eventsOf(id)).toEqual([]);
});
