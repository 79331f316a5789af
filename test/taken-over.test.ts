// Two processes that fold on one NATS: the second one takes the partitions over, and the first one ends in a way of its own.
import {expect, test} from 'vitest';
import {Client, expectJson} from './support/http.js';
import {startTestNats} from './support/nats.js';
import {startService, testSecretKey, testWriteKey} from './support/service.js';
import {until} from './support/until.js';

test('a process whose partitions were taken over says so in one line and ends with 3; nothing is lost', async () => {
  const nats = await startTestNats(1);
  const {servers, token} = nats.nats.address;
  const env = {NATS_URL: [servers].flat().join(','), NATS_TOKEN: token!, PARTITIONS: '1'};
  const first = await startService({env});
  const event = {event: 'signup', userId: 'ada'};
  expectJson(await new Client(first.baseUrl, testWriteKey).post('/v1/events', event), 200);
  const second = await startService({env});
  await until('the first one ends', () => first.logs().includes('another owner wrote the manifest'));
  expect(await first.stop()).toBe(3);
  expect(first.logs().match(/another owner wrote the manifest/g)).toHaveLength(1);
  expect(first.logs()).not.toMatch(/ {4}at /);
  const profile = await new Client(second.baseUrl, testSecretKey).get('/v1/users/ada');
  expectJson(profile, 200);
  expect(profile.json<{events: unknown[]}>().events).toHaveLength(1);
  expect(await second.stop()).toBe(0);
  await nats.stop();
});
