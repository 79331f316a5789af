// What happens to connections: requests in pieces, requests behind each other, and clients that leave at any byte.
import {setImmediate as nextTurn} from 'node:timers/promises';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {Client, type HistoryAnswer, query} from '../support/http.js';
import {type Service, startService} from '../support/service.js';
import {RawConnection} from './raw-connection.js';
import {chunk, chunked, event, get, goodPost, lastChunk, message, post, slowGet, userId} from './wire.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const open = (): Promise<RawConnection> => RawConnection.open(service.baseUrl);

async function expectAlive(): Promise<void> {
  const connection = await open();
  await connection.write(get('/healthz'));
  expect((await connection.untilAnswers(1)).map(({status}) => status)).toEqual([200]);
  connection.destroy();
}

/** How often each event is stored. */
async function storedCounts(prefix: string): Promise<Map<string, number>> {
  const reader = new Client(service.baseUrl, service.secretKey);
  const counts = new Map<string, number>();
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const answer = await reader.get(`/v1/events?${query({userId, limit: 1_000, cursor})}`);
    const page: HistoryAnswer = answer.json();
    for (const {event: name} of page.data) if (name.startsWith(prefix)) counts.set(name, (counts.get(name) ?? 0) + 1);
    cursor = page.next_cursor;
  }
  return counts;
}

const chunkedPost = (body: string): string =>
  post([chunked], chunk(body.slice(0, 9)) + chunk(body.slice(9)) + lastChunk);

describe('one request in pieces', () => {
  const forms = {plain: goodPost, chunked: chunkedPost};

  test.each(Object.entries(forms))('%s: cut in two at any byte, it is read all the same', async (form, bytesOf) => {
    const {length} = bytesOf(event(`${form} cut 000`));
    const names = Array.from({length: length - 1}, (_, i) => `${form} cut ${String(i + 1).padStart(3, '0')}`);
    for (const [i, name] of names.entries()) {
      const bytes = bytesOf(event(name));
      const connection = await open();
      await connection.write(bytes.slice(0, i + 1));
      await nextTurn();
      await connection.write(bytes.slice(i + 1));
      const answers = await connection.untilAnswers(1);
      expect(
        answers.map(({status}) => status),
        name,
      ).toEqual([200]);
      connection.destroy();
    }
    expect(await storedCounts(`${form} cut`)).toEqual(new Map(names.map((name) => [name, 1] as const).reverse()));
  });

  test('a request that comes byte by byte is read all the same, and so is the next one', async () => {
    const connection = await open();
    for (const byte of goodPost(event('dripped'))) await connection.write(byte);
    await connection.untilAnswers(1);
    for (const byte of get('/healthz')) await connection.write(byte);
    expect((await connection.untilAnswers(2)).map(({status}) => status)).toEqual([200, 200]);
    connection.destroy();
    expect(await storedCounts('dripped')).toEqual(new Map([['dripped', 1]]));
  });

  test('HEAD leaves the connection where the next request begins', async () => {
    const connection = await open();
    // The answer to HEAD has a length and no body: it would swallow the one that comes next.
    await connection.write(message(['HEAD /nothing HTTP/1.1', 'Host: x', 'Connection: close']));
    expect(await connection.untilClosed()).toBe(true);
    expect(connection.text()).toMatch(/^HTTP\/1\.1 404 .*\r\n\r\n$/s);
  });
});

test('one connection carries request after request, refused ones too', async () => {
  const connection = await open();
  const untyped = goodPost('{}').replace('Content-Type', 'X-Type');
  const requests = [
    goodPost(event('first')),
    goodPost('{}'),
    untyped,
    get('/nothing'),
    slowGet,
    goodPost(event('last')),
  ];
  for (const [at, bytes] of requests.entries()) {
    await connection.write(bytes);
    await connection.untilAnswers(at + 1);
  }
  expect(connection.answers().map(({status}) => status)).toEqual([200, 400, 415, 404, 200, 200]);
  connection.destroy();
});

