// The benches of reports and engine in their small form, and what they rely on: a peer that answers otherwise ends them.

import {beforeAll, describe, expect, test} from 'vitest';
import {Rivalry} from '../bench/engine/rivalry.js';
import {rowQuestions} from '../bench/engine/row-questions.js';
import {fastPathsOf} from '../bench/fast-paths.js';
import {DuckDbPeer} from '../bench/peers/duckdb/peer.js';
import {slopeOf} from '../bench/statistics.js';
import {benchRun, type Figure} from '../src/bench-run.js';
import {findChromium} from '../tools/chromium.js';
import {reachesOf, reachTable} from './support/reach-table.js';
import {playsAll, unlessAll} from './support/runs.js';
import {runSmall, runSmallTogether} from './support/small-bench.js';

const isLinux = process.platform === 'linux';

const rivalryOf = () =>
  new Rivalry<number>({
    questionOf: (number) => number,
    askOurs: async (question) => ({numbers: [question, question + 1], elapsedMs: 1}),
    waysOf: (question) =>
      ['slow', 'fast'].map((name) => ({
        schema: 'text',
        name,
        sql: `${name} ${question}`,
        read: ([row]) => row!.map(Number),
      })),
    asks: 3,
    peerAsks: 2,
  });

test('rivalry: the peer is asked our questions, its fastest way counts, a hopeless one is asked once', async () => {
  const rivalry = rivalryOf();
  const asked: string[] = [];
  const peer = rivalry.peer({
    run: async (sql) => {
      asked.push(sql);
      const [way, question] = sql.split(' ');
      return {rows: [[Number(question), Number(question) + 1]], elapsedMs: way === 'slow' ? 90 : 9};
    },
  });
  await rivalry.ours(0);
  expect(await peer(0)).toMatchObject({elapsedMs: 9, peer: {way: 'text, fast'}});
  await rivalry.ours(1);
  await peer(1);
  expect(asked).toEqual(['slow 0', 'fast 0', 'fast 0', 'fast 0', 'fast 1', 'fast 3', 'fast 4']);
  expect(rivalry.tried).toEqual({'text, slow': 90, 'text, fast': 9});
});

test.each([
  ['another number', [[0, 2]], /fast answers 2 where we answer 1|slow answers 2 where we answer 1/],
  ['fewer numbers', [[0]], /of 2/],
  ['more numbers', [[0, 1, 2]], /where we answer undefined/],
])('rivalry: a peer that answers %s ends the bench', async (_, rows, message) => {
  const rivalry = rivalryOf();
  await rivalry.ours(0);
  await expect(rivalry.peer({run: async () => ({rows, elapsedMs: 1})})(0)).rejects.toThrow(message);
});

test('DuckDB: where it is not installed it is skipped, and that is said', async () => {
  const said: string[] = [];
  const missing = () => Promise.reject(new Error("Cannot find package '@duckdb/node-api'"));
  const peer = await DuckDbPeer.open('/nowhere', '/nowhere', (text) => said.push(text), missing);
  expect(peer).toBeNull();
  expect(said).toEqual(["SKIPPED: no peer B, @duckdb/node-api does not load: Cannot find package '@duckdb/node-api'"]);
});

/** The others share their machinery with these. */
const playedAlways = ['reports', 'memory'];

