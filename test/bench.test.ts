// The benches in their tiny form: they must run, agree with the service about every report, and write their results.

import {execFile} from 'node:child_process';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {benches} from '../bench/benches.js';
import {fastPaths, fastPathsOf} from '../bench/fast-paths.js';
import {readCommand} from '../bench/options.js';
import {canonical, eventMix, workloadEvents} from '../bench/workload/events.js';
import {ExpectedAnswers} from '../bench/workload/expected.js';
import {isRunning} from '../src/process-life.js';
import {resultRows} from './support/reach-table.js';
import {playsAll, unlessAll} from './support/runs.js';
import {temporaryFolder} from './support/service.js';
import {benchProgram, runSmall} from './support/small-bench.js';
import {until} from './support/until.js';

const isLinux = process.platform === 'linux';

test('workload: the same seed makes the same events, another one others', () => {
  const jsons = (seed: number): string[] =>
    [...workloadEvents({...canonical, seed, eventCount: 500})].map((event) => event.json);
  expect(jsons(1)).toEqual(jsons(1));
  expect(jsons(1)).not.toEqual(jsons(2));
});

test('workload: the size, the mix and the late share are what docs/benchmarks.md says', () => {
  const events = [...workloadEvents({...canonical, eventCount: 20_000})];
  const bytes = events.reduce((sum, event) => sum + event.json.length, 0) / events.length;
  const late = events.filter((event, index) => event.timeMs < (events[index - 1]?.timeMs ?? 0)).length;
  expect(bytes).toBeGreaterThan(205);
  expect(bytes).toBeLessThan(225);
  expect(late / events.length).toBeCloseTo(0.02, 2);
  expect(new Set(events.map((event) => event.name)).size).toBe(eventMix.length);
  expect(eventMix.reduce((sum, [, weight]) => sum + weight, 0)).toBe(1_000);
});

test('docs/benchmarks.md: a row of the results names a bench, which way is better, and whether it was reached', () => {
  const rows = resultRows();
  for (const [number, what, bench, reach, limit, measured, reached] of rows) {
    const row = `${number}, ${what}`;
    expect(
      benches.map(({name}) => `\`${name}\``),
      row,
    ).toContain(bench);
    expect(reach, row).toMatch(/^[↑↓] \d/);
    expect(limit, row).toMatch(/^\d/);
    const isMore = reach!.startsWith('↑');
    const [bound, ...medians] = [reach!.slice(2), ...measured!.replace(/\(.*?\)|ms, the.*/g, '').split(', ')].map(
      (text) => Number.parseFloat(text.replaceAll(',', '')),
    );
    const isReached = medians.every((median) => (isMore ? median >= bound! : median <= bound!));
    expect(reached, row).toBe(isReached ? 'yes' : '**no**');
  }
  // Code and notes name rows by number: none leaves.
  expect([...new Set(rows.map(([number]) => Number(number)))].sort((a, b) => a - b)).toEqual(
    Array.from({length: 33}, (_, index) => index + 1),
  );
});

test('workload: the right answers add up', () => {
  const expected = new ExpectedAnswers();
  for (const event of workloadEvents({...canonical, userCount: 50, eventCount: 5_000})) expected.add(event);
  const {eventCount, eventsByDay, usersTotal, usersByMonth, funnelCounts} = expected.answers();
  const counted = [...eventsByDay.values()]
    .flatMap((days) => [...days.values()])
    .reduce((sum, count) => sum + count, 0);
  expect([eventCount, counted, usersTotal]).toEqual([5_000, 5_000, 50]);
  expect([...usersByMonth.keys()].sort()).toEqual(['2024-01', '2024-02', '2024-03']);
  const [searched, added, bought] = funnelCounts;
  expect([searched! <= 50, added! <= searched!, bought! <= added!, bought! > 0]).toEqual([true, true, true, true]);
});

test.runIf(isLinux)('bench: import agrees with the service about every report', async () => {
  const {stdout, result} = await runSmall('import');
  expect(stdout).toMatch(/every report exact after, s +\d+\.\d\d/);
  expect(result.report.samples).toMatchObject([{cacheMib: 64, load: {events: 20_000, refusals: 0}}]);
});

