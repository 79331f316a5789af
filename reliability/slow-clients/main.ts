// `npm run slow-clients -- --sockets N`: N connections that say nothing, drip or stop, beside ordinary ones; then a few
// that hardly read a large answer, or do not.
//   1. Each of them is closed by the service within its deadline.
//   2. Ordinary requests are all answered meanwhile; their p99 is compared with that of the same load without slow ones,
//      before and after.
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {parseArgs} from 'node:util';
import {Worker} from 'node:worker_threads';
import {ServiceProcess, secretKey, writeKey} from '../service-process.js';
import {type LargeAnswer, type SlowKind, slowKinds, slowReaders} from './kinds.js';
import type {Lifetimes, SlowSocketsData} from './slow-sockets.js';
import {type LoadReport, SteadyLoad} from './steady-load.js';

const {values} = parseArgs({
  options: {
    sockets: {type: 'string', default: '2000'},
    readers: {type: 'string', default: '4'},
    perSecond: {type: 'string', default: '200'},
    quietSeconds: {type: 'string', default: '15'},
    // Of the p99 beside slow clients to that without them; 0: any.
    maxRatio: {type: 'string', default: '2'},
    // A busy machine tells late that a connection is closed.
    lateSeconds: {type: 'string', default: '2'},
  },
});
const sockets = Number(values.sockets);
const readers = Number(values.readers);
const perSecond = Number(values.perSecond);
const quietMs = Number(values.quietSeconds) * 1_000;
const slowMsMax = 150_000;
const warmUpMs = 2_000;
const ratioMax = Number(values.maxRatio);
// Below this the pauses of a shared machine decide.
const p99MsIgnored = 50;
const lateMs = Number(values.lateSeconds) * 1_000;

let failed = 0;
function check(claim: string, holds: boolean, detail = ''): void {
  console.log(`${holds ? 'ok    ' : 'FAILED'} ${claim}${detail === '' ? '' : ` (${detail})`}`);
  if (!holds) failed += 1;
}

const dataDir = mkdtempSync(join(tmpdir(), 'millrace-slow-'));
const service = await ServiceProcess.start(dataDir);
try {
  await run();
} finally {
  await service.end('SIGTERM');
  rmSync(dataDir, {recursive: true, force: true});
}
process.exitCode = failed === 0 ? 0 : 1;

async function run(): Promise<void> {
  await loadFor(warmUpMs);
  const before = await loadFor(quietMs);
  const mibBefore = residentMib();
  const kinds = manyOf(slowKinds(writeKey), sockets);
  const slow = holdSlowSockets(kinds);
  const meanwhile = await loadFor(slowMsMax, slow);
  checkLifetimes(kinds, await slow);
  const after = await loadFor(quietMs);
  for (const [name, {failures}] of Object.entries({before, meanwhile, after})) {
    check(`ordinary requests ${name}: all answered`, failures.length === 0, failures.join('; '));
  }
  if (ratioMax > 0) checkPercentile(before, meanwhile, after);

  if (readers > 0) {
    const reading = manyOf(slowReaders(await prepareLargeAnswer()), readers);
    checkLifetimes(reading, await holdSlowSockets(reading));
  }
  console.log(`       memory of the service: ${mibBefore} MiB before, ${residentMib()} MiB after`);
}

function manyOf(kinds: readonly SlowKind[], count: number): SlowKind[] {
  return Array.from({length: count}, (_, i) => kinds[i % kinds.length]!);
}

function checkPercentile(before: LoadReport, meanwhile: LoadReport, after: LoadReport): void {
  const p99Max = Math.max(ratioMax * Math.max(before.p99, after.p99), p99MsIgnored);
  const figures = `${show(before)} before, ${show(meanwhile)} meanwhile, ${show(after)} after`;
  check(`p99 of ordinary requests stays below ${p99Max.toFixed(1)} ms`, meanwhile.p99 <= p99Max, figures);
}

function checkLifetimes(kinds: readonly SlowKind[], lifetimes: Lifetimes): void {
  for (const kind of new Set(kinds)) checkKind(kind, lifetimes, kinds);
}

function show({p50, p99}: LoadReport): string {
  return `p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms`;
}

function loadFor(ms: number, end?: Promise<unknown>): Promise<LoadReport> {
  return new SteadyLoad({baseUrl: service.baseUrl, writeKey, perSecond}).run(ms, end);
}

/** A history page that does not fit the buffers of a connection. */
async function prepareLargeAnswer(): Promise<LargeAnswer> {
  const [events, batches] = [100, 4];
  const padding = 'x'.repeat(30_000);
  for (let i = 0; i < batches; i++) {
    const body = JSON.stringify({
      events: Array.from({length: events}, () => ({event: 'large', userId: 'large', properties: {padding}})),
    });
    const headers = {authorization: `Bearer ${writeKey}`, 'content-type': 'application/json'};
    const answer = await fetch(`${service.baseUrl}/v1/events/batch`, {method: 'POST', headers, body});
    if (answer.status !== 200) throw new Error(`a batch was answered ${answer.status}`);
  }
  return {secretKey, path: '/v1/events?userId=large&limit=1000', bytes: events * batches * padding.length};
}

function holdSlowSockets(kinds: readonly SlowKind[]): Promise<Lifetimes> {
  const {hostname: host, port} = new URL(service.baseUrl);
  const workerData: SlowSocketsData = {host, port: Number(port), kinds, lateMs};
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./slow-sockets.js', import.meta.url), {workerData});
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

function checkKind(kind: SlowKind, lifetimes: Lifetimes, kinds: readonly SlowKind[]): void {
  const own = lifetimes.filter((_, i) => kinds[i] === kind);
  const late = own.filter((ms) => ms === null || ms > kind.closedWithinMs + lateMs);
  const seconds = own.flatMap((ms) => (ms === null ? [] : [ms / 1_000]));
  const range =
    seconds.length === 0 ? 'none' : `${Math.min(...seconds).toFixed(1)} to ${Math.max(...seconds).toFixed(1)} s`;
  check(
    `${own.length} x ${kind.name}: closed within ${(kind.closedWithinMs / 1_000).toFixed(0)} s`,
    late.length === 0,
    late.length === 0 ? range : `${range}; ${late.length} too late or never`,
  );
}

function residentMib(): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kib ?? 0) / 1_024);
}
