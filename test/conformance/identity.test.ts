// Anonymous history that joins its user: through the API alone, while the service works on it (docs/api/people.md, Identity).
import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type Answer, type EventAnswer, expectError, expectJson, query} from '../support/http.js';
import {scrape} from '../support/metrics.js';
import {reportCovering, until} from '../support/reports.js';
import {freshId, ServiceUnderTest, useService} from './service-under-test.js';

const program = fileURLToPath(new URL('../../dist/service/cli/relink.js', import.meta.url));
const day = '2024-05-06';
const at = (minute: number): string => `${day}T12:${String(minute).padStart(2, '0')}:00.000Z`;

interface Profile {
  readonly anonymous_ids?: readonly string[];
  readonly traits: Record<string, unknown>;
  readonly created_at: string;
  readonly events: readonly (EventAnswer & {joined?: true})[];
}

const under = useService();

const profileAnswer = (userId: string): Promise<Answer> => under.read.get(`/v1/user?${query({userId})}`);

/** Once it has so many events. */
async function profileWith(userId: string, events: number): Promise<Profile> {
  const answer = await until(
    () => profileAnswer(userId),
    (asked) => asked.status === 200 && asked.json<Profile>().events.length === events,
    `the profile has ${events} events`,
  );
  return answer.json<Profile>();
}

const namesOf = ({events}: Profile): string[] => events.map(({event}) => event);

async function expectLinked(anonymousId: string, userId: string): Promise<void> {
  for (const answer of [
    await under.read.get(`/v1/user?${query({anonymousId})}`),
    await under.read.get(`/v1/users/${anonymousId}?kind=anonymous`),
    await under.read.get(`/v1/events?${query({anonymousId})}`),
    await under.read.delete(`/v1/user?${query({anonymousId})}`),
  ]) {
    expect(answer.status, answer.text).toBe(404);
    expect(answer.json()).toMatchObject({error: {code: 'user_not_found'}, linked_to: userId});
  }
}

test('visit, sign-up, purchase: a funnel counts people, and no report misses an event or counts one twice', async () => {
  const names = ['visit', 'sign-up', 'purchase'].map((name) => freshId(name)) as [string, string, string];
  const [visit, signUp, purchase] = names;
  const [visitors, users, buyers] = [60, 25, 12];
  const person = freshId('person');
  const device = (n: number): string => `${person}-device-${n}`;
  const visits = Array.from({length: visitors}, (_, n) => ({event: visit, anonymousId: device(n), timestamp: at(1)}));
  await under.trackAll(visits);
  const range = {from: day, to: day};
  const funnel = new URLSearchParams([
    ...names.map((name): [string, string] => ['steps[]', name]),
    ...Object.entries(range),
  ]);
  const counts = `/v1/reports/events?${query({...range, event: visit, interval: 'day'})}`;
  expect((await reportCovering(under.read, counts, under.positions)).json()).toMatchObject({total: visitors});
  await under.trackAll(
    Array.from({length: users}, (_, n) => ({
      event: signUp,
      userId: `${person}-${n}`,
      anonymousId: device(n),
      timestamp: at(2),
    })),
  );
  await under.trackAll(
    Array.from({length: buyers}, (_, n) => ({event: purchase, userId: `${person}-${n}`, timestamp: at(3)})),
  );
  const totals = new Set<number>();
  await until(
    async () => {
      totals.add((await under.read.get(counts)).json<{total: number}>().total);
      return reportCovering(under.read, `/v1/reports/funnel?${funnel}`, under.positions);
    },
    (report) =>
      report
        .json<{steps: {count: number}[]}>()
        .steps.map(({count}) => count)
        .join() === [visitors, users, buyers].join(),
    'the funnel counts people',
  );
  expect([...totals]).toEqual([visitors]);
  expect((await under.history({event: visit, limit: 1_000})).data).toHaveLength(visitors);
  const metrics = await scrape(under.service.baseUrl);
  expect(metrics.sum('millrace_links_total')).toBeGreaterThanOrEqual(users);
});

test('a profile and its history have what came before the log-in, as it was sent', async () => {
  const [userId, anonymousId, other] = [freshId(), freshId('device'), freshId('device')];
  await under.track({event: 'first', anonymousId, timestamp: at(1), properties: {n: 1}, messageId: 'm'});
  const [before] = (await under.history({anonymousId})).data;
  await under.track({event: 'elsewhere', anonymousId: other, timestamp: at(2)});
  await under.track({event: 'log-in', userId, anonymousId, timestamp: at(3)});
  await expectLinked(anonymousId, userId);
  const answer = await under.write.post('/v1/users/identify', {userId, anonymousId: other, traits: {plan: 'pro'}});
  expectJson(answer, 200);
  await expectLinked(other, userId);
  const profile = await profileWith(userId, 3);
  expect(namesOf(profile)).toEqual(['log-in', 'elsewhere', 'first']);
  expect(profile).toMatchObject({traits: {plan: 'pro'}, created_at: at(1)});
  expect([...profile.anonymous_ids!].sort()).toEqual([anonymousId, other].sort());
  expect(profile.events[2]).toEqual({...before, userId, joined: true});
  expect(profile.events[0]).not.toHaveProperty('joined');
  expect((await under.eventsOf(userId)).map(({event}) => event)).toEqual(namesOf(profile));
  // The same event again, with both ids: its messageId is known.
  await under.track({event: 'first', userId, anonymousId, timestamp: at(1), properties: {n: 1}, messageId: 'm'});
  expect(await under.eventsOf(userId)).toHaveLength(3);
});