test.runIf(isLinux)('bench: what reads batches makes the same entries, each in its way', async () => {
  const {stdout, result} = await runSmall('parsers');
  expect(stdout).toMatch(/^kernel +\d+/m);
  expect(Object.keys(result.report.floorToEach)).toEqual([
    'JSON.parse',
    'parse, validate, encode',
    'kernel',
    'single: JSON.parse',
    'single: parse, validate, encode',
    'single: kernel',
    'with a context: JSON.parse',
    'with a context: batch',
    'with a context: Segment',
  ]);
  expect(result.report.segmentToBatch.median).toBeGreaterThan(0);
  expect(Object.keys(result.report.gains).sort()).toEqual(fastPathsOf('parsers'));
  expect(stdout).toMatch(/^single: kernel.* \d+\.\d\d \([^)]+\)$/m);
});

test.runIf(isLinux)('bench: pieces give what the plain ways give', async ({skip}) => {
  skip(!playsAll, unlessAll);
  const {stdout, result} = await runSmall('pieces');
  const {pairs, gains, rounds, partsRead} = result.report;
  expect(stdout).toMatch(/^a series: written as text +\d+/m);
  expect(Object.keys(gains)).toEqual(pairs.map(([quick]: [string]) => quick));
  expect(Object.keys(rounds.rounds[0].samples)).toEqual(pairs.flat());
  expect(pairs.length).toBeGreaterThan(20);
  expect(stdout).toMatch(/^parts read: two queues +[\d,]+,/m);
  expect([...Object.keys(gains), 'parts read: two queues'].sort()).toEqual(fastPathsOf('pieces'));
  expect(partsRead.twoQueues).toBeLessThan(partsRead.leastRecentlyUsed);
});

/** Each of their tests holds the lines that they print against the list. */
const benchesOfPaths = ['fold', 'history', 'parsers', 'pieces', 'reports', 'twins', 'without'];

test('bench: every fast path has a twin, a test and a line, and all of them are there', () => {
  expect(fastPaths.length).toBeGreaterThan(30);
  for (const [path, twin, checked, bench, , gain] of fastPaths) {
    for (const [, file] of `${path} ${twin} \`${checked}\``.matchAll(/`([^`]+\.ts)`/g)) {
      expect(existsSync(new URL(`../${file}`, import.meta.url)), file).toBe(true);
    }
    expect(checked).toMatch(/^test\/.+\.test\.ts$/);
    expect(benchesOfPaths).toContain(bench);
    expect(gain).toMatch(/\d/);
  }
});

test.runIf(isLinux)('bench: one that is killed leaves no service behind', async () => {
  const starter = fileURLToPath(new URL('../dist/bench/machine/service.js', import.meta.url));
  const script = `
    const {startService} = await import(${JSON.stringify(starter)});
    const {pid} = await startService({env: {}, profileFolder: null});
    process.stdout.write(String(pid), () => process.kill(process.pid, 'SIGKILL'));
  `;
  const env = {...process.env, TMPDIR: temporaryFolder()};
  const killed = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {env}).catch(
    (end: {signal: string; stdout: string}) => end,
  );
  expect(killed).toMatchObject({signal: 'SIGKILL', stdout: expect.stringMatching(/^\d+$/)});
  await until('the service has ended', () => !isRunning(Number(killed.stdout)));
});

test('bench: each of them has a small form that a test runs', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const sources = readdirSync(folder).filter((name) => /^bench.*\.test\.ts$/.test(name));
  const calls = sources.flatMap(
    (name) => readFileSync(`${folder}/${name}`, 'utf8').match(/(?:runSmall\w*|small)\('[^)]*\)/g) ?? [],
  );
  const run = calls.flatMap((call) => [...call.matchAll(/'([a-z]+)'/g)].map(([, name]) => name!));
  expect(run.sort()).toEqual(benches.map(({name}) => name).sort());
});

test('bench: a wrong command is told what is wrong, before anything runs', async () => {
  const refused = (...args: string[]): (() => unknown) => {
    return () => readCommand(args, benches);
  };
  expect(refused('ingest', '--rounds', 'many')).toThrow('--rounds must be a number above 0, not "many".');
  expect(refused('ingest', '--rounds', '51')).toThrow('--rounds must be at most 50, not "51".');
  expect(refused('ingest', '--small', '--keep')).toThrow(
    '--keep is for runs that measure something: the small form does not.',
  );
  const program = promisify(execFile)(process.execPath, [benchProgram, 'nothing-like-it']);
  await expect(program).rejects.toMatchObject({
    stderr: expect.stringMatching(/^There is no bench "nothing-like-it"\.\n/),
  });
});
