// The probing process of stall-watch.ts: `prober.js SERVICE_PORT CONTROL_PORT SERVICE_PID`.
import {setTimeout as pause} from 'node:timers/promises';
import {readIfThere} from '../../src/system-file.js';
import {HttpClient} from '../http-client.js';
import {type Distribution, type ProbeReport, type SlowProbe, stallMsMax} from './stall-watch.js';

const [servicePort, controlPort, servicePid] = process.argv.slice(2).map(Number);
const everyMs = 4;
const slowKeptMax = 20;
const clients = [servicePort, controlPort].map((port) => new HttpClient(`http://127.0.0.1:${port}`));

const service: number[] = [];
const control: number[] = [];
const running: number[] = [];
let slow: SlowProbe[] = [];
let isStopping = false;

/** Ms that the main thread has run so far; 0 where the kernel does not count them. */
function mainThreadMs(): number {
  const account = readIfThere(`/proc/${servicePid}/task/${servicePid}/schedstat`) ?? '0';
  return Number(account.split(' ', 1)[0]) / 1e6;
}

/** Ms until the answer. Undefined: the connection was lost, which is no stall; the next probe opens another one. */
async function probe(client: HttpClient): Promise<number | undefined> {
  const startMs = performance.now();
  try {
    await client.get('/healthz');
    return performance.now() - startMs;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

async function probeService(): Promise<void> {
  const before = mainThreadMs();
  const ms = await probe(clients[0]!);
  if (ms === undefined) return;
  const runningMs = mainThreadMs() - before;
  service.push(ms);
  running.push(Math.min(runningMs, ms));
  if (ms <= stallMsMax) return;
  slow.push({ms, runningMs});
  slow = slow.sort((a, b) => b.runningMs - a.runningMs).slice(0, slowKeptMax);
}

async function run(): Promise<void> {
  while (!isStopping) {
    await probeService();
    const ms = await probe(clients[1]!);
    if (ms !== undefined) control.push(ms);
    await pause(everyMs);
  }
  const report: ProbeReport = {
    service: distribution(service),
    control: distribution(control),
    running: distribution(running),
    slow,
  };
  process.send?.(report);
}

function distribution(values: number[]): Distribution {
  const sorted = values.sort((a, b) => a - b);
  const at = (share: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  const overBound = sorted.filter((value) => value > stallMsMax).length;
  return {count: sorted.length, p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1), overBound};
}

const round = (ms: number): number => Math.round(ms * 10) / 10;

process.once('disconnect', () => process.exit());
process.on('message', () => {
  isStopping = true;
});
process.send?.('ready');
void run();
