// A shop played into a real service: what the service says is what the shop knows of itself. And the demo as a program.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {readDemoArguments} from '../../tools/demo/arguments.js';
import {Player} from '../../tools/demo/player.js';
import {Tape} from '../../tools/demo/tape.js';
import {Shop} from '../../tools/shop/shop.js';
import {type Range, ShopTruth} from '../../tools/shop/truth.js';
import {Client, expectJson, query} from '../support/http.js';
import {until as untilIs} from '../support/reports.js';
import {type Service, startService, temporaryFolder} from '../support/service.js';
import {until} from '../support/until.js';

const dayMs = 86_400_000;

describe('a shop in a service', () => {
  const days = 20;
  const startMs = Date.UTC(2026, 4, 4);
  const options = {seed: 3, people: 400, days, startMs};
  const range: Range = {fromMs: startMs, toMs: startMs + days * dayMs - 1};
  const asked = {from: new Date(range.fromMs).toISOString(), to: new Date(range.toMs).toISOString()};
  const truth = new ShopTruth();
  let service: Service;
  let read: Client;

  beforeAll(async () => {
    service = await startService({env: {REPORT_REFRESH_SECONDS: '0.5'}});
    read = new Client(service.baseUrl, service.secretKey);
    const player = new Player({
      baseUrl: service.baseUrl,
      key: service.writeKey,
      sleep: async (ms) => void (await pause(ms)),
    });
    const tape = new Tape(new Shop(options).entries());
    for (const part of [7, days]) await player.play(tape.until(startMs + part * dayMs));
    for (const entry of new Shop(options).entriesUntil(range.toMs + 1)) truth.note(entry);
    expect(player.played).toBe(truth.eventCount + truth.identifies);
    // The newest day once more: everything has its messageId.
    await player.play(new Shop(options).entriesUntil(startMs + dayMs));
    player.close();
  });

  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  async function ask<T>(path: string, parameters: Readonly<Record<string, string | readonly string[]>>): Promise<T> {
    const answer = await read.get(`${path}?${query({...asked, ...parameters})}`);
    expectJson(answer, 200);
    return answer.json<T>();
  }
  const counts = ({data}: {data: {count: number}[]}): number[] => data.map(({count}) => count);

  test('names, their counts and times', async () => {
    const expected = {data: truth.names(range), has_more: false, next_cursor: null};
    const total = (names: {data: {count: number}[]}): number => counts(names).reduce((sum, count) => sum + count, 0);
    const names = await untilIs(
      () => ask<{data: {count: number}[]}>('/v1/names', {limit: '1000'}),
      (answer) => total(answer) >= truth.eventCount,
      'everything is in reports',
    );
    expect(names).toEqual(expected);
    expect(truth.eventCount).toBeGreaterThan(2_000);
  });

  test('events by hour, of every name', async () => {
    for (const {name, count} of truth.names(range)) {
      const answer = await ask<{data: {count: number}[]; total: number}>('/v1/reports/events', {
        event: name,
        interval: 'hour',
      });
      expect(counts(answer), name).toEqual(truth.countsByHour(name, range));
      expect(answer.total).toBe(count);
    }
  });

  test('everybody is one person once what came before log-in is joined', async () => {
    const total = await untilIs(
      async () => (await ask<{total: number}>('/v1/reports/users', {metric: 'mau'})).total,
      (people) => people === truth.activeUsers(range),
      'everybody is joined',
    );
    expect(total).toBe(truth.people);
    expect(truth.joinedUsers.length).toBeGreaterThan(50);
  });

  test.each([
    ['dau', 1],
    ['wau', 7],
    ['mau', 30],
  ] as const)('%s by day', async (metric, trailingDays) => {
    const answer = await ask<{data: {count: number}[]; total: number}>('/v1/reports/users', {metric});
    expect(counts(answer)).toEqual(truth.activeByDay(range, trailingDays));
    expect(answer.total).toBe(truth.activeUsers(range));
  });

  test.each([
    ['to an order', ['product_viewed', 'cart_added', 'checkout_started', 'order_placed']],
    ['from the first page over the sign-up to an order', ['page_viewed', 'signup', 'order_placed']],
  ])('the way %s, with its medians', async (_, steps) => {
    const answer = await ask<{steps: {event: string; count: number; median_seconds: number | null}[]}>(
      '/v1/reports/funnel',
      {'steps[]': steps},
    );
    const expected = truth.funnel(steps, range);
    expect(answer.steps.map(({event, count, median_seconds}) => ({event, count, median_seconds}))).toEqual(expected);
    expect(expected.at(-1)!.count).toBeGreaterThan(10);
  });

  test('what somebody did, before and after the sign-up', async () => {
    for (const userId of truth.joinedUsers.slice(0, 5)) {
      const answer = await read.get(`/v1/events?${query({userId, limit: '1000'})}`);
      expectJson(answer, 200);
      const {data} = answer.json<{data: {event: string; timestamp: string; userId: string; joined?: true}[]}>();
      expect(data.map((event) => [event.event, Date.parse(event.timestamp), event.joined ?? false])).toEqual(
        truth.history(userId).map(({name, timeMs, isJoined}) => [name, timeMs, isJoined]),
      );
      expect(data.every((event) => event.userId === userId)).toBe(true);
    }
  });
});

