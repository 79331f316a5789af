// SIGTERM under load: whatever was answered 200 is there after the next start, and nothing hangs.
import {expect, test} from 'vitest';
import {Client, query} from '../support/http.js';
import {type Service, startService} from '../support/service.js';
import {until} from '../support/until.js';

/** Sends events one after the other until the service is gone. @returns the numbers of those that were answered 200. */
async function sendUntilGone(service: Service, sender: number, counts: {sent: number}): Promise<string[]> {
  const client = new Client(service.baseUrl, service.writeKey);
  const stored: string[] = [];
  for (let i = 0; ; i++) {
    const event = `${sender}-${i}`;
    try {
      const answer = await client.post('/v1/events', {event, userId: 'drained'});
      if (answer.status === 200) stored.push(event);
      counts.sent += 1;
    } catch {
      return stored; // Refused or closed: the service is going.
    }
  }
}

test('a stop answers what came in, and loses nothing that was answered', async () => {
  const service = await startService();
  const counts = {sent: 0};
  const senders = Array.from({length: 8}, (_, sender) => sendUntilGone(service, sender, counts));
  await until('the senders are at work', () => counts.sent > 200);
  expect(await service.stop()).toBe(0);
  const stored = (await Promise.all(senders)).flat();

  const again = await startService({dataDir: service.dataDir});
  const reader = new Client(again.baseUrl, again.secretKey);
  const found = new Set<string>();
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const answer = await reader.get(`/v1/events?${query({userId: 'drained', limit: 1_000, cursor})}`);
    const page = answer.json<{data: {event: string}[]; next_cursor: string | null}>();
    for (const {event} of page.data) found.add(event);
    cursor = page.next_cursor;
  }
  expect(stored.filter((event) => !found.has(event))).toEqual([]);
  expect(await again.stop()).toBe(0);
});
