// `npm run bench`: chooses the benches, shows their progress, prints their tables, writes their results.

import {monotonicMs} from '../src/clock.js';
import {benchImport, importText} from './import.js';
import {benchIngest, ingestText} from './ingest.js';
import {type BenchName, type BenchOptions, OptionFault, readOptions, usage} from './options.js';
import {Owned} from './owned.js';
import {writeResults} from './results.js';

const startMs = monotonicMs();
const owned = new Owned();

function say(text: string): void {
  const seconds = ((monotonicMs() - startMs) / 1_000).toFixed(0).padStart(4);
  process.stderr.write(`[${seconds} s] ${text}\n`);
}

async function runBench(bench: BenchName, options: BenchOptions): Promise<void> {
  let [text, report]: [string, object] = ['', {}];
  if (bench === 'ingest') {
    const ingest = await benchIngest(options, owned, say);
    [text, report] = [ingestText(ingest, options), ingest];
  } else {
    const imported = await benchImport(options, owned, say);
    [text, report] = [importText(imported), imported];
  }
  process.stdout.write(`\n${text}\n\nWritten to ${writeResults(bench, options, report)}\n\n`);
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === null) {
    process.stdout.write(usage);
    return 0;
  }
  if (process.platform !== 'linux') throw new OptionFault('CPU times are read from /proc: the benches need Linux.');
  try {
    for (const bench of options.benches) await runBench(bench, options);
  } finally {
    await owned.stopAll();
  }
  return 0;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    owned.stopAll().finally(() => process.exit(1));
  });
}

main().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    const isExpected = error instanceof OptionFault;
    process.stderr.write(`${isExpected ? `${error.message}\n\n${usage}` : (error as Error).stack}\n`);
    process.exitCode = 1;
  },
);
