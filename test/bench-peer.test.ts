// Peer A by itself: a peer that stores something else, or loses what waits beside a bad event, would be no peer.

import {Client} from 'pg';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {type PostgresCluster, postgresObstacle, startPostgres} from '../bench/peers/postgres/cluster.js';
import {eventRow} from '../bench/peers/postgres/event-row.js';
import {GroupWriter} from '../bench/peers/postgres/group-writer.js';
import {countsByDay, dailyActiveUsers, schema} from '../bench/peers/postgres/reports.js';

const nowMs = Date.UTC(2026, 0, 1);
const event = {event: 'bought', userId: 'ada', timestamp: '2025-12-31T10:00:00Z', properties: {n: 1}};

test('peer: a row holds what the event says, with the separators of COPY escaped', () => {
  expect(eventRow(event, nowMs)).toBe('2025-12-31T10:00:00Z\tbought\tada\t\\N\t{"n":1}\n');
  expect(eventRow({event: 'a', anonymousId: '\\N'}, nowMs)).toBe('2026-01-01T00:00:00.000Z\ta\t\\N\t\\\\N\t{}\n');
});

const obstacle = postgresObstacle();

describe('peer: PostgreSQL', () => {
  let cluster: PostgresCluster | undefined;
  const clients: Client[] = [];

  beforeEach((context) => {
    if (obstacle !== null) context.skip(obstacle);
  });
  beforeAll(async () => {
    if (obstacle !== null) return;
    cluster = await startPostgres();
    for (let i = 0; i < 2; i++) {
      clients.push(new Client(cluster.connection));
      await clients[i]!.connect();
    }
    await clients[0]!.query(schema);
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await cluster?.stop();
  });

  const append = (writer: GroupWriter, value: object): Promise<Error | null> =>
    new Promise((resolve) => writer.append(eventRow(value, nowMs) as string, resolve));

  test('commits are on disk before they are answered', async () => {
    for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
      const {rows} = await clients[0]!.query(`SHOW ${name}`);
      expect(rows).toEqual([{[name]: 'on'}]);
    }
    const {rows} = await clients[0]!.query("SELECT relpersistence FROM pg_class WHERE relname = 'events'");
    expect(rows).toEqual([{relpersistence: 'p'}]);
  });

  test('what waits together is stored exactly, and counted', async () => {
    const writer = new GroupWriter([clients[1]!]);
    const odd = {quote: '"', slash: '\\', both: '\\"\\n', tab: '\t', line: '\n', snow: '☃', nested: {list: [1, null]}};
    const values = [
      {...event, userId: 'back\\slash', properties: odd},
      {...event, userId: '\\N', timestamp: '2025-12-30T23:59:59.999Z'},
      {...event, userId: undefined, anonymousId: '\\.', timestamp: '2025-12-31'},
    ];
    expect(await Promise.all(values.map((value) => append(writer, value)))).toEqual([null, null, null]);
    const {rows} = await clients[0]!.query(
      'SELECT user_id, anonymous_id, properties FROM events ORDER BY ts DESC, user_id',
    );
    expect(rows).toEqual([
      {user_id: 'back\\slash', anonymous_id: null, properties: odd},
      {user_id: null, anonymous_id: '\\.', properties: {n: 1}},
      {user_id: '\\N', anonymous_id: null, properties: {n: 1}},
    ]);
    const data = [
      {date: '2025-12-29', count: 0},
      {date: '2025-12-30', count: 1},
      {date: '2025-12-31', count: 2},
    ];
    expect(await countsByDay(clients[0]!, 'bought', '2025-12-29', '2025-12-31')).toEqual({data, total: 3});
    expect(await dailyActiveUsers(clients[0]!, '2025-12-29', '2025-12-31')).toEqual({data, total: 3});
  });

  test('a group that fails is told to everybody in it, and the next one goes on', async () => {
    const writer = new GroupWriter([clients[1]!]);
    const broken = new Promise<Error | null>((resolve) => writer.append('no time\ta\tb\tc\t{}\n', resolve));
    const beside = append(writer, event);
    expect((await broken)?.message).toMatch(/invalid input syntax for type timestamp/);
    expect((await beside)?.message).toMatch(/invalid input syntax for type timestamp/);
    expect(await append(writer, event)).toBeNull();
  });
});
