// The probing process of stall-watch.ts: `prober.js SERVICE_PORT CONTROL_PORT SERVICE_PID`.
import {readFileSync} from 'node:fs';
import {Agent, request} from 'node:http';
import {setTimeout as pause} from 'node:timers/promises';
import {type Distribution, type ProbeReport, type SlowProbe, stallMsMax} from './stall-watch.js';

const [servicePort, controlPort, servicePid] = process.argv.slice(2).map(Number);
const everyMs = 4;
const slowKeptMax = 20;
const agent = new Agent({keepAlive: true, maxSockets: 2});

const service: number[] = [];
const control: number[] = [];
const running: number[] = [];
let slow: SlowProbe[] = [];
let isStopping = false;

/** Ms that the main thread has run so far; 0 where the kernel keeps no such account. */
function mainThreadMs(): number {
  try {
    return Number(readFileSync(`/proc/${servicePid}/task/${servicePid}/schedstat`, 'latin1').split(' ', 1)[0]) / 1e6;
  } catch {
    return 0;
  }
}

/** A connection that was closed while idle is no stall: the probe is taken again. */
function probe(port: number): Promise<number | undefined> {
  const startMs = performance.now();
  return new Promise((resolve) => {
    const call = request({host: '127.0.0.1', port, path: '/healthz', agent}, (incoming) => {
      incoming.resume();
      incoming.on('end', () => resolve(performance.now() - startMs));
    });
    call.on('error', () => resolve(undefined));
    call.end();
  });
}

async function probeService(): Promise<void> {
  const before = mainThreadMs();
  const ms = await probe(servicePort);
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
    const ms = await probe(controlPort);
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
