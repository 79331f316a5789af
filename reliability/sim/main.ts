// `npm run sim`: seeds, each run twice, against the slow model.
import './virtual-builtins.js';
import {parseArgs} from 'node:util';
import {runSeed, type SeedResult} from './seed.js';
import {realMs} from './virtual-builtins.js';

const usage = `Usage: npm run sim -- [--seeds N] [--from S] [--trace] [--stop]

  --seeds N   how many seeds (default 200)
  --from S    the first one (default 1)
  --trace     print what happened in each (one seed at a time is enough)
  --stop      at the first seed that fails
`;

interface Options {
  readonly seeds: number;
  readonly from: number;
  readonly isVerbose: boolean;
  readonly stops: boolean;
}

function readOptions(): Options | null {
  const {values} = parseArgs({
    options: {
      seeds: {type: 'string', default: '200'},
      from: {type: 'string', default: '1'},
      trace: {type: 'boolean', default: false},
      stop: {type: 'boolean', default: false},
      help: {type: 'boolean', short: 'h', default: false},
    },
  });
  if (values.help) return null;
  const [seeds, from] = [Number(values.seeds), Number(values.from)];
  if (!Number.isInteger(seeds) || !Number.isInteger(from) || seeds < 1 || from < 0) throw new Error(usage);
  return {seeds, from, isVerbose: values.trace, stops: values.stop};
}

/** What a seed got wrong; a second run that differs is one of the faults. */
async function faultsOf(seed: number, isVerbose: boolean): Promise<SeedResult> {
  const first = await runSeed(seed, isVerbose);
  const second = await runSeed(seed);
  if (first.traceHash === second.traceHash) return first;
  return {
    ...first,
    faults: [...first.faults, 'the second run took another course: the simulation is not deterministic'],
  };
}

function report(result: SeedResult): void {
  if (result.lines !== undefined) process.stdout.write(`${result.lines.join('\n')}\n`);
  if (result.faults.length === 0) return;
  process.stdout.write(
    `seed ${result.seed} failed; to repeat it: npm run sim -- --from ${result.seed} --seeds 1 --trace\n`,
  );
  for (const fault of result.faults.slice(0, 8)) process.stdout.write(`  ${fault}\n`);
}

async function main(): Promise<number> {
  const options = readOptions();
  if (options === null) {
    process.stdout.write(usage);
    return 0;
  }
  const startMs = realMs();
  const totals: Record<string, number> = {events: 0};
  const failed: number[] = [];
  let hash = 0;
  for (let seed = options.from; seed < options.from + options.seeds; seed++) {
    const result = await faultsOf(seed, options.isVerbose);
    report(result);
    if (result.faults.length > 0) failed.push(seed);
    if (options.stops && failed.length > 0) break;
    hash = (Math.imul(hash, 31) + result.traceHash) >>> 0;
    totals.events = (totals.events as number) + result.events;
    for (const [what, count] of Object.entries(result.tally)) totals[what] = (totals[what] ?? 0) + count;
  }
  const seconds = ((realMs() - startMs) / 1_000).toFixed(1);
  process.stdout.write(`${JSON.stringify({seeds: options.seeds, failed: failed.length, seconds, hash, ...totals})}\n`);
  return failed.length === 0 ? 0 : 1;
}

main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).stack}\n`);
    process.exit(1);
  },
);
