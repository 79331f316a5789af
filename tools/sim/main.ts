// `npm run sim`: plays seeds, each twice, and compares them with the slow model; several processes share many seeds.
import './virtual-builtins.js';
import {availableParallelism} from 'node:os';
import {parseArgs} from 'node:util';
import {runClusterSeed} from './cluster.js';
import {runSeed, type SeedResult} from './seed.js';
import {playInProcesses} from './shares.js';
import {addTotals, emptyTotals, type Totals} from './totals.js';
import {realMs} from './virtual-builtins.js';

const seedsOfJobMin = 100;
const usage = `Usage: npm run sim -- [--seeds N] [--from S] [--jobs N] [--twice N] [--trace] [--stop]

  --seeds N   how many seeds (default 200)
  --from S    the first one (default 1)
  --jobs N    processes that share them (default: one a core, if each gets at least ${seedsOfJobMin} seeds)
  --twice N   how many of the seeds are played twice, the first ones (default: all)
  --trace     print what happened in each (one seed at a time is enough)
  --workers   seeds in which several workers share the partitions
  --stop      at the first seed that fails (of each process)
`;

interface Options {
  readonly seeds: number;
  readonly from: number;
  readonly jobs: number;
  readonly twice: number;
  readonly isVerbose: boolean;
  readonly hasWorkers: boolean;
  readonly stops: boolean;
}

function readOptions(): Options | null {
  const {values} = parseArgs({
    options: {
      seeds: {type: 'string', default: '200'},
      from: {type: 'string', default: '1'},
      jobs: {type: 'string'},
      twice: {type: 'string'},
      workers: {type: 'boolean', default: false},
      trace: {type: 'boolean', default: false},
      stop: {type: 'boolean', default: false},
      help: {type: 'boolean', short: 'h', default: false},
    },
  });
  if (values.help) return null;
  const [seeds, from] = [Number(values.seeds), Number(values.from)];
  const jobs = Number(values.jobs ?? Math.max(1, Math.min(availableParallelism(), Math.floor(seeds / seedsOfJobMin))));
  const twice = Number(values.twice ?? seeds);
  const isWhole = [seeds, from, jobs, twice].every(Number.isInteger);
  const isGood = isWhole && seeds >= 1 && from >= 0 && jobs >= 1 && jobs <= 64 && twice >= 0;
  if (!isGood) throw new Error(usage);
  const {trace: isVerbose, workers: hasWorkers, stop: stops} = values;
  return {seeds, from, twice, jobs: isVerbose ? 1 : jobs, isVerbose, hasWorkers, stops};
}

/** Faults of a seed; a second run that differs is one of them. */
async function faultsOf(seed: number, isTwice: boolean, {isVerbose, hasWorkers}: Options): Promise<SeedResult> {
  const play = hasWorkers ? runClusterSeed : runSeed;
  const first = await play(seed, isVerbose);
  if (!isTwice) return first;
  const second = await play(seed);
  if (first.traceHash === second.traceHash) return first;
  return {
    ...first,
    faults: [...first.faults, 'the second run took another course: the simulation is not deterministic'],
  };
}

function report(result: SeedResult, hasWorkers: boolean): void {
  if (result.lines !== undefined) process.stdout.write(`${result.lines.join('\n')}\n`);
  if (result.faults.length === 0) return;
  process.stdout.write(
    `seed ${result.seed} failed; to repeat it: npm run sim -- --from ${result.seed} --seeds 1 --trace${hasWorkers ? ' --workers' : ''}\n`,
  );
  for (const fault of result.faults.slice(0, 8)) process.stdout.write(`  ${fault}\n`);
}

async function playHere(options: Options): Promise<Totals> {
  const {seeds, from, twice, stops, hasWorkers} = options;
  const totals = emptyTotals();
  for (let seed = from; seed < from + seeds; seed++) {
    const result = await faultsOf(seed, seed < from + twice, options);
    report(result, hasWorkers);
    const failed = result.faults.length > 0 ? 1 : 0;
    // Weighted by the seed and added: the same sum in any order, and for any number of processes.
    const hash = Math.imul(result.traceHash, 2 * seed + 1) >>> 0;
    addTotals(totals, {seeds: 1, failed, hash, events: result.events, ...result.tally});
    if (stops && failed > 0) break;
  }
  return totals;
}

async function main(): Promise<number> {
  const options = readOptions();
  if (options === null) {
    process.stdout.write(usage);
    return 0;
  }
  const startMs = realMs();
  const totals = options.jobs === 1 ? await playHere(options) : await playInProcesses(options);
  const seconds = ((realMs() - startMs) / 1_000).toFixed(1);
  process.stdout.write(`${JSON.stringify({...totals, seconds})}\n`);
  return totals.failed === 0 ? 0 : 1;
}

main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).stack}\n`);
    process.exit(1);
  },
);
