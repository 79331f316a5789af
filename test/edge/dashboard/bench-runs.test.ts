// Runs of benches as the edge reads them: kept lines and result files, what is damaged, and what is read again.
import {appendFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {keepRun, writeResult} from '../../../bench/results.js';
import {type BenchRun, headOfResult, type RunList, resultText} from '../../../src/bench-run.js';
import {BenchRuns} from '../../../src/edge/dashboard/bench-runs.js';
import type {Front} from '../../../src/edge/front.js';
import type {Exchange} from '../../../src/edge/http/exchange.js';
import {benchRunOf, dayTime, figureOf, listedRunOf} from '../../support/bench-runs.js';
import {temporaryFolder} from '../../support/service.js';

let historyPath: string;
let resultsFolder: string;
let nowMs: number;
let runs: BenchRuns;

beforeEach(() => {
  const folder = temporaryFolder();
  historyPath = join(folder, 'history.ndjson');
  resultsFolder = join(folder, 'results');
  nowMs = 0;
  runs = new BenchRuns({historyPath, resultsFolder, monotonicMs: () => nowMs});
});

interface Answer {
  readonly status: string;
  readonly body: string;
  readonly etag: string | undefined;
}

async function ask(handle: BenchRuns['readRuns'], query = '', ifNoneMatch?: string): Promise<Answer> {
  let answer: Answer | undefined;
  const take = (status: string, body: string | Buffer, headers: readonly (readonly string[])[] = []): void => {
    answer = {status, body: body.toString(), etag: headers.find(([name]) => name === 'ETag')?.[1]};
  };
  const exchange = {
    query,
    ifNoneMatch,
    json: (status: string, body: string, headers: string[][]) => take(status, body, headers),
    answer: (status: string, _: string, body: string, headers: string[][]) => take(status, body, headers),
  };
  await handle({} as Front, exchange as unknown as Exchange);
  return answer!;
}

/** Ten seconds later, so that files are looked at again. */
async function list(): Promise<RunList> {
  nowMs += 10_001;
  return JSON.parse((await ask(runs.readRuns)).body) as RunList;
}

const runOn = (day: number, changed: Partial<BenchRun> = {}): BenchRun => benchRunOf({time: dayTime(day), ...changed});
const write = (run: BenchRun, report: object = {}): string => writeResult(run, report, {resultsFolder});

test('where nothing is, there are no runs and no problems', async () => {
  expect(await list()).toEqual({runs: [], left_off: 0, problems: []});
});

test('a kept run is a line, and is listed as it was, oldest first', async () => {
  keepRun(runOn(2), historyPath);
  keepRun(runOn(1, {bench: 'latency'}), historyPath);
  expect(readFileSync(historyPath, 'utf8').split('\n')).toHaveLength(3);
  expect((await list()).runs).toEqual([listedRunOf(runOn(1, {bench: 'latency'})), listedRunOf(runOn(2))]);
});

test('a run that the pages would refuse is not kept', () => {
  const figures = [figureOf({samples: []})];
  expect(() => keepRun(runOn(1, {figures}), historyPath)).toThrow(/samples/);
  expect(() => readFileSync(historyPath)).toThrow(/ENOENT/);
});

test('a result file is read up to its report, whatever is in there', async () => {
  const report = {text: ',\n "report": {}}', all: Array.from({length: 40_000}, (_, at) => at)};
  const path = write(runOn(1), report);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({...runOn(1), report});
  expect(JSON.parse(headOfResult(resultText(runOn(1), report))!)).toEqual(runOn(1));
  expect((await list()).runs).toEqual([listedRunOf(runOn(1))]);
});

test('a run of both is one, with its report; that of the history alone has none', async () => {
  keepRun(runOn(1), historyPath);
  keepRun(runOn(2), historyPath);
  write(runOn(1), {whole: true});
  const listed = (await list()).runs;
  expect(listed).toHaveLength(2);
  const whole = await ask(runs.readRun, `id=${listed[0]!.id}`);
  expect(JSON.parse(whole.body)).toMatchObject({bench: 'ingest', time: dayTime(1), report: {whole: true}});
  const kept = await ask(runs.readRun, `id=${listed[1]!.id}`);
  expect(JSON.parse(kept.body)).toEqual(listed[1]);
  await expect(ask(runs.readRun, 'id=ingest-nothing')).rejects.toThrow(/no such run/);
  await expect(ask(runs.readRun, '')).rejects.toThrow(/id/);
});

test('what is damaged is told with its place, and the others are there', async () => {
  keepRun(runOn(1), historyPath);
  appendFileSync(historyPath, '{"bench": "ing\n\n');
  appendFileSync(historyPath, `${JSON.stringify({...runOn(2), host: 'this one'})}\n`);
  keepRun(runOn(3), historyPath);
  write(runOn(4));
  const cut = write(runOn(5));
  writeFileSync(cut, readFileSync(cut, 'utf8').slice(0, 300));
  writeFileSync(write(runOn(6)), ' '.repeat(9 * 1_048_576));
  const {runs: listed, problems} = await list();
  expect(listed.map(({time}) => time)).toEqual([1, 3, 4].map(dayTime));
  expect(problems).toEqual([
    {place: 'history.ndjson, line 2', why: 'is not JSON'},
    {place: 'history.ndjson, line 4', why: expect.stringMatching(/^is no run: host /)},
    {place: cut.split('/').at(-1), why: expect.stringMatching(/^is cut/)},
    {place: expect.stringMatching(/^ingest-2026-11-07/), why: 'has more than 8 MiB'},
  ]);
});

test('what measures nothing, or was written before there were figures, is left out in silence', async () => {
  write(runOn(1, {options: {...benchRunOf().options, isSmall: true}}));
  write(runOn(2, {figures: []}));
  const {figures: _, rounds: __, ...old} = runOn(3);
  writeFileSync(write(runOn(3)), `${JSON.stringify({...old, report: {}}, null, 1)}\n`);
  writeFileSync(join(resultsFolder, 'notes.json'), 'no run');
  expect(await list()).toEqual({runs: [], left_off: 0, problems: []});
});

test('files are looked at every ten seconds, and read again only where they changed', async () => {
  write(runOn(1));
  expect((await list()).runs).toHaveLength(1);
  const path = write(runOn(2));
  nowMs += 9_000;
  expect((JSON.parse((await ask(runs.readRuns)).body) as RunList).runs).toHaveLength(1);
  expect((await list()).runs).toHaveLength(2);
  // Another text of the same length and time is not seen: it was not read.
  utimesSync(path, 1_000, 1_000);
  expect((await list()).runs.at(-1)!.versions.node).toBe('v20.20.2');
  writeFileSync(path, readFileSync(path, 'utf8').replace('v20.20.2', 'v99.99.9'));
  utimesSync(path, 1_000, 1_000);
  expect((await list()).runs.at(-1)!.versions.node).toBe('v20.20.2');
  utimesSync(path, 2_000, 2_000);
  expect((await list()).runs.at(-1)!.versions.node).toBe('v99.99.9');
  rmSync(path);
  expect((await list()).runs).toHaveLength(1);
});

test('the list has an ETag, and its newest 300 runs', async () => {
  mkdirSync(resultsFolder);
  for (let at = 0; at < 305; at++) {
    keepRun(runOn(0, {time: new Date(Date.parse(dayTime(0)) + at * 60_000).toISOString()}), historyPath);
  }
  const {runs: listed, left_off} = await list();
  expect([listed.length, left_off, listed[0]!.time]).toEqual([300, 5, '2026-11-01T10:05:00.000Z']);
  const first = await ask(runs.readRuns);
  expect(first.etag).toMatch(/^"[\w-]{22}"$/);
  expect(await ask(runs.readRuns, '', first.etag)).toMatchObject({status: '304 Not Modified', body: ''});
  keepRun(runOn(9), historyPath);
  nowMs += 10_001;
  expect((await ask(runs.readRuns, '', first.etag)).status).toBe('200 OK');
});
