// A shop played into a real service: what the service says is what the shop knows of itself. And the demo as a program.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {questions} from '../../src/edge/openapi/questions.js';
import {readDemoArguments} from '../../tools/demo/arguments.js';
import type {Killable} from '../../tools/demo/demo-cluster.js';
import {killInTurn} from '../../tools/demo/kills.js';
import {Player} from '../../tools/demo/player.js';
import {Tape} from '../../tools/demo/tape.js';
import {ShopAnswers} from '../../tools/shop/answers.js';
import {Shop} from '../../tools/shop/shop.js';
import {type Range, ShopTruth} from '../../tools/shop/truth.js';
import {Client, expectJson, query} from '../support/http.js';
import {until as untilIs} from '../support/reports.js';
import {playsAll} from '../support/runs.js';
import {type Service, startService, temporaryFolder} from '../support/service.js';
import {until} from '../support/until.js';

const dayMs = 86_400_000;

describe('a shop in a service answers the questions of a person, as /docs has them', () => {
  const days = 20;
  const startMs = Date.UTC(2026, 4, 4);
  const options = {seed: 3, people: 400, days, startMs};
  const range: Range = {fromMs: startMs, toMs: startMs + days * dayMs - 1};
  const within = {from: new Date(range.fromMs).toISOString(), to: new Date(range.toMs).toISOString()};
  const truth = new ShopTruth();
  let service: Service;
  let read: Client;

  beforeAll(async () => {
    service = await startService({env: {REPORT_REFRESH_SECONDS: '0.5'}});
    read = new Client(service.baseUrl, service.secretKey);
    const player = new Player({
      baseUrls: [service.baseUrl],
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
    answers = new ShopAnswers(truth, range);
    type Names = {data: {count: number}[]};
    await untilIs(
      async () => (await ask<Names>('/v1/names', {limit: '1000'})).data.reduce((sum, {count}) => sum + count, 0),
      (count) => count >= truth.eventCount,
      'everything is in reports',
    );
    await untilIs(
      async () => (await ask<{total: number}>('/v1/reports/users', {metric: 'mau'})).total,
      (people) => people === truth.activeUsers(range),
      'everybody is joined',
    );
    expect(truth.joinedUsers.length).toBeGreaterThan(50);
  });

  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  async function ask<T>(path: string, parameters: Readonly<Record<string, string | readonly string[]>>): Promise<T> {
    const answer = await read.get(`${path}?${query({...within, ...parameters})}`);
    expectJson(answer, 200);
    return answer.json<T>();
  }

  const of = new Map(questions.map(({question, requests}) => [question, requests]));
  const asked = new Set<string>();
  let answers: ShopAnswers;

  /** The answers to a recipe's requests, in order. */
  async function recipe<T>(question: string, change: (path: string) => string = (path) => path): Promise<T[]> {
    const requests = of.get(question);
    expect(requests, question).toBeDefined();
    asked.add(question);
    const given: T[] = [];
    for (const request of requests!) {
      const answer = await read.get(change(request));
      expectJson(answer, 200);
      given.push(answer.json<T>());
    }
    return given;
  }

  /** The lines of an answer that is a stream of them. */
  async function lines(question: string, change: (path: string) => string = (path) => path): Promise<object[]> {
    asked.add(question);
    const answer = await read.get(change(of.get(question)![0]!));
    expect(answer.status, answer.text).toBe(200);
    const all = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(all.at(-1)).toMatchObject({end: true});
    return all;
  }

  interface Series {
    readonly data: readonly {readonly count: number; readonly value?: number | null}[];
  }
  const values = ({data}: Series): (number | null)[] => data.map(({value}) => value!);
  const numbers = ({data}: Series): number[] => data.map(({count}) => count);
  interface FunnelAnswer {
    readonly steps: readonly {readonly count: number; readonly median_seconds: number | null}[];
  }
  const steps = (funnel: FunnelAnswer): number[] => funnel.steps.map(({count}) => count);

  test('revenue and buyers by day', async () => {
    const [revenue] = await recipe<Series & {total_value: number}>('What do we earn a day?');
    const expected = answers.revenueByDay();
    expect(values(revenue!).map((value) => value ?? 0)).toEqual(expected);
    expect(revenue!.total_value).toBe(expected.reduce((sum, value) => sum + value, 0));
    expect(revenue!.total_value).toBeGreaterThan(100_000);
    const [buyers] = await recipe<Series>('How many different buyers are there a day?');
    expect(values(buyers!)).toEqual(answers.buyersByDay());
  });

  test('top pages, large orders, refunds, days of Berlin', async () => {
    type Pages = {breakdown: {rows: {value?: string; kind?: string; total: number}[]}};
    const [pages] = await recipe<Pages>('Which pages are seen most?');
    const rows = pages!.breakdown.rows.filter(({kind}) => kind === undefined);
    expect(rows.map(({value, total}) => [value, total])).toEqual(answers.topPages(5));
    const [large] = await recipe<Series>('How many large orders, not paid by invoice, are there a week?');
    expect(numbers(large!)).toEqual(answers.largeOrdersByWeek());
    const [rate] = await recipe<{series: Series[]}>('What share of orders is refunded, week by week?');
    expect(rate!.series.map(numbers)).toEqual([
      answers.eventsByWeek('order_placed'),
      answers.eventsByWeek('refund_issued'),
    ]);
    // Summer time all the while.
    const [berlin] = await recipe<Series>('How many orders does a day of Berlin have?');
    expect(numbers(berlin!)).toEqual(answers.ordersByDayTwoHoursAhead());
  });

  test('who converts', async () => {
    const [way] = await recipe<FunnelAnswer>('How many visitors sign up, and how many of them order?');
    expect(steps(way!)).toEqual(truth.funnel(['page', 'signup', 'order_placed'], range).map((step) => step.count));
    type ByWeek = {data: {count: number; converted: number}[]};
    const [byWeek] = await recipe<FunnelAnswer & ByWeek>(
      'How many of those who signed up in a week ordered within two weeks?',
    );
    const weeks = answers.ordersAfterSignUp(14 * dayMs);
    expect(byWeek!.data.map(({count, converted}) => [count, converted])).toEqual(weeks);
    expect(weeks[0]![1]).toBeGreaterThan(3);
    type Broken = {breakdown: {rows: ({value?: string; kind?: string} & FunnelAnswer)[]}};
    const rowsOf = ({breakdown}: Broken) =>
      new Map(breakdown.rows.map(({value, kind, ...row}) => [kind === 'missing' ? undefined : value, steps(row)]));
    const [byCampaign] = await recipe<Broken>('Which campaign brings buyers?');
    expect(rowsOf(byCampaign!)).toEqual(answers.twoStepsBy('campaign', ['page', 'order_placed']));
    const [byDevice] = await recipe<Broken>('Does one variant convert better than another?');
    expect(rowsOf(byDevice!)).toEqual(answers.twoStepsBy('device', ['product_viewed', 'order_placed']));
  });

  test('how long it takes, and carts that are left behind', async () => {
    type Times = {steps: {mean_seconds: number | null; histogram?: {count: number}[]}[]};
    const [way] = await recipe<FunnelAnswer & Times>('How long does it take from the first product to the order?');
    const seconds = answers.secondsBetween('product_viewed', 'order_placed');
    const second = way!.steps[1]!;
    const middle = (seconds.length - 1) / 2;
    expect(second.median_seconds).toBe((seconds[Math.floor(middle)]! + seconds[Math.ceil(middle)]!) / 2);
    expect(second.mean_seconds).toBeCloseTo(seconds.reduce((sum, each) => sum + each, 0) / seconds.length, 6);
    expect(second.histogram!.reduce((sum, {count}) => sum + count, 0)).toBe(seconds.length);
    const [carts, products] = await recipe<FunnelAnswer>(
      'How many carts are left behind for a day, and how many products that were looked at come into one?',
    );
    expect(steps(carts!)).toEqual(answers.within('cart_added', 'order_placed', dayMs));
    expect(steps(products!)).toEqual(answers.pairs('product', 'product_viewed', 'cart_added'));
    type Who = {data: {id: string; kind: string}[]};
    const [who] = await recipe<Who>('Who started a checkout and did not order?');
    expect(who!.data.map(({kind, id}) => `${kind} ${id}`).sort()).toEqual(
      answers.dropped('checkout_started', 'order_placed'),
    );
  });

  test('who returns', async () => {
    type Cohorts = {cohorts: {size: number; cells: {count: number}[]}[]};
    const [retention] = await recipe<Cohorts>('How many of those who signed up come back, week by week?');
    const expected = answers.retention(2);
    const found = retention!.cohorts.map(({size, cells}) => ({
      size,
      cells: [1, 2].map((week) => cells[week]?.count ?? 0),
    }));
    expect(found).toEqual(expected);
    const [dau, wau, mau, sticky] = await recipe<{data: {count: number; users: number}[]}>(
      'How many people are active a day, a week, a month, and on how many days?',
    );
    for (const [answer, days] of [
      [dau!, 1],
      [wau!, 7],
      [mau!, 30],
    ] as const)
      expect(numbers(answer)).toEqual(truth.activeByDay(range, days));
    expect(sticky!.data.map(({users}) => users)).toEqual(answers.stickiness());
    const [paying] = await recipe<Series>('How many paying people are active a week?');
    expect(numbers(paying!)).toEqual(answers.activeByWeekOn(['plus', 'pro']));
  });

  test('somebody, and everything', async () => {
    const [userId] = truth.joinedUsers;
    const ofUser = (path: string): string => path.replace('userId=ada', `userId=${userId}`);
    const history = truth.history(userId!);
    type History = {data: {event: string}[]};
    const [did] = await recipe<History>('What did somebody do, before and after the sign-up?', ofUser);
    expect(did!.data.map(({event}) => event)).toEqual(history.map(({name}) => name));
    expect((await lines('What do we have about somebody?', ofUser)).at(-1)).toMatchObject({events: history.length});
    const all = await lines('How do we bring everything into our warehouse?');
    expect(all.at(-1)).toMatchObject({events: answers.eventCount});
    expect(all.length).toBe(answers.eventCount + 1);
  });

  test('what there is', async () => {
    type Listed = {data: {name?: string; property?: string; value?: string; count?: number}[]};
    const [names, properties, payments] = await recipe<Listed>('Which events, properties and values are there?');
    expect(names!.data.map(({name}) => name)).toEqual(truth.names(range).map(({name}) => name));
    expect(new Set(properties!.data.map(({property}) => property))).toEqual(answers.propertiesOf('order_placed'));
    expect(new Map(payments!.data.map(({value, count}) => [value, count]))).toEqual(
      answers.valuesOf('order_placed', 'payment'),
    );
  });

  test('every question was asked', () => {
    expect([...asked].sort()).toEqual([...of.keys()].sort());
  });
});

describe('kills in turn', () => {
  test('each is away until everybody was answered, and slow answers are told with their repetitions', async () => {
    const lines: string[] = [];
    const calls: string[] = [];
    const player = {slowestMs: 0, played: 0};
    const reads = {
      slowestLiveMs: 0,
      slowestReportMs: 0,
      forget: () => void calls.push('forget'),
      round: async () => {
        calls.push('round');
        reads.slowestLiveMs = 6_100;
        reads.slowestReportMs = 240;
      },
    };
    const process = (name: string): Killable => ({
      name,
      kill: async () => void calls.push(`kill ${name}`),
      startAgain: async () => void calls.push(`start ${name}`),
    });
    await killInTurn({
      ...{processes: [process('worker 1'), process('edge 1')], player, reads, say: (line) => void lines.push(line)},
      sleep: async () => {
        calls.push('sleep');
        player.played += 1; // A write that came behind the kill.
        player.slowestMs = 1_260;
      },
    });
    const turnOf = (name: string): string[] => ['forget', `kill ${name}`, 'round', 'sleep', `start ${name}`, 'round'];
    expect(calls).toEqual([...turnOf('worker 1'), ...turnOf('edge 1')]);
    expect(lines[1]).toMatch(/^worker 1 +1\.3 s +6\.1 s +0\.2 s +0\.0 s$/);
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
        const answer = await read.get(`/v1/reports/events?${query({event: 'page', ...event})}`);
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

  test.skipIf(!playsAll)(
    'of many processes each is killed, and nothing is lost (ALL_CASES=1 plays it: it waits for minutes)',
    async () => {
      const program = fileURLToPath(new URL('../../dist/tools/demo/main.js', import.meta.url));
      const folder = temporaryFolder();
      const demo = spawn(process.execPath, [program, '--cluster', '--people', '80', '--days', '2'], {
        env: {...process.env, TMPDIR: folder, REPORT_REFRESH_SECONDS: '2'},
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(demo, 'exit');
      try {
        let printed = '';
        demo.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
        await until(
          'it has compared',
          () => {
            expect(demo.exitCode).toBeNull();
            return printed.includes('each once.') && printed.includes('Ctrl-C');
          },
          280_000,
        );
        expect(printed.match(/^(nats-server|worker|report|edge) \d .* s$/gm)).toHaveLength(10);
        demo.kill('SIGINT');
        expect(await ended).toEqual([0, null]);
        expect(readdirSync(folder)).toEqual([]);
      } finally {
        if (demo.exitCode === null) demo.kill('SIGTERM');
        await ended;
      }
    },
  );
});