describe('a deletion', () => {
  interface Receipt {
    readonly id: string;
    readonly status: string;
    readonly events_deleted: number;
    readonly verified: readonly string[];
  }

  async function erased(userId: string): Promise<Receipt> {
    const answer = await under.read.delete(`/v1/user?${query({userId})}`);
    expect([200, 202], answer.text).toContain(answer.status);
    const {id} = answer.json<{deletion: Receipt}>().deletion;
    const receipt = await until(
      () => under.read.get(`/v1/deletion?${query({id})}`),
      (asked) => asked.json<{deletion: Receipt}>().deletion.status === 'completed',
      'the deletion is completed',
    );
    return receipt.json<{deletion: Receipt}>().deletion;
  }

  test('takes what was joined along, also what is on its way; the ids begin anew', async () => {
    const [userId, event] = [freshId(), freshId('event')];
    const devices = Array.from({length: 5}, () => freshId('device'));
    for (const anonymousId of devices) await under.track({event, anonymousId, timestamp: at(1)});
    for (const anonymousId of devices) await under.track({event, userId, anonymousId, timestamp: at(2)});
    const receipt = await erased(userId);
    expect(receipt.events_deleted).toBe(10);
    expect(receipt.verified.length).toBeGreaterThan(0);
    expectError(await profileAnswer(userId), 404, 'user_not_found');
    expect((await under.history({event})).data).toEqual([]);
    const again = await under.read.delete(`/v1/user?${query({userId})}`);
    expect(again.status).toBe(404);
    expect(again.json()).toMatchObject({deletion: {id: receipt.id, events_deleted: 10}});
    // Nothing links the device any more, and the same pair links it anew.
    const [anonymousId] = devices as [string];
    await under.track({event, anonymousId, timestamp: at(3)});
    expect((await under.history({anonymousId})).data).toHaveLength(1);
    await under.track({event, userId, anonymousId, timestamp: at(4)});
    await expectLinked(anonymousId, userId);
    expect(await profileWith(userId, 2)).toMatchObject({anonymous_ids: [anonymousId]});
  });
});

describe('with IDENTITY_JOIN=off', () => {
  const off = new ServiceUnderTest({IDENTITY_JOIN: 'off'});
  beforeAll(() => off.start());
  afterAll(() => off.stop());

  test('relink joins what was stored so, once it is on', async () => {
    const [ada, bob, gone, shared, own] = [freshId(), freshId(), freshId(), freshId('device'), freshId('device')];
    await off.track({event: 'visit', anonymousId: own, timestamp: at(1)});
    await off.track({event: 'log-in', userId: ada, anonymousId: own, timestamp: at(2)});
    await off.track({event: 'visit', anonymousId: shared, timestamp: at(1)});
    // The later one of two users was stored first.
    await off.track({event: 'log-in', userId: bob, anonymousId: shared, timestamp: at(4)});
    await off.track({event: 'log-in', userId: ada, anonymousId: shared, timestamp: at(3)});
    expect(await relink()).toMatchObject({code: 1, err: expect.stringMatching(/IDENTITY_JOIN is off/)});
    expect(await relink('--check')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d events are read\. .* 3 pairs/),
    });
    await off.restart('stop', {IDENTITY_JOIN: 'on'});
    expect(await relink('--from', day, '--to', day)).toEqual({
      code: 0,
      out: '5 events are read. Of 3 pairs of a userId and an anonymousId 3 are linked.\n',
      err: '',
    });
    const eventsOf = async (userId: string): Promise<string[]> => (await off.eventsOf(userId)).map(({event}) => event);
    await until(
      () => Promise.all([ada, bob].map(eventsOf)),
      (events) =>
        JSON.stringify(events) ===
        JSON.stringify([
          ['log-in', 'log-in', 'visit'],
          ['log-in', 'visit'],
        ]),
      'each has its own history',
    );
    expect((await off.read.get(`/v1/user?${query({userId: ada})}`)).json()).toMatchObject({anonymous_ids: [own]});
    const links = [{userId: gone, anonymousId: own}];
    expect((await off.admin.post('/admin/v1/links', {links})).json()).toEqual({stored: 0, unknown: 1});
    for (const body of [{}, {links: [{userId: ada}]}, {links: [{userId: ada, anonymousId: '..'}]}])
      expect((await off.admin.post('/admin/v1/links', body)).status).toBe(400);
  });

  const relink = (...words: string[]): Promise<{code: number; out: string; err: string}> =>
    new Promise((resolve) => {
      const env = {PATH: process.env.PATH, DATA_DIR: off.service.dataDir};
      execFile(process.execPath, [program, ...words], {env}, (error, out, err) => {
        resolve({code: error === null ? 0 : Number(error.code), out, err});
      });
    });
});
