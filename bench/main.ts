// `npm run bench`: chooses the benches, shows their progress, prints their tables, writes their results.

import {monotonicMs, wallMs} from '../src/clock.js';
import type {Bench} from './bench.js';
import {benches} from './benches.js';
import {type BenchOptions, OptionFault, readCommand, usageOf} from './options.js';
import {Owned} from './owned.js';
import {historyPath, keepRun, runOf, writeResult} from './results.js';

const startMs = monotonicMs();
const owned = new Owned();

function say(text: string): void {
  const seconds = ((monotonicMs() - startMs) / 1_000).toFixed(0).padStart(4);
  process.stderr.write(`[${seconds} s] ${text}\n`);
}

async function runBench(bench: Bench, options: BenchOptions): Promise<void> {
  say(`${bench.name}: ${bench.summary}`);
  try {
    const report = await bench.run(options, owned, say);
    process.stdout.write(`\n${bench.text(report, options)}\n\n`);
    const run = runOf(bench, options, report, new Date(wallMs()).toISOString());
    process.stdout.write(`Written to ${writeResult(run, report, options)}\n\n`);
    if (!options.isKept) return;
    if (run.figures.length > 0) keepRun(run);
    process.stdout.write(run.figures.length > 0 ? `Kept in ${historyPath}\n\n` : 'Not kept: it has no figures\n\n');
  } finally {
    await owned.stopAll();
  }
}

async function main(): Promise<number> {
  const command = readCommand(process.argv.slice(2), benches);
  if (command === null) {
    process.stdout.write(usageOf(benches));
    return 0;
  }
  if (process.platform !== 'linux') throw new OptionFault('CPU times are read from /proc: the benches need Linux.');
  for (const bench of command.benches) await runBench(bench, command.optionsOf(bench));
  return 0;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    owned.stopAll().finally(() => process.exit(1));
  });
}

/** A failure that no caller awaited: everything that was started must end all the same. */
process.once('uncaughtException', (error) => {
  process.stderr.write(`${error.stack}\n`);
  owned.stopAll().finally(() => process.exit(1));
});

main().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    const isExpected = error instanceof OptionFault;
    process.stderr.write(`${isExpected ? `${error.message}\n\n${usageOf(benches)}` : (error as Error).stack}\n`);
    process.exitCode = 1;
  },
);
