// nats-server is stopped (SIGSTOP): its connections stay open, and nothing comes over them. Everything is refused at once as
// soon as the silence is noticed, what waited ends, and all goes on when it does.

import {afterAll, expect, test} from 'vitest';
import {halt} from './support/halt.js';
import {Client, expectError, expectJson, userPath} from './support/http.js';
import {hasOwnNats, natsServerPid, type Service, startService} from './support/service.js';
import {until} from './support/until.js';

let service: Service | undefined;
let stoppedPid: number | undefined;

afterAll(async () => {
  if (stoppedPid !== undefined) process.kill(stoppedPid, 'SIGCONT');
  if (service !== undefined) expect(await service.stop()).toBe(0);
});

const reads = [
  userPath('ada'),
  '/v1/events?userId=ada',
  '/v1/deletions/del_0_00000000000000000000000000000000',
  '/v1/reports/events?event=seen&from=2026-01-01&to=2026-01-02',
];
const found = [200, 200, 404, 200];

test.skipIf(!hasOwnNats)('a silent log: 503 at once when it is noticed, and back at once', async () => {
  service = await startService();
  const {baseUrl, writeKey, secretKey} = service;
  const [write, read, nobody] = [new Client(baseUrl, writeKey), new Client(baseUrl, secretKey), new Client(baseUrl)];
  const event = {event: 'seen', userId: 'ada', messageId: 'm1'};
  expectJson(await write.post('/v1/events', event), 200);
  stoppedPid = natsServerPid(service)!;
  await halt(stoppedPid);

  const stoppedMs = performance.now();
  const inFlight = write.post('/v1/events', {...event, messageId: 'm2'});
  // Nothing newer can be acked or published meanwhile: until the silence is noticed a read may have all that it needs.
  const early = await Promise.all(reads.map((path) => read.get(path)));
  for (const [i, answer] of early.entries()) expect([found[i], 503], answer.text).toContain(answer.status);
  // A profile that needs the log would wait for 15 s, a report for 60 s; the rest is a busy machine.
  expect(performance.now() - stoppedMs).toBeLessThan(14_000);

  const alarms = (): string[] =>
    service!
      .logs()
      .split('\n')
      .filter((line) => line.includes('NATS is unreachable'));
  // The connection to the log has a pulse of its own.
  await until('both connections are silent', () => alarms().length === 2);
  const noticedMs = performance.now();
  const refusedReads = await Promise.all([...reads.map((path) => read.get(path)), read.delete(userPath('ada'))]);
  expect(performance.now() - noticedMs).toBeLessThan(14_000);
  // Not tried at all: who tries says that it may be stored.
  const refusedWrites = await Promise.all([
    write.post('/v1/events', {...event, messageId: 'm3'}),
    write.post('/v1/events/batch', {events: [event]}),
    write.post('/v1/users/identify', {userId: 'ada', traits: {}}),
  ]);
  for (const {text} of refusedWrites) expect(text).toContain('the log is unreachable: nothing was stored');
  const admin = new Client(baseUrl, service.adminToken);
  const keyChanges = [
    await admin.post('/admin/v1/keys', {kind: 'write', name: 'late'}),
    await admin.delete('/admin/v1/keys/key_1'),
  ];
  for (const answer of keyChanges) expect(answer.text).toContain('nothing was changed');
  for (const answer of [...refusedReads, ...refusedWrites, ...keyChanges]) {
    expectError(answer, 503, 'unavailable');
    expect(answer.headers['retry-after']).toBe('1');
  }
  const notReady = await nobody.get('/readyz');
  expect(notReady.status).toBe(503);
  expect(notReady.json<{reasons: string[]}>().reasons).toContain('NATS does not answer');
  // Its publish is under way: it is tried until it is given up, with the same bytes.
  const unknown = await inFlight;
  expectError(unknown, 503, 'unavailable');
  expect(unknown.text).toContain('may or may not be stored');

  process.kill(stoppedPid, 'SIGCONT');
  stoppedPid = undefined;
  await until(
    'writes are taken',
    async () => (await write.post('/v1/events', {...event, messageId: 'm2'})).status === 200,
  );
  await until('it is ready', async () => (await nobody.get('/readyz')).status === 200);
  expect((await admin.get('/admin/v1/keys')).text).not.toContain('late');
  const profile = (await read.get(userPath('ada'))).json<{events: {messageId: string}[]}>();
  expect(profile.events.map(({messageId}) => messageId).sort()).toEqual(['m1', 'm2']);
  expect(alarms()).toHaveLength(2);
});