describe('a request behind one that is not answered yet', () => {
  const nothing = get('/nothing');
  const refusedPost = goodPost('{}');
  const pipelines: readonly (readonly [string, readonly string[], readonly number[]])[] = [
    ['two reads', [get('/healthz'), nothing], [200, 404]],
    ['a read that takes long and one that does not', [slowGet, nothing], [200, 404]],
    ['a read that does not take long and one that does', [nothing, slowGet], [404, 200]],
    ['two events', [goodPost(event('piped 1a')), goodPost(event('piped 1b'))], [200, 200]],
    ['an event and a read', [goodPost(event('piped 2a')), nothing], [200, 404]],
    ['a read and an event', [nothing, goodPost(event('piped 3b'))], [404, 200]],
    ['a refused event and an event', [refusedPost, goodPost(event('piped 4b'))], [400, 200]],
    ['an event in chunks and an event', [chunkedPost(event('piped 5a')), goodPost(event('piped 5b'))], [200]],
    ['an event and a request that is none', [goodPost(event('piped 6a')), 'no request\r\n\r\n'], [200]],
    ['fifty reads', Array.from({length: 50}, () => get('/healthz')), Array.from({length: 50}, () => 200)],
  ];

  /** Either the connection ends, or an answer is there: each the one to its own request, in their order. */
  async function expectInOrder(connection: RawConnection, statuses: readonly number[]): Promise<void> {
    const answers = await connection.untilAnswers(statuses.length);
    const own = answers.filter(({headers}) => headers.get('content-type')?.startsWith('application/json'));
    expect(statuses.slice(0, own.length)).toEqual(own.map(({status}) => status));
    for (const {status, body} of own) if (status === 404) expect(body).toContain('not_found');
    if (own.length < statuses.length) expect(await connection.untilClosed()).toBe(true);
    connection.destroy();
  }

  test.each(pipelines)('%s in one write: answered in order, or closed', async (_, requests, statuses) => {
    const connection = await open();
    await connection.write(requests.join(''));
    await expectInOrder(connection, statuses);
    await expectAlive();
  });

  test.each(pipelines)('%s one write each: answered in order, or closed', async (_, requests, statuses) => {
    const connection = await open();
    for (const request of requests) {
      await connection.write(request.replaceAll('piped', 'apart'));
      await nextTurn();
    }
    await expectInOrder(connection, statuses);
    await expectAlive();
  });

  test('no event of those is stored twice', async () => {
    for (const prefix of ['piped', 'apart']) {
      for (const [name, count] of await storedCounts(prefix)) expect(`${name}: ${count}`).toBe(`${name}: 1`);
    }
  });
});

describe('a client that leaves at any byte', () => {
  const leave = {
    'with a close': (connection: RawConnection) => connection.destroy(),
    'with a reset': (connection: RawConnection) => connection.reset(),
    'with its half of the connection': (connection: RawConnection) => connection.end(),
  };
  const requests: Record<string, (name: string) => string> = {
    'a read': () => get('/healthz'),
    'a read that takes long': () => slowGet,
    'an event': (name) => goodPost(event(name)),
    'an event in chunks': (name) => chunkedPost(event(name)),
  };
  const ways = Object.entries(leave).flatMap(([how, go]) =>
    Object.entries(requests).map(([what, bytesOf]) => ({what, how, go, bytesOf})),
  );

  test.each(ways)('of $what, $how, harms nobody', async ({what, how, go, bytesOf}) => {
    const nameOf = (end: number): string => `left ${what} ${how} ${String(end).padStart(3, '0')}`;
    const {length} = bytesOf(nameOf(0));
    const leaveAt = async (end: number): Promise<void> => {
      const connection = await open();
      await connection.write(bytesOf(nameOf(end)).slice(0, end));
      go(connection);
    };
    for (let end = 0; end <= length; end++) await leaveAt(end);
    await expectAlive();
    // The last chunk is complete with its size line: its empty line has nothing that counts.
    const complete = new Set([length - 2, length - 1, length].map(nameOf));
    for (const [name, count] of await storedCounts(`left ${what} ${how}`)) {
      expect([complete.has(name), count], name).toEqual([true, 1]);
      if (what === 'an event') expect(name).toBe(nameOf(length));
    }
  });
});