describe('npm run demo', () => {
  test.each([
    [['--people', '0'], '--people must be'],
    [['--rate', 'x'], '--rate must be'],
    [['--days', '366'], '--days must be'],
    [['--speed', '3'], '--speed'],
    [['more'], 'more'],
  ])('refuses %j', (words, named) => {
    expect(() => readDemoArguments(words)).toThrow(named);
  });

  test('plays the past, goes on live, and leaves nothing behind', async () => {
    const program = fileURLToPath(new URL('../../dist/tools/demo/main.js', import.meta.url));
    const folder = temporaryFolder();
    const demo = spawn(process.execPath, [program, '--people', '80', '--days', '3', '--rate', '20'], {
      // What names a real deployment is not for the demo.
      env: {...process.env, TMPDIR: folder, DATA_DIR: join(folder, 'real'), ROLES: 'edge', REPORT_REFRESH_SECONDS: '1'},
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(demo, 'exit');
    try {
      let printed = '';
      demo.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
      await until('it is live', () => {
        expect(demo.exitCode).toBeNull();
        return printed.includes('from now on it is live') && printed.includes('Ctrl-C');
      });
      const [baseUrl] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)!;
      const own = readdirSync(folder).find((name) => name.startsWith('millrace-demo-'))!;
      const keys = readFileSync(join(folder, own, 'data', 'first-keys'), 'utf8');
      const [secretKey] = /sk_live_\w+/.exec(keys)!;
      const read = new Client(baseUrl!, secretKey);
      const today = new Date().toISOString().slice(0, 10);
      const viewed = async (event: Readonly<Record<string, string>>): Promise<number> => {
        const answer = await read.get(`/v1/reports/events?${query({event: 'page_viewed', ...event})}`);
        expectJson(answer, 200);
        return answer.json<{total: number}>().total;
      };
      const past = {from: new Date(Date.now() - 3 * dayMs).toISOString().slice(0, 10), to: today};
      await until('the past is in reports', async () => (await viewed(past)) > 80);
      await until(
        'a visitor of the sale is in reports',
        async () =>
          (await viewed({
            from: today,
            to: new Date(Date.now() + dayMs).toISOString().slice(0, 10),
            filter: 'campaign=flash_sale',
          })) > 0,
      );
      demo.kill('SIGINT');
      expect(await ended).toEqual([0, null]);
      expect(readdirSync(folder)).toEqual([]);
      expect(existsSync(join(folder, 'real'))).toBe(false);
    } finally {
      if (demo.exitCode === null) demo.kill('SIGTERM');
      await ended;
    }
  });
});
