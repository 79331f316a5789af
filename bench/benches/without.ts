// Gains of the service's own shortcuts between client, log, fold and reports: the same load on two services, one of which lacks
// a shortcut (probe/without.ts). Each pair has services of its own, which therefore hold the same data.

import {setTimeout as pause} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {monotonicMs} from '../../src/clock.js';
import type {Bench, Say} from '../bench.js';
import {HttpAsker} from '../engine/http-ask.js';
import {LoadProcess} from '../load/load-process.js';
import {offerUnjudged, requireAllStored} from '../load/offered.js';
import {batchEvents, connectionsOf, prepareShapes, secondsOf} from '../load/shapes.js';
import {readMetrics} from '../machine/metrics.js';
import {cpuSecondsOf} from '../machine/processes.js';
import {type BenchService, envOf, startService, writeKey} from '../machine/service.js';
import {quieted, type Settled} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {allShortcuts, type Shortcut, withoutVariable} from '../probe/without.js';
import {
  type Measure,
  playRounds,
  type Ratio,
  type Rounds,
  ratioOf,
  ratioText,
  roundsText,
  VoidRound,
} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';

interface Sample {
  /** CPU seconds a million events, ms of an answer (of a service that stores nothing), or ms a deletion. */
  readonly cost: number;
}

interface Compared {
  readonly name: string;
  readonly plain: string;
  readonly without: Shortcut;
  readonly load: 'batches' | 'singles' | 'reports' | 'pages' | 'pages behind writes';
}

const compared: readonly Compared[] = [
  {
    name: 'batches: what was acked is handed over',
    plain: 'batches: read back from the log',
    without: 'handOver',
    load: 'batches',
  },
  {
    name: 'single events: messages at a pace',
    plain: 'single events: as soon as the last is acked',
    without: 'commitPace',
    load: 'singles',
  },
  {
    name: 'a report: asked from thread to thread',
    plain: 'a report: asked through NATS',
    without: 'askedThread',
    load: 'reports',
  },
  {
    name: 'a page of history: asked from thread to thread',
    plain: 'a page of history: asked through NATS',
    without: 'askedThread',
    load: 'pages',
  },
  {
    name: 'a page of history: what was acked is known',
    plain: 'a page of history: the log is asked',
    without: 'readBarrier',
    load: 'pages',
  },
  {
    name: 'a page behind 200,000 events: what was put is at hand',
    plain: 'a page behind 200,000 events: read from the store',
    without: 'keptParts',
    load: 'pages behind writes',
  },
];

interface WithoutReport {
  readonly singlesPerSecond: number;
  readonly rounds: Rounds<Sample, string>;
  /** Without the shortcut / with it. */
  readonly gains: Readonly<Record<string, Ratio>>;
}

/** A service, and the number of events that it acked. */
interface Loaded {
  readonly name: string;
  readonly without: readonly Shortcut[];
  readonly service: BenchService;
  events: number;
}

const asksMin = 20;
/** Longer than the bench: no snapshot happens during a measurement. */
const refreshSeconds = 3_600;
const foldedMsMax = 60_000;
const pollMs = 500;
const pagePath = '/v1/events?limit=1';
/** A page of the rarest event reads some 200,000 events back, most of them in closed chunks. */
const rarePagePath = '/v1/events?limit=400&event=refund_requested';
const pagesBehindWrites = 5;
const reportPath = '/v1/reports/events?event=never_happened&from=2024-01-01&to=2024-01-01&interval=day&filter=n%3D';

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<WithoutReport> {
  const singlesPerSecond = options.numbers.rate!;
  const load = owned.add(new LoadProcess());
  say('preparing requests, starting services …');
  await prepareShapes(load, options, writeKey);
  const loaded: Loaded[] = [];
  const contenders: Record<string, Measure<Sample>> = {};
  const contend = async (name: string, kind: Compared['load'], without: readonly Shortcut[]): Promise<void> => {
    // The small form measures nothing: two services suffice, one of which lacks all shortcuts.
    let sent = options.isSmall ? loaded.find((each) => each.without.length === without.length) : undefined;
    if (sent === undefined) {
      sent = {name, without, service: owned.add(await start(options, without)), events: 0};
      loaded.push(sent);
    }
    contenders[name] = measureOf(sent, load, kind, options, owned);
  };
  for (const {name, plain, without, load: kind} of compared) {
    await contend(name, kind, []);
    await contend(plain, kind, options.isSmall ? allShortcuts : [without]);
  }
  const rounds = await playRounds(contenders, options, say);
  for (const each of loaded) await requireAllFolded(each);
  const gains = compared.map(
    ({name, plain}) => [name, ratioOf(rounds, (samples) => samples[plain]!.cost / samples[name]!.cost)] as const,
  );
  return {singlesPerSecond, rounds, gains: Object.fromEntries(gains)};
}

function start(options: BenchOptions, without: readonly Shortcut[]): Promise<BenchService> {
  const env = {...envOf({...options, refreshSeconds}), ...(without.length > 0 && {[withoutVariable]: without.join()})};
  const nodeArguments = ['--import', fileURLToPath(new URL('../probe/without.js', import.meta.url))];
  return startService({env, profileFolder: options.profileFolder, nodeArguments});
}