describe.runIf(isLinux)('the benches of one data set', () => {
  let small: Awaited<ReturnType<typeof runSmallTogether>>;
  const reportOf = (name: string) => small.results[name].report;
  const figuresOf = (name: string): readonly Figure[] => benchRun.parse(small.results[name]).figures;
  const sampleOf = (name: string, id: string): number =>
    figuresOf(name).find((figure) => figure.id === id)!.samples[0]!;

  beforeAll(async () => {
    small = playsAll
      ? await runSmallTogether('reports', 'twins', 'history', 'export', 'fold', 'recovery', 'memory', 'growth')
      : await runSmallTogether(...playedAlways);
  }, 600_000);

  test('every figure has a sample a round, and the reach and the limit of the page', () => {
    for (const name of [...playedAlways, ...(playsAll ? ['history', 'recovery', 'fold', 'export'] : [])]) {
      const figures = figuresOf(name);
      expect(figures.length).toBeGreaterThan(0);
      expect(new Set(figures.map(({id}) => id)).size).toBe(figures.length);
      for (const {samples} of figures) expect(samples).toHaveLength(1);
      expect([...new Set(reachesOf(figures))].sort()).toEqual([...new Set(reachTable(name))].sort());
    }
    if (!playsAll) return;
    expect(['twins', 'growth'].flatMap(figuresOf)).toEqual([]);
    expect(small.results.recovery.rounds.map(({name}: {name: string}) => name)).toEqual([
      'recovery from the snapshot',
      'start from the snapshot',
      'start from the log',
    ]);
  });

  test('reports agree with DuckDB in both schemas', () => {
    expect(small.stdout).toMatch(/funnel of 14 +\d+\.\d\d +- /);
    const {peerVersion, played} = reportOf('reports');
    expect(peerVersion).toMatch(/^v\d/);
    const tried = played.flatMap((each: {tried: object}) => Object.values(each.tried).map((ways) => Object.keys(ways)));
    expect(tried).toHaveLength(5 + rowQuestions.length);
    for (const ways of tried.slice(0, 5)) {
      expect(ways.filter((way: string) => way.startsWith('text, ')).length).toBeGreaterThan(1);
      expect(ways.filter((way: string) => way.startsWith('coded, ')).length).toBeGreaterThan(1);
    }
    const lines = played.flatMap((each: {lines: object[]}) => each.lines);
    for (const ways of tried.slice(5)) expect(ways).toEqual(['text, extract', 'coded, columns']);
    expect(lines.map(({name}: {name: string}) => name)).toEqual(expect.arrayContaining(fastPathsOf('reports')));
    expect(sampleOf('reports', 'funnel-of-3-ratio') / lines[0].ratio.median).toBeCloseTo(1, 4);
    expect(sampleOf('reports', 'filtered-count') / lines[4].oursMs[0]).toBeCloseTo(1, 4);
    for (const {name, ratio, oursMs} of lines)
      expect([ratio.all.length, oursMs.length]).toEqual([1, name.includes('first two') ? 2 * 5 : 1]);
  });

  test('twins: every fast path of reports is asked beside its plain twin, which answers the same', ({skip}) => {
    skip(!playsAll, unlessAll);
    const {pairs, rounds, gains} = reportOf('twins');
    const [{samples}] = rounds.rounds;
    expect(Object.keys(samples)).toEqual(pairs.flat());
    expect(Object.keys(gains)).toEqual(pairs.map(([quick]: [string]) => quick));
    expect(Object.keys(gains).sort()).toEqual(fastPathsOf('twins'));
    expect(small.stdout).toMatch(/^funnel of 14: steps by the kernel +\d/m);
  });

  test('history asks every kind of page of each service', ({skip}) => {
    skip(!playsAll, unlessAll);
    const {times, pagesOfKind} = reportOf('history');
    expect(Object.keys(times)).toEqual(expect.arrayContaining(fastPathsOf('history')));
    for (const pass of ['first', 'again', 'unprepared', 'uncached'])
      expect(Object.values<number[]>(times[pass]).map((ms) => ms.length)).toEqual(new Array(10).fill(pagesOfKind));
  });

  test('export reads the newest events of some users, and the whole export of the first days', ({skip}) => {
    skip(!playsAll, unlessAll);
    const {userMs, first, rounds} = reportOf('export');
    expect(userMs).toHaveLength(5);
    const [{samples}] = rounds.rounds;
    expect(samples.export.events).toBe(20_000);
    expect([first.bytes, first.events]).toEqual([samples.export.bytes, samples.export.events]);
    expect(small.stdout).toMatch(/^export: MB \/ CPU s \(to reach: 300\)( +[\d,]+){4}$/m);
  });

  test('fold folds every event of the log, from memory and from nats-server', ({skip}) => {
    skip(!playsAll, unlessAll);
    const {eventCount, logBytes, gains, ratios} = reportOf('fold');
    expect(logBytes / eventCount).toBeGreaterThan(100);
    expect(sampleOf('fold', 'fold-to-floor') / ratios.fold.median).toBeCloseTo(1, 4);
    expect(Object.keys(gains).sort()).toEqual(fastPathsOf('fold'));
  });

  test('recovery starts from snapshots and from a log without any', ({skip}) => {
    skip(!playsAll, unlessAll);
    const {snapshotBytes, snapshot, ratios} = reportOf('recovery');
    expect(snapshotBytes).toBeGreaterThan(100_000);
    expect(ratios.log.median).toBeGreaterThan(1);
    expect(sampleOf('recovery', 'log-to-floor') / ratios.log.median).toBeCloseTo(1, 4);
    expect(sampleOf('recovery', 'recover') / snapshot.rounds[0].samples['recover()']).toBeCloseTo(1, 4);
  });

  test('memory counts what is resident: columns and tables, against the JSON', () => {
    const {eventCount, userCount, rows, users} = reportOf('memory');
    expect(rows.times).toBe(8 * eventCount);
    // A byte for each property of few values; the two of many have their values row by row (actors/chunk/property-columns.ts, PC3).
    expect(rows['property codes']).toBe(4 * eventCount);
    expect(users.keys / userCount).toBeGreaterThan(10);
    const userBytes = Object.values(users as Record<string, number>).reduce((sum, bytes) => sum + bytes, 0);
    expect(sampleOf('memory', 'user')).toBeCloseTo(userBytes / userCount, 3);
    expect(small.stdout).toMatch(/event \/ JSON: 0\.\d{3} /);
  });

  test('growth finds a line through three sizes for ingestion and every report', ({skip}) => {
    skip(!playsAll, unlessAll);
    const {sizes, ingest, exponents} = reportOf('growth');
    expect(sizes).toEqual([20, 200, 2_000]);
    expect(ingest.map(({events}: {events: number}) => events)).toEqual([40, 220, 2_020]);
    for (const exponent of Object.values(exponents)) expect(exponent).toBeTypeOf('number');
  });
});

