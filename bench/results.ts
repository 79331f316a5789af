// Results of runs as JSON: a file for each with the whole report, and lines of the tracked history, which the dashboard
// compares.

import {appendFileSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {type BenchRun, benchRun, type Figure, type RunRounds, resultText, runId} from '../src/bench-run.js';
import type {Bench} from './bench.js';
import {host, versions} from './machine/host.js';
import type {BenchOptions} from './options.js';
import type {Rounds} from './rounds.js';

const defaultFolder = fileURLToPath(new URL('../../bench/results', import.meta.url));
export const historyPath = fileURLToPath(new URL('../../bench/history.ndjson', import.meta.url));

/** `time`: end of the run. */
export function runOf<Report extends object>(
  bench: Bench<Report>,
  options: BenchOptions,
  report: Report,
  time: string,
): BenchRun {
  return {
    bench: bench.name,
    time,
    host: host(),
    versions: versions(),
    options: shownOptions(options),
    figures: (bench.figures?.(report) ?? []).filter(isMeasured).map(shortened),
    rounds: Object.entries(bench.rounds?.(report) ?? {}).map(([name, rounds]) => roundsOf(name, rounds)),
  };
}

/** Options without folders: paths of one machine say nothing about a figure. */
function shownOptions(options: BenchOptions): BenchRun['options'] {
  const {rounds, seconds, refreshSeconds, partitions, foreignShareMax, numbers, isSmall, profileFolder} = options;
  const isProfiled = profileFolder !== null;
  return {rounds, seconds, refreshSeconds, partitions, foreignShareMax, numbers, isSmall, isProfiled};
}

/** Whether all samples are finite: a ratio to nothing, which the small form may have, is no figure. */
const isMeasured = ({samples}: Figure): boolean => samples.every(Number.isFinite);

const digits = 6;
const short = (value: number): number => Number(value.toPrecision(digits));

function shortened({samples, curve, ...figure}: Figure): Figure {
  return {
    ...figure,
    samples: samples.map(short),
    ...(curve === undefined
      ? {}
      : {curve: {...curve, points: curve.points.map(([share, ms]) => [share, short(ms)] as const)}}),
  };
}

const roundsOf = (name: string, {rounds, voided}: Rounds<unknown, string>): RunRounds => ({
  name,
  foreignShares: rounds.map(({foreignShare}) => short(foreignShare)),
  voided,
});

/** Writes the result; returns its path. */
export function writeResult(
  run: BenchRun,
  report: object,
  {resultsFolder}: Pick<BenchOptions, 'resultsFolder'>,
): string {
  const folder = resultsFolder ?? defaultFolder;
  mkdirSync(folder, {recursive: true});
  const path = join(folder, `${runId(run)}.json`);
  writeFileSync(path, resultText(run, report));
  return path;
}

/** Appends a line to the history. Throws when the dashboard would refuse it: a wrong line would stay for ever. */
export function keepRun(run: BenchRun, path = historyPath): void {
  appendFileSync(path, `${JSON.stringify(benchRun.parse(run))}\n`);
}
