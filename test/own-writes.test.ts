// Who was answered 200 sees that write in the next live read: also where the log is not asked what was acked, and whatever
// becomes of nats-server meanwhile.

import {setTimeout as pause} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {Client, type HistoryAnswer, type ProfileBody, userPath} from './support/http.js';
import {hasOwnNats, natsServerPid, startService} from './support/service.js';
import {until} from './support/until.js';

const writers = 8;
const kills = 2;
const readsBetweenKills = 100;

test.skipIf(!hasOwnNats)('a write is in the next live read, also while nats-server is killed', async () => {
  const service = await startService({
    env: {RATE_LIMIT_READS_PER_MINUTE: '0', RATE_LIMIT_EVENTS_PER_SECOND: '0'},
  });
  const writer = new Client(service.baseUrl, service.writeKey);
  const reader = new Client(service.baseUrl, service.secretKey);
  let isOver = false;
  let seen = 0;
  const unseen: string[] = [];

  const isSeen = async (userId: string, n: number): Promise<boolean | undefined> => {
    const answer = await reader.get(n % 2 === 0 ? userPath(userId) : `/v1/events?userId=${userId}`);
    if (answer.status === 503) return undefined;
    if (answer.status === 404) return false;
    expect(answer.status, answer.text).toBe(200);
    const events = n % 2 === 0 ? answer.json<ProfileBody>().events : answer.json<HistoryAnswer>().data;
    return events.map(({properties}) => properties.n).join() === String(n);
  };
  const writeAndRead = async (number: number): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const userId = `own-${number}-${n}`;
      const written = await writer.post('/v1/events', {event: 'written', userId, properties: {n}});
      const found = written.status === 200 ? await isSeen(userId, n) : undefined;
      if (found === false) unseen.push(userId);
      if (found === undefined) await pause(20);
      else seen += 1;
    }
  };
  const writing = Promise.all(Array.from({length: writers}, (_, number) => writeAndRead(number)));
  const readMore = async (): Promise<void> => {
    const before = seen;
    await until('more was written and read', () => seen >= before + readsBetweenKills);
  };
  for (let kill = 0; kill < kills; kill++) {
    await readMore();
    const pid = natsServerPid(service)!;
    process.kill(pid, 'SIGKILL');
    await until('another server runs', () => ![undefined, pid].includes(natsServerPid(service)));
  }
  await readMore();
  isOver = true;
  await writing;
  expect(unseen).toEqual([]);
  expect(await service.stop()).toBe(0);
});