test('statistics: the slope of a line is found, and that of a flat one is 0', () => {
  expect(slopeOf([1, 2, 3].map((x) => [x, 2 * x + 1] as const))).toBeCloseTo(2, 12);
  expect(slopeOf([1, 2, 9].map((x) => [x, 5] as const))).toBe(0);
  expect(
    slopeOf([
      [0, 0],
      [1, 3],
      [2, 0],
    ]),
  ).toBe(0);
});

test.runIf(isLinux)(
  'beyond: every question is asked again, at once, later, and after a publication',
  async ({skip}) => {
    skip(!playsAll, unlessAll);
    const {stdout, result} = await runSmall('beyond');
    expect(stdout).toMatch(/^filtered count( +\d+\.\d\d \(\d+\.\d\d\)){5}$/m);
    expect(Object.keys(result.report.costs)).toEqual(['funnel', 'filtered count', 'breakdown']);
  },
  300_000,
);

test('bench: browser opens each page once, in a service that has just started', async ({skip}) => {
  skip(!isLinux || !playsAll, unlessAll);
  skip(findChromium() === undefined, 'no Chromium on PATH or in CHROMIUM_BIN');
  const {stdout, result} = await runSmall('browser');
  const [{samples}] = result.report.rounds.rounds;
  expect(Object.keys(samples)).toHaveLength(12);
  const {figures} = benchRun.parse(result);
  expect(figures[0]!.samples[0]).toBeCloseTo(Math.max(...(Object.values(samples) as number[])), 0);
  expect(reachesOf(figures)).toEqual(reachTable('browser'));
  expect(stdout).toMatch(/^Funnels, by a property( +[\d,]+){3}$/m);
}, 300_000);
