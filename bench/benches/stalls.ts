// The longest time for which the edge's event loop answered nobody, with millions of users live: ingestion at half the
// saturated rate, a report and a page of history every second, snapshots as they come.

import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {monotonicMs} from '../../src/clock.js';
import type {Bench, Say} from '../bench.js';
import {LoadProcess} from '../load/load-process.js';
import {type Offered, offerUnjudged, requireAllStored} from '../load/offered.js';
import {askAtRate, type ReportLatency} from '../load/report-load.js';
import {batchEvents, connectionsOf, prepareShapes, saturatedRate, shapes} from '../load/shapes.js';
import {foreignCpuWatch} from '../machine/foreign-cpu.js';
import {readMetrics} from '../machine/metrics.js';
import {type BenchService, envOf, startService, writeKey} from '../machine/service.js';
import {quieted, settled} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {type StallLine, stallFileVariable} from '../probe/loop-stalls.js';
import {freshReports} from '../reports.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical, type WorkloadOptions} from '../workload/events.js';

interface Phase {
  readonly name: string;
  readonly offered: Offered;
  readonly reports: ReportLatency;
  /** By the probe, one a second. */
  readonly seconds: readonly StallLine[];
  /** The longest that the service's own metric told, asked every 20 s. */
  readonly metricMs: number;
  /** Of all CPU; who waits for a core stalls, too. */
  readonly foreignShare: number;
}

interface StallsReport {
  readonly refreshSeconds: number;
  readonly users: number;
  readonly minutes: number;
  readonly phases: readonly Phase[];
}

const ingestShare = 0.5;
const metricPollMs = 20_000;
const storedAtOnce = 200_000;
/** Until all are folded, and told. */
const knownMsMax = 60_000;
const pollMs = 100;

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<StallsReport> {
  const {users, minutes} = options.numbers as {users: number; minutes: number};
  const load = owned.add(new LoadProcess());
  const probe = owned.add(new StallFile());
  const service = owned.add(await startProbed(options, probe));
  await storeEveryUser(load, service, users, options, say);
  const workload = {...canonical, userCount: users};
  await prepareShapes(load, options, writeKey, workload);
  const phases: Phase[] = [];
  for (const shape of shapes) {
    await quieted(service, options);
    const saturated = await saturatedRate(load, shape, service, options.seconds, options);
    await settled(service, options);
    const requestsPerSecond = ingestShare * saturated;
    say(`${shape} · ${whole(requestsPerSecond)} requests/s for ${fixed(minutes / shapes.length, 2)} minutes …`);
    const seconds = (minutes * 60) / shapes.length;
    phases.push(await runPhase(shape, requestsPerSecond, seconds, {load, service, probe, workload, options}));
    say(phaseText(phases.at(-1)!));
  }
  return {refreshSeconds: options.refreshSeconds, users, minutes, phases};
}

function startProbed(options: BenchOptions, probe: StallFile): Promise<BenchService> {
  const {profileFolder} = options;
  const env = {...envOf(options), [stallFileVariable]: probe.path};
  const nodeArguments = ['--import', fileURLToPath(new URL('../probe/loop-stalls.js', import.meta.url))];
  return startService({env, profileFolder, nodeArguments});
}

/** An event of each, in slices: the requests of millions at once would not fit. */
async function storeEveryUser(
  load: LoadProcess,
  service: BenchService,
  users: number,
  options: BenchOptions,
  say: Say,
): Promise<void> {
  const {host, port} = service;
  for (let firstUser = 0; firstUser < users; firstUser += storedAtOnce) {
    const eventCount = Math.min(storedAtOnce, users - firstUser);
    await load.prepare(
      'everyone',
      {...canonical, eventCount, userCount: eventCount, eachFrom: firstUser},
      batchEvents,
      writeKey,
    );
    const connections = connectionsOf('batch', options);
    const {refusals, firstRefusal} = await load.run('everyone', {host, port, connections, seconds: null});
    if (refusals > 0) throw new Error(`${refusals} batches were refused: ${firstRefusal}`);
    say(`${whole(firstUser + eventCount)} users stored`);
  }
  await settled(service, options);
  const deadlineMs = monotonicMs() + knownMsMax;
  for (;;) {
    const byPartition = (await readMetrics(service.baseUrl)).by('millrace_users', 'partition');
    const known = [...byPartition.values()].reduce((sum, count) => sum + count, 0);
    if (known === users) return;
    if (monotonicMs() > deadlineMs) throw new Error(`the service knows ${known} users, ${users} were stored`);
    await pause(pollMs);
  }
}

interface Stage {
  readonly load: LoadProcess;
  readonly service: BenchService;
  readonly probe: StallFile;
  readonly workload: Omit<WorkloadOptions, 'eventCount'>;
  readonly options: BenchOptions;
}

