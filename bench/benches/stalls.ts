// The longest stalls of the edge's event loop with millions of live users: ingestion at half the saturated rate, a report and a
// page of history every second, and regular snapshots.

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
import {Bystander} from '../probe/bystander.js';
import {type StallLine, stallFileVariable} from '../probe/loop-stalls.js';
import {StallFile} from '../probe/stall-file.js';
import {freshReports} from '../reports.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical, type WorkloadOptions} from '../workload/events.js';

interface Phase {
  readonly name: string;
  readonly offered: Offered;
  readonly reports: ReportLatency;
  /** Stalls by second, from the probe. */
  readonly seconds: readonly StallLine[];
  /** Stalls by second of a process that does nothing. */
  readonly bystander: readonly StallLine[];
  /** The longest stall by the service's own metric, read every 20 s. */
  readonly metricMs: number;
  /** Foreign share of all CPU: waiting for a core is a stall, too. */
  readonly foreignShare: number;
}

interface StallsReport {
  readonly refreshSeconds: number;
  readonly users: number;
  readonly minutes: number;
  /** Stalls of a process that does nothing, before anything else runs, for as many seconds as a phase has. */
  readonly machine: readonly StallLine[];
  readonly phases: readonly Phase[];
}

const ingestShare = 0.5;
const metricPollMs = 20_000;
const storedAtOnce = 200_000;
/** Deadline until all are folded, and reported. */
const knownMsMax = 60_000;
const pollMs = 100;
/** Time until the bystander is loaded. */
const bystanderStartMs = 2_000;

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<StallsReport> {
  const {users, minutes} = options.numbers as {users: number; minutes: number};
  const seconds = (minutes * 60) / shapes.length;
  const bystander = owned.add(new Bystander());
  const machine = await machineAlone(bystander, seconds, say);
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
    phases.push(
      await runPhase(shape, requestsPerSecond, seconds, {load, service, probe, bystander, workload, options}),
    );
    say(phaseText(phases.at(-1)!));
  }
  return {refreshSeconds: options.refreshSeconds, users, minutes, machine, phases};
}

/** Stalls of a thread of this machine while nothing else of ours runs. */
async function machineAlone(bystander: Bystander, seconds: number, say: Say): Promise<StallLine[]> {
  say(`a process that does nothing, alone, for ${fixed(seconds / 60, 2)} minutes …`);
  await pause(bystanderStartMs);
  bystander.clear();
  await pause(seconds * 1_000);
  return bystander.read();
}

function startProbed(options: BenchOptions, probe: StallFile): Promise<BenchService> {
  const {profileFolder} = options;
  const env = {...envOf(options), [stallFileVariable]: probe.path};
  const nodeArguments = ['--import', fileURLToPath(new URL('../probe/loop-stalls.js', import.meta.url))];
  return startService({env, profileFolder, nodeArguments});
}

/** Stores an event of each user, in slices: the requests of millions at once would not fit. */
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
  readonly bystander: Bystander;
  readonly workload: Omit<WorkloadOptions, 'eventCount'>;
  readonly options: BenchOptions;
}

async function runPhase(
  shape: (typeof shapes)[number],
  requestsPerSecond: number,
  seconds: number,
  {load, service, probe, bystander, workload, options}: Stage,
): Promise<Phase> {
  probe.clear();
  bystander.clear();
  const foreignShareNow = foreignCpuWatch();
  let metricMs = 0;
  const look = async (): Promise<void> => {
    metricMs = Math.max(metricMs, await edgeStallMs(service));
  };
  const poll = setInterval(() => void look().catch(() => {}), metricPollMs); // A failed reading is made up for below.
  try {
    const [offered, reports] = await Promise.all([
      offerUnjudged(load, {shape, target: service, requestsPerSecond, seconds}, options),
      askAtRate(service.baseUrl, questions({...workload, eventCount: 0}), 2, seconds),
    ]);
    const foreignShare = foreignShareNow();
    requireAllStored(offered);
    await look();
    const read = {seconds: probe.read(), bystander: bystander.read()};
    return {name: shape, offered, reports, ...read, metricMs, foreignShare};
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

/** Number of the longest stalls that are listed. */
const toldMax = 5;

const byStall = (seconds: readonly StallLine[]): StallLine[] => [...seconds].sort((a, b) => b.stallMs - a.stallMs);

function longestOwnMs(seconds: readonly StallLine[]): number | null {
  const owns = seconds.flatMap(({ownMs}) => ownMs ?? []);
  return owns.length === 0 ? null : Math.max(...owns);
}

const orUnknown = (ms: number | null): string => (ms === null ? 'unknown' : fixed(ms, 1));

/** The longest stall, its wait for a core, the longest own part of any, and the p99 of the seconds' longest. */
function stallCells(seconds: readonly StallLine[]): [string, string, string, string] {
  const longestFirst = byStall(seconds);
  const {stallMs, waitMs} = longestFirst[0]!;
  const p99 = longestFirst[longestFirst.length - 1 - Math.floor(0.99 * (longestFirst.length - 1))]!;
  return [fixed(stallMs, 1), orUnknown(waitMs), orUnknown(longestOwnMs(seconds)), fixed(p99.stallMs, 1)];
}

function phaseText({name, seconds}: Phase): string {
  const [stallMs, waitMs, own] = stallCells(seconds);
  return `${name} · longest stall ${stallMs} ms, of it waiting for a core ${waitMs}; longest own part ${own} ms`;
}

const stallHeader = ['longest stall ms', 'of it waiting for a core', 'longest own part', 'p99 of seconds'];

function text({refreshSeconds, users, minutes, machine, phases}: StallsReport): string {
  return [
    `Stalls of the edge with ${whole(users)} users live, ${fixed(minutes, 1)} minutes in all at ${ingestShare * 100} % of the ` +
      `saturated rates, REPORT_REFRESH_SECONDS=${refreshSeconds}`,
    tableText(
      ['', 'requests/s', ...stallHeader, 'metric max', 'ack p99 ms', 'asks, 503', 'CPU of others'],
      phases.map(phaseRow),
    ),
    '',
    'A process that does nothing but sleep, a millisecond at a time',
    tableText(
      ['', ...stallHeader],
      [
        ['alone, before anything runs', ...stallCells(machine)],
        ...phases.map(({name, bystander}) => [`beside ${name}`, ...stallCells(bystander)]),
      ],
    ),
    '',
    'The seconds of the longest stalls',
    tableText(
      ['', 'time', 'stall ms', 'of it waiting for a core', 'longest own part', 'longest collection'],
      phases.flatMap((phase) => byStall(phase.seconds).slice(0, toldMax).map(secondRow(phase))),
    ),
  ].join('\n');
}

const phaseRow = ({name, offered, seconds, metricMs, reports, foreignShare}: Phase): string[] => [
  name,
  whole(offered.requestsPerSecond),
  ...stallCells(seconds),
  fixed(metricMs, 1),
  fixed(offered.latencyMs.p99, 1),
  `${reports.asked}, ${reports.unavailable}`,
  `${fixed(foreignShare * 100, 1)} %`,
];

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
    minutes: {normal: 10, small: 0.05, help: 'minutes, half of them with single events and half with batches'},
  },
  run,
  text,
};
