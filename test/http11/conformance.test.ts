// Bytes on a socket that client libraries never send: each ends in one defined answer or a close, and harms nobody.
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {Client, type HistoryAnswer} from '../support/http.js';
import {type Service, startService, withoutNativeHttp} from '../support/service.js';
import {transports} from '../support/transports.js';
import type {Case} from './case.js';
import {chunkCases} from './chunk-cases.js';
import {framingCases} from './framing-cases.js';
import {headCases} from './head-cases.js';
import {isRefusedAlike, isRefusedEarly, overNode} from './node-differences.js';
import {type RawAnswer, RawConnection} from './raw-connection.js';
import {smugglingCases} from './smuggling-cases.js';
import {event, get, userId} from './wire.js';

// Set by `npm run test:http11`: waits until the service has closed what waits for more bytes.
const playsDeadlines = process.env.HTTP11_DEADLINES !== undefined;
// The deadlines are 10 s for heads and 30 s for bodies (docs/api/limits.md); the rest is a busy machine.
const deadlineMsMax = 40_000;
const headBytesMax = 32 * 1024;

const tables = {framing: framingCases, chunks: chunkCases, heads: headCases, smuggling: smugglingCases};

const servers = [
  {server: 'uWebSockets.js', env: {}, caseOf: (one: Case): Case => one},
  {server: 'node:http', env: withoutNativeHttp, caseOf: overNode},
].filter(({server}) => transports.some(({name}) => name === server));

describe.each(servers)('over $server', ({server, env, caseOf}) => {
  const tablesHere = Object.entries(tables).map(([name, cases]) => [name, cases.map(caseOf)] as const);
  const all = tablesHere.flatMap(([, cases]) => cases);
  let service: Service;

  beforeAll(async () => {
    service = await startService({env});
  });

  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  async function send({name, bytes}: Case): Promise<RawConnection> {
    const connection = await RawConnection.open(service.baseUrl);
    void connection.write(bytes(event(name)));
    return connection;
  }

  async function play(one: Case): Promise<void> {
    const connection = await send(one);
    if (one.ending === 'closed') expect(await connection.untilClosed(), 'the service closes').toBe(true);
    else await connection.untilAnswers(one.answers.length);
    const statuses = statusesOf(connection.answers());
    if (server === 'node:http' && isRefusedAlike(one, statuses)) return;
    if (statuses.length > 0 || !mayLoseAnswer(one)) expect(statuses).toEqual(one.answers);
    if (one.ending === 'kept') await expectNextRequest(connection, one.answers.length);
    connection.destroy();
  }

  const statusesOf = (answers: readonly RawAnswer[]): number[] => answers.map(({status}) => status);

  /** Closing a connection while bytes are unread resets it, and the answer may go down with it: the kernel's doing. */
  const mayLoseAnswer = ({name, bytes, ending}: Case): boolean =>
    ending === 'closed' && bytes(event(name)).length > headBytesMax;

  /** The connection is where a strict reader thinks it is: the next request on it gets its own answer. */
  async function expectNextRequest(connection: RawConnection, answered: number): Promise<void> {
    await connection.write(get('/healthz'));
    const next = (await connection.untilAnswers(answered + 1))[answered] as RawAnswer;
    expect([next?.status, next?.body]).toEqual([200, expect.stringContaining('durability')]);
  }

  async function expectAlive(): Promise<void> {
    const connection = await RawConnection.open(service.baseUrl);
    await expectNextRequest(connection, 0);
    connection.destroy();
  }

  describe.each(tablesHere)('%s', (_table, cases) => {
    test.each(cases.filter(({ending}) => ending !== 'waits'))('$name', async (one) => {
      await play(one);
      await expectAlive();
    });
  });

  test('names are unique: they tell whose event is stored', () => {
    expect(new Set(all.map(({name}) => name)).size).toBe(all.length);
  });

  test('requests that never end hold up nobody, and are closed within the deadlines', async () => {
    const waiting = await Promise.all(
      all.filter(({ending}) => ending === 'waits').map(async (one) => ({...one, connection: await send(one)})),
    );
    await expectAlive();
    for (const one of waiting) {
      const statuses = statusesOf(await one.connection.untilAnswers(one.answers.length));
      if (!(server === 'node:http' && isRefusedEarly(one, statuses))) expect(statuses, one.name).toEqual(one.answers);
      if (!playsDeadlines) one.connection.destroy();
    }
    for (const {name, answers, isLateBody, connection} of playsDeadlines ? waiting : []) {
      expect(await connection.untilClosed(deadlineMsMax), name).toBe(true);
      const told = [...answers, 408];
      expect(isLateBody ? [told] : [answers, told], name).toContainEqual(statusesOf(connection.answers()));
    }
    await expectAlive();
  });

  test('what is stored is what was answered 200, once each, and nothing that was smuggled', async () => {
    const reader = new Client(service.baseUrl, service.secretKey);
    const answer = await reader.get(`/v1/events?userId=${userId}&limit=1000`);
    const counts = new Map<string, number>();
    for (const {event: name} of answer.json<HistoryAnswer>().data) counts.set(name, (counts.get(name) ?? 0) + 1);
    const expected = all.filter(({stored}) => stored > 0).map(({name, stored}) => [name, stored] as const);
    expect([...counts].sort()).toEqual([...expected].sort());
  });
});
