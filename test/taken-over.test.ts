// A process that is paused for so long that another one owns its partitions, cuts their logs and cleans up. One that was not paused is
// fenced in test/partition/partition-role.test.ts; who owns what is in test/owners.test.ts.
import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {halt} from './support/halt.js';
import {Client, expectJson} from './support/http.js';
import {startTestNats} from './support/nats.js';
import {type Service, startService, testSecretKey, testWriteKey} from './support/service.js';
import {until} from './support/until.js';

/** What a process answers to the secret key; undefined while it does not. */
async function answerOf({baseUrl}: Service, path: string): Promise<{status: number; data: unknown[]} | undefined> {
  try {
    const {status, text} = await new Client(baseUrl, testSecretKey).get(path);
    return {status, data: JSON.parse(text).data ?? []};
  } catch {
    return undefined;
  }
}

test('a process that was paused while it was taken over answers nothing wrong, calls nothing lost, and goes on as another member', async () => {
  const nats = await startTestNats(1);
  const {servers, token} = nats.nats.address;
  const env = {NATS_URL: [servers].flat().join(','), NATS_TOKEN: token!, PARTITIONS: '1'};
  const paused = await startService({env: {...env, REPORT_REFRESH_SECONDS: '300'}});
  await halt(paused.pid);
  const second = await startService({env});
  const [writer, reader] = [new Client(second.baseUrl, testWriteKey), new Client(second.baseUrl, testSecretKey)];
  const send = async (count: number): Promise<void> => {
    const events = Array.from({length: count}, () => ({event: 'signup', userId: 'ada'}));
    expectJson(await writer.post('/v1/events/batch', {events}), 200);
  };
  expectJson(await writer.post('/v1/events', {event: 'signup', userId: 'bob'}), 200);
  // The successor deletes somebody, and so cuts the log, before it is given the last events: what is left has 8 of 28.
  await send(20);
  await until('there is a receipt', async () => {
    const {deletion} = (await reader.delete('/v1/users/bob')).json<{deletion?: {status: string}}>();
    return deletion?.status === 'completed';
  });
  await send(8);
  process.kill(paused.pid, 'SIGCONT');
  const answers: unknown[] = [];
  await until('it has been another member for some answers', async () => {
    const isOther = paused.logs().includes('membership_lost');
    const answer = await answerOf(paused, '/v1/events?userId=ada');
    if (answer?.status === 200) answers.push(answer.data.length);
    return isOther && answer?.status === 200;
  });
  expect(answers.filter((count) => count !== 28)).toEqual([]);
  const alarms = paused
    .logs()
    .split('\n')
    .filter((line) => line.includes('alarm'));
  expect(alarms).toEqual([expect.stringContaining('membership_lost')]);
  expect(paused.logs()).not.toMatch(/ {4}at /);
  expect(paused.logs()).not.toMatch(/lost messages|skipped a number/);
  const journals = [paused, second].map(({dataDir}) => readFileSync(`${dataDir}-deletions/partition-0.ndjson`, 'utf8'));
  expect(journals[0]).toMatch(/"id":"del_0_/);
  expect(journals[0]).toBe(journals[1]);
  expect(await paused.stop()).toBe(0);
  expect((await answerOf(second, '/v1/events?userId=ada'))?.data).toHaveLength(28);
  expect(await second.stop()).toBe(0);
  await nats.stop();
});