async function runPhase(
  shape: (typeof shapes)[number],
  requestsPerSecond: number,
  seconds: number,
  {load, service, probe, workload, options}: Stage,
): Promise<Phase> {
  probe.clear();
  const foreignShareNow = foreignCpuWatch();
  let metricMs = 0;
  const look = async (): Promise<void> => {
    metricMs = Math.max(metricMs, await edgeStallMs(service));
  };
  const poll = setInterval(() => void look().catch(() => {}), metricPollMs); // A look that fails is made up for below.
  try {
    const [offered, reports] = await Promise.all([
      offerUnjudged(load, {shape, target: service, requestsPerSecond, seconds}, options),
      askAtRate(service.baseUrl, questions({...workload, eventCount: 0}), 2, seconds),
    ]);
    const foreignShare = foreignShareNow();
    requireAllStored(offered);
    await look();
    return {name: shape, offered, reports, seconds: probe.read(), metricMs, foreignShare};
  } finally {
    clearInterval(poll);
  }
}

/** A report, a page of history, a report ... */
function* questions(workload: WorkloadOptions): Generator<string> {
  for (const path of freshReports(workload)) {
    yield path;
    yield `/v1/events?limit=100&event=purchase_completed`;
  }
}

async function edgeStallMs({baseUrl}: BenchService): Promise<number> {
  const metrics = await readMetrics(baseUrl);
  return 1_000 * metrics.sum('millrace_event_loop_delay_seconds', {thread: 'edge', stat: 'max'});
}

/** What the probe writes. */
class StallFile {
  readonly #folder = mkdtempSync(join(tmpdir(), 'millrace-bench-stalls-'));
  readonly path = join(this.#folder, 'stalls.jsonl');
  #skipped = 0;

  constructor() {
    writeFileSync(this.path, ''); // The probe writes its first line after a second.
  }

  /** Forgets the seconds until now. */
  clear(): void {
    this.#skipped = this.#lines().length;
  }

  read(): StallLine[] {
    return this.#lines()
      .slice(this.#skipped)
      .map((line) => JSON.parse(line) as StallLine);
  }

  stop(): void {
    rmSync(this.#folder, {recursive: true, force: true});
  }

  #lines(): string[] {
    return readFileSync(this.path, 'utf8').split('\n').filter(Boolean);
  }
}

/** So many of the longest stalls are told one by one. */
const toldMax = 5;

const byStall = ({seconds}: Phase): StallLine[] => [...seconds].sort((a, b) => b.stallMs - a.stallMs);

function longestOwnMs({seconds}: Phase): number | null {
  const owns = seconds.flatMap(({ownMs}) => ownMs ?? []);
  return owns.length === 0 ? null : Math.max(...owns);
}

const orUnknown = (ms: number | null): string => (ms === null ? 'unknown' : fixed(ms, 1));

function phaseText(phase: Phase): string {
  const {stallMs, waitMs} = byStall(phase)[0]!;
  const own = orUnknown(longestOwnMs(phase));
  return `${phase.name} · longest stall ${fixed(stallMs, 1)} ms, of it waiting for a core ${orUnknown(waitMs)}; longest own part ${own} ms`;
}

function text({refreshSeconds, users, minutes, phases}: StallsReport): string {
  const header = [
    '',
    'requests/s',
    'longest stall ms',
    'of it waiting for a core',
    'longest own part',
    'p99 of seconds',
    'metric max',
    'ack p99 ms',
    'asks, 503',
    'CPU of others',
  ];
  const rows = phases.map((phase) => {
    const [worst] = byStall(phase);
    const stalls = phase.seconds.map((line) => line.stallMs).sort((a, b) => a - b);
    return [
      phase.name,
      whole(phase.offered.requestsPerSecond),
      fixed(worst!.stallMs, 1),
      orUnknown(worst!.waitMs),
      orUnknown(longestOwnMs(phase)),
      fixed(stalls[Math.floor(0.99 * (stalls.length - 1))]!, 1),
      fixed(phase.metricMs, 1),
      fixed(phase.offered.latencyMs.p99, 1),
      `${phase.reports.asked}, ${phase.reports.unavailable}`,
      `${fixed(phase.foreignShare * 100, 1)} %`,
    ];
  });
  return [
    `Stalls of the edge with ${whole(users)} users live, ${fixed(minutes, 1)} minutes in all at ${ingestShare * 100} % of the ` +
      `saturated rates, REPORT_REFRESH_SECONDS=${refreshSeconds}`,
    tableText(header, rows),
    '',
    'The seconds of the longest stalls',
    tableText(
      ['', 'time', 'stall ms', 'of it waiting for a core', 'longest own part', 'longest collection'],
      phases.flatMap((phase) => byStall(phase).slice(0, toldMax).map(secondRow(phase))),
    ),
  ].join('\n');
}

const secondRow =
  ({name}: Phase) =>
  ({time, stallMs, waitMs, ownMs, gcMs}: StallLine): string[] => [
    name,
    new Date(time).toISOString().slice(11, 19),
    fixed(stallMs, 1),
    orUnknown(waitMs),
    orUnknown(ownMs),
    fixed(gcMs, 1),
  ];

export const stallsBench: Bench<StallsReport> = {
  name: 'stalls',
  summary: 'the longest stall of the event loop of the edge with millions of users live',
  numbers: {
    users: {normal: 2_000_000, small: 3_000, help: 'users, each with an event'},
    minutes: {normal: 10, small: 0.08, help: 'minutes, half of them with single events and half with batches'},
  },
  run,
  text,
};
