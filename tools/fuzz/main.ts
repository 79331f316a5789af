// `npm run fuzz:http -- --n N --seed S`: mutated real requests against the real service.
//   1. Each is answered as the API says, or closed, within its deadline; the process never ends.
//   2. Afterwards exactly the events that were answered as taken are stored: event by event, and in every report.
//   3. Memory at rest grows by less than 20 MB after the warm-up; the event loop never stalls for 50 ms.
//   Exit code 1 when one of these is broken, 2 for an invalid command line.
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {ServiceProcess, secretKey} from '../service-process.js';
import {FuzzConnection} from './connection.js';
import {requestOf} from './generator.js';
import {fittedGrowth, restingMemory} from './memory.js';
import {type Options, readOptions, usage} from './options.js';
import {bytesOf} from './request.js';
import {FuzzRun} from './run.js';
import {type ProbeReport, StallWatch, stallMsMax} from './stall-watch.js';
import {compareStored} from './stored.js';

const growthMibMax = 20;
/** Fewer requests cannot tell growth from memory that a process takes once, nor a stall from code that is not compiled yet. */
const judgedRequestsMin = 20_000;
const memoryLooks = 8;
const warmUpBombRounds = 4;
/** Requests of the same kind: heaps and fragments of malloc reach the size that strange requests between others cause. */
const warmUpRequests = 20_000;
const brokenPrinted = 20;

const options = readOptions(process.argv.slice(2));
if (options === undefined) {
  process.stderr.write(`${usage}\n`);
  process.exit(2);
}
const dataDir = mkdtempSync(join(tmpdir(), 'millrace-fuzz-'));
// A cache that a short run fills: its growth is no leak.
const service = new ServiceProcess({
  dataDir,
  env: {
    REPORT_REFRESH_SECONDS: '2',
    MEMORY_CACHE_MIB: '16',
    // malloc keeps as little as it can: growth is then the service's own.
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '131072',
  },
});
const {baseUrl} = await service.ready();
const port = Number(new URL(baseUrl).port);
let isEnded = false;
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => void service.end('SIGKILL').then(() => process.exit(130)));
}
let failed = 0;
try {
  if (options.only === undefined) await fuzz(options);
  else await playOne(options.seed, options.only);
} finally {
  if (!isEnded) await service.end('SIGKILL');
  for (const folder of [dataDir, `${dataDir}-deletions`])
    rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 100});
}
process.exitCode = failed === 0 ? 0 : 1;

function check(claim: string, holds: boolean, detail = ''): void {
  console.log(`${holds ? 'ok    ' : 'FAILED'} ${claim}${detail === '' ? '' : ` (${detail})`}`);
  if (!holds) failed += 1;
}

async function fuzz({count, seed, warmUpEvents}: Options): Promise<void> {
  const startMs = performance.now();
  const run = new FuzzRun(port, seed);
  const isJudged = count >= judgedRequestsMin;
  await run.warmUp(warmUpEvents, isJudged ? warmUpBombRounds : 0);
  if (isJudged) await run.attack(count, count + warmUpRequests);
  const watch = await StallWatch.start(port, service.pid);
  const restingMib = await attack(run, count, isJudged ? memoryLooks : 0);
  const probes = await watch.stop();
  const covered = await run.fence();
  run.close();
  const {stored, broken} = await compareStored(port, secretKey, run.ledger, covered);

  const seconds = Math.round((performance.now() - startMs) / 1_000);
  const outcomes = [...run.outcomes].sort().map(([name, times]) => `${name}: ${times}`);
  console.log(`${count} requests, seed ${seed}, ${seconds} s; ${outcomes.join(', ')}`);
  for (const {index, what, marks, after} of run.findings) {
    console.log(`       --only ${index}, after ${after}: ${what} [${marks.join('; ')}]`);
  }
  for (const line of broken.slice(0, brokenPrinted)) console.log(`       ${line}`);
  const strays = `${run.findingsCount} are not`;
  check('every request is answered as documented, or closed, within its deadline', run.findingsCount === 0, strays);
  const differences = `${run.ledger.accepted} taken, ${stored} stored, ${broken.length} differ`;
  check('what is stored, and counted by reports, is what was taken', broken.length === 0, differences);
  if (isJudged) checkMemory(restingMib);
  else console.log(`       memory and stalls are judged from ${judgedRequestsMin} requests on`);
  tellStalls(probes, isJudged);
  check('the process lives, and ends by SIGTERM with code 0', service.isRunning && (await stop()) === 0);
  console.log(failed === 0 ? 'fuzz: nothing found' : `fuzz: ${failed} claims broken`);
}

/** @returns the memory at rest, before the first request and after each of `looks` equal shares of them. */
async function attack(run: FuzzRun, count: number, looks: number): Promise<number[]> {
  const restingMib = looks === 0 ? [] : [await restingMemory(service.pid)];
  const shares = Math.max(1, looks);
  for (let share = 0; share < shares; share++) {
    await run.attack(Math.floor((count * share) / shares), Math.floor((count * (share + 1)) / shares));
    if (looks > 0) restingMib.push(await restingMemory(service.pid));
  }
  return restingMib;
}

function checkMemory(restingMib: readonly number[]): void {
  const growth = fittedGrowth(restingMib);
  const detail = `${growth.toFixed(1)} MiB; ${restingMib.join(', ')} MiB`;
  check(`memory at rest grows by less than ${growthMibMax} MiB`, growth < growthMibMax, detail);
}

function tellStalls({service: asked, control, running, slow}: ProbeReport, isJudged: boolean): void {
  const text = (name: string, {count, p50, p99, p999, max, overBound}: ProbeReport['control']): string =>
    `       ${name}: ${count} probes, p50 ${p50}, p99 ${p99}, p99.9 ${p999}, max ${max} ms, ${overBound} over ${stallMsMax} ms`;
  console.log(text('/healthz', asked));
  console.log(text('an idle process', control));
  console.log(text('time on the CPU during a probe of /healthz', running));
  for (const {ms, runningMs} of slow.slice(0, 5))
    console.log(`       slow: ${ms.toFixed(0)} ms, of which the main thread ran ${runningMs.toFixed(0)} ms`);
  if (!isJudged) return;
  check(
    `no stall of the event loop over ${stallMsMax} ms`,
    running.overBound === 0,
    `${running.overBound} of ${running.count} probes`,
  );
}

async function stop(): Promise<number | NodeJS.Signals> {
  isEnded = true;
  return service.end('SIGTERM');
}

async function playOne(seed: number, index: number): Promise<void> {
  const request = requestOf(seed, index);
  console.log(bytesOf(request).subarray(0, 2_000).toString('latin1'));
  console.log(request.marks);
  const connection = new FuzzConnection(port);
  const outcome = await new FuzzRun(port, seed).play(connection, index, request);
  console.log(outcome.kind, outcome.kind === 'answer' ? `${outcome.status} ${outcome.body.subarray(0, 2_000)}` : '');
}