function measureOf(
  loaded: Loaded,
  load: LoadProcess,
  kind: Compared['load'],
  options: BenchOptions,
  owned: Owned,
): Measure<Sample> {
  switch (kind) {
    case 'batches':
    case 'singles':
      return storing(loaded, load, kind, options);
    case 'reports':
      return asking(loaded.service, options, owned, newReport());
    case 'pages':
      return asking(loaded.service, options, owned, () => pagePath);
    case 'pages behind writes':
      return askingBehindWrites(loaded, load, options, owned);
  }
}

/** CPU of all processes of the service until everything is folded. */
function storing(
  loaded: Loaded,
  load: LoadProcess,
  kind: 'batches' | 'singles',
  options: BenchOptions,
): Measure<Sample> {
  const {service} = loaded;
  return async (round) => {
    if (!options.isSmall) requireQuiet(await quieted(service, options));
    const before = cpuSecondsOf(service.pid);
    const events = await (kind === 'batches' ? sendBatches : sendSingles)(
      service,
      load,
      secondsOf(round, options),
      options,
    );
    loaded.events += events;
    const after = await quieted(service, options);
    if (!options.isSmall) requireQuiet(after);
    return {cost: ((after.cpuSeconds - before) / events) * 1e6};
  };
}

function requireQuiet({isQuiet}: Settled): void {
  if (!isQuiet) throw new VoidRound('a service did not come to rest');
}

/** Throws when events were not folded: work that was not done only looks cheap. */
async function requireAllFolded({name, service, events}: Loaded): Promise<void> {
  const endMs = monotonicMs() + foldedMsMax;
  for (;;) {
    const folded = (await readMetrics(service.baseUrl)).sum('millrace_events_folded_total', {outcome: 'counted'});
    if (folded === events) return;
    if (folded > events || monotonicMs() > endMs)
      throw new Error(`"${name}": ${events} events were acked, ${folded} folded`);
    await pause(pollMs);
  }
}

/** `seconds` null: each request once. */
async function sendBatches(
  {host, port}: BenchService,
  load: LoadProcess,
  seconds: number | null,
  options: BenchOptions,
) {
  const plan = {host, port, connections: connectionsOf('batch', options), seconds};
  const {requests, refusals, firstRefusal} = await load.run('batch', plan);
  if (refusals > 0) throw new Error(`${refusals} requests were refused: ${firstRefusal}`);
  return requests * batchEvents;
}

async function sendSingles(target: BenchService, load: LoadProcess, seconds: number, options: BenchOptions) {
  const requestsPerSecond = options.numbers.rate!;
  const offered = await offerUnjudged(load, {shape: 'single', target, requestsPerSecond, seconds}, options);
  requireAllStored(offered);
  return offered.events; // Some of the last slot may not have been sent.
}

/** Paths of new reports. */
function newReport(): () => string {
  let asked = 0;
  return () => `${reportPath}${asked++}`;
}

/** Asks for one path after the other. */
function asking(service: BenchService, options: BenchOptions, owned: Owned, nextPath: () => string): Measure<Sample> {
  const http = new HttpAsker(service.baseUrl);
  owned.add({stop: () => http.close()});
  return async (round) => {
    const times: number[] = [];
    const endMs = monotonicMs() + (secondsOf(round, options) * 1_000) / 5;
    while (times.length < asksMin || monotonicMs() < endMs) times.push((await http.ask(nextPath())).elapsedMs);
    return {cost: spreadOf(times).median};
  };
}

/** The first page of newly written events, which are stored in parts. */
function askingBehindWrites(loaded: Loaded, load: LoadProcess, options: BenchOptions, owned: Owned): Measure<Sample> {
  const {service} = loaded;
  const http = new HttpAsker(service.baseUrl);
  owned.add({stop: () => http.close()});
  return async () => {
    const times: number[] = [];
    while (times.length < (options.isSmall ? 1 : pagesBehindWrites)) {
      loaded.events += await sendBatches(service, load, null, options);
      if (!options.isSmall) requireQuiet(await quieted(service, options));
      times.push((await http.ask(rarePagePath)).elapsedMs);
    }
    return {cost: spreadOf(times).median};
  };
}

function text({singlesPerSecond, rounds, gains}: WithoutReport): string {
  const medianOf = (name: string) => fixed(spreadOf(rounds.rounds.map(({samples}) => samples[name]!.cost)).median, 2);
  return [
    `Services that do without a shortcut: CPU s per million events (single events: ${whole(singlesPerSecond)} a second), ms of an answer`,
    tableText(
      ['', 'cost', 'without it', 'cost', 'gain'],
      compared.map(({name, plain}) => [name, medianOf(name), plain, medianOf(plain), ratioText(gains[name]!)]),
    ),
    roundsText(rounds),
  ].join('\n');
}

export const withoutBench: Bench<WithoutReport> = {
  name: 'without',
  summary:
    "what the service's shortcuts between client, log, fold and reports bring: the same load without each of them",
  numbers: {rate: {normal: 10_000, small: 200, help: 'single events a second'}},
  run,
  text,
};
