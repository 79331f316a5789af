// The command line of `npm run bench`, and the options of each bench.

import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {roundsMax} from '../src/bench-run.js';
import type {Bench, NumberOption} from './bench.js';

export interface BenchOptions {
  readonly rounds: number;
  /** Length of each measurement in each round. */
  readonly seconds: number;
  readonly refreshSeconds: number;
  /** PARTITIONS of the service. */
  readonly partitions: number;
  /** Share of the machine's CPU that other processes may use in a round; beyond it the round is void. */
  readonly foreignShareMax: number;
  /** The bench's own numbers, by name. */
  readonly numbers: Readonly<Record<string, number>>;
  readonly resultsFolder: string | null;
  readonly profileFolder: string | null;
  /** Folder that keeps the data set of the report benches for later runs; null: it is removed after this run. */
  readonly storeFolder: string | null;
  readonly isSmall: boolean;
  /** Whether each run is added to the history that the dashboard shows. */
  readonly isKept: boolean;
}

export interface Command {
  readonly benches: readonly Bench[];
  optionsOf(bench: Bench): BenchOptions;
}

/** Numbers of every bench. */
const common = {
  rounds: {normal: 5, small: 1, max: roundsMax, help: 'rounds, after one that warms up'},
  seconds: {normal: 5, small: 0.25, help: 'seconds of each measurement in each round'},
  refresh: {normal: 10, small: 1, help: 'REPORT_REFRESH_SECONDS of the service'},
  partitions: {normal: 2, small: 2, help: 'PARTITIONS of the service, and of the log that is a floor'},
  // The small form only shows that a bench works, on machines that are busy with other tests.
  foreign: {normal: 0.1, small: 1, help: 'share of all CPU that others may use in a round before it is void'},
} as const satisfies Readonly<Record<string, NumberOption>>;

/** The message is a sentence for the user of the command. */
export class OptionFault extends Error {
  override name = 'OptionFault';
}

/** Null: help is requested. Without a name all benches run. */
export function readCommand(args: readonly string[], all: readonly Bench[]): Command | null {
  const {values, positionals} = parsed(args, all);
  if (values.help === true) return null;
  const benches = positionals.length === 0 ? all : positionals.map((name) => benchOf(name, all));
  const isSmall = values.small === true;
  const isKept = values.keep === true;
  if (isKept && isSmall) throw new OptionFault('--keep is for runs that measure something: the small form does not.');
  const numberOf = (name: string, {normal, small, max}: NumberOption): number =>
    aboveZero(name, values[name] as string | undefined, isSmall ? small : normal, max);
  const folderOf = (name: string): string | null => (values[name] === undefined ? null : resolve(String(values[name])));
  const optionsOf = ({numbers = {}}: Bench): BenchOptions => ({
    rounds: numberOf('rounds', common.rounds),
    seconds: numberOf('seconds', common.seconds),
    refreshSeconds: numberOf('refresh', common.refresh),
    partitions: numberOf('partitions', common.partitions),
    foreignShareMax: numberOf('foreign', common.foreign),
    numbers: Object.fromEntries(Object.entries(numbers).map(([name, option]) => [name, numberOf(name, option)])),
    resultsFolder: folderOf('results'),
    profileFolder: folderOf('profile'),
    storeFolder: folderOf('store'),
    isSmall,
    isKept,
  });
  for (const bench of benches) optionsOf(bench); // Reports bad numbers before anything runs.
  return {benches, optionsOf};
}

export function usageOf(all: readonly Bench[]): string {
  const width = Math.max(...all.map(({name}) => name.length)) + 2;
  return [
    'Usage: npm run bench -- [NAME...] [options]    (no name: all of them, one after the other)',
    '',
    ...all.map(({name, summary}) => `  ${name.padEnd(width)}${summary}`),
    '',
    ...Object.entries(common).map(([name, option]) => numberLine(name, option)),
    ...all.flatMap((bench) =>
      Object.entries(bench.numbers ?? {}).map(([name, option]) => numberLine(name, option, bench)),
    ),
    '  --results DIR   where the JSON goes (default bench/results)',
    "  --profile DIR   write CPU profiles of the service's threads there (costs some 10 % of the rates)",
    '  --store DIR     keep the data set of the report benches there (default: make it, and remove it at the end)',
    '  --keep          append each run to bench/history.ndjson, which the dashboard shows (benches that have figures)',
    '  --small         a tiny form that takes seconds: shows that it works, measures nothing',
    '',
  ].join('\n');
}

function numberLine(name: string, {normal, help}: NumberOption, bench?: Bench): string {
  const owner = bench === undefined ? '' : `${bench.name}: `;
  return `  ${`--${name} N`.padEnd(16)}${owner}${help} (default ${normal})`;
}

function benchOf(name: string, all: readonly Bench[]): Bench {
  const found = all.find((bench) => bench.name === name);
  if (found === undefined) throw new OptionFault(`There is no bench "${name}".`);
  return found;
}

function parsed(args: readonly string[], all: readonly Bench[]) {
  const numbers = [...Object.keys(common), ...all.flatMap((bench) => Object.keys(bench.numbers ?? {}))];
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...Object.fromEntries(numbers.map((name) => [name, {type: 'string'} as const])),
        results: {type: 'string'},
        profile: {type: 'string'},
        store: {type: 'string'},
        keep: {type: 'boolean'},
        small: {type: 'boolean'},
        help: {type: 'boolean', short: 'h'},
      },
    }) as {values: Record<string, string | boolean | undefined>; positionals: string[]};
  } catch (error) {
    throw new OptionFault((error as Error).message, {cause: error});
  }
}

function aboveZero(name: string, text: string | undefined, whenAbsent: number, max = Number.POSITIVE_INFINITY): number {
  if (text === undefined) return whenAbsent;
  const value = Number(text);
  if (!(value > 0)) throw new OptionFault(`--${name} must be a number above 0, not "${text}".`);
  if (value > max) throw new OptionFault(`--${name} must be at most ${max}, not "${text}".`);
  return value;
}
