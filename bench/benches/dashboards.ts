// Cost of those who look for clients that wait for an ack: the same load with nobody else, with five event streams of dashboards, each
// with all topics of a page, and with reads of /openapi.json by somebody without a key. Also the cost of each without the load.

import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../src/clock.js';
import {ask, HttpClient} from '../../tools/http-client.js';
import type {Bench, Say} from '../bench.js';
import {LoadProcess} from '../load/load-process.js';
import {type Offered, offer, requireAllStored} from '../load/offered.js';
import {prepareShapes, saturatedRate, secondsOf} from '../load/shapes.js';
import {cpuSecondsOf} from '../machine/processes.js';
import {adminToken, type BenchService, envOf, startService, writeKey} from '../machine/service.js';
import {quieted} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText, VoidRound} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';

const watchers = 5;
/** Most are refused: an address may read 120 times a minute. */
const readsPerSecond = 1_000;
const readersMax = 64;
/** Share of the rate at which the service is saturated. */
const share = 0.25;

interface Sample {
  readonly offered: Offered;
  /** CPU of the service and its nats-server without the load: cores. */
  readonly idleCores: number;
}
const names = ['nobody', 'five dashboards', 'anonymous reads'] as const;
type Name = (typeof names)[number];

/** Those who look meanwhile. */
interface Others {
  /** Throws if they did not look. */
  readonly check: () => void;
  readonly close: () => void;
}

interface DashboardsReport {
  readonly rounds: Rounds<Sample, Name>;
  /** Ack p99 with five streams / without. */
  readonly openToNone: Ratio;
  /** Ack p99 with anonymous reads / without. */
  readonly readsToNone: Ratio;
}

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<DashboardsReport> {
  const load = owned.add(new LoadProcess());
  say('preparing requests and starting the service …');
  await prepareShapes(load, options, writeKey);
  const service = owned.add(await startService({env: envOf(options), profileFolder: options.profileFolder}));
  const cookie = await signIn(service);
  const requestsPerSecond = share * (await saturatedRate(load, 'single', service, options.seconds, options));
  const others: Readonly<Record<Name, () => Promise<Others>>> = {
    nobody: async () => ({check: () => {}, close: () => {}}),
    'five dashboards': () => watch(service, cookie),
    'anonymous reads': async () => readAsAnybody(service, options),
  };
  const measure = async (round: number, name: Name): Promise<Sample> => {
    await quieted(service, options);
    const {check, close} = await others[name]();
    try {
      const idleCores = await coresOf(service, secondsOf(round, options));
      const offered = await offer(
        load,
        {shape: 'single', target: service, requestsPerSecond, seconds: secondsOf(round, options)},
        options,
      );
      requireAllStored(offered);
      check();
      say(`${name}: p99 ${fixed(offered.latencyMs.p99, 2)} ms; idle ${fixed(idleCores * 100, 2)} % of a core`);
      return {offered, idleCores};
    } finally {
      close();
    }
  };
  const contenders = {
    nobody: (round: number) => measure(round, 'nobody'),
    'five dashboards': (round: number) => measure(round, 'five dashboards'),
    'anonymous reads': (round: number) => measure(round, 'anonymous reads'),
  };
  const rounds = await playRounds<Sample, Name>(contenders, {...options, takesTurns: true}, say);
  const toNone = (name: Name): Ratio =>
    ratioOf(rounds, ({nobody, [name]: one}) => one.offered.latencyMs.p99 / nobody.offered.latencyMs.p99);
  return {rounds, openToNone: toNone('five dashboards'), readsToNone: toNone('anonymous reads')};
}

async function coresOf(service: BenchService, seconds: number): Promise<number> {
  const [cpu, startMs] = [cpuSecondsOf(service.pid), monotonicMs()];
  await pause(seconds * 1_000);
  return (cpuSecondsOf(service.pid) - cpu) / ((monotonicMs() - startMs) / 1_000);
}

/** Signs in. @returns the cookie of a session. */
async function signIn({baseUrl}: BenchService): Promise<string> {
  const answer = await ask(`${baseUrl}/dashboard/api/session`, {
    method: 'POST',
    headers: {Origin: baseUrl, 'X-Millrace': '1'},
    json: {token: adminToken},
  });
  const [cookie] = answer.headers['set-cookie'] ?? [];
  if (cookie === undefined) throw new Error(`the sign-in was answered ${answer.status}`);
  return cookie.split(';', 1)[0]!;
}

/** Opens event streams with every topic; their content is dropped. */
async function watch(service: BenchService, cookie: string): Promise<Others> {
  const streams = await Promise.all(Array.from({length: watchers}, () => open(service, cookie)));
  return {
    check() {
      const unseen = streams.filter(({bytes}) => bytes() === 0).length;
      if (unseen > 0) throw new Error(`${unseen} of ${watchers} streams brought nothing`);
    },
    close() {
      for (const {close} of streams) close();
    },
  };
}

interface Stream {
  readonly bytes: () => number;
  readonly close: () => void;
}

async function open({baseUrl}: BenchService, cookie: string): Promise<Stream> {
  const path = '/dashboard/api/stream?topics=vitals,published,arrivals';
  const answer = await new HttpClient(baseUrl).open('GET', path, {headers: {cookie}});
  let bytes = 0;
  answer.on('error', () => {}); // Closing interrupts an answer that has no end.
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  if (answer.statusCode !== 200) throw new Error(`a stream was answered ${answer.statusCode}`);
  return {bytes: () => bytes, close: () => answer.destroy()};
}

/** Reads /openapi.json without a key, at a fixed rate while the service keeps up. */
function readAsAnybody({baseUrl}: BenchService, {isSmall}: BenchOptions): Others {
  const client = new HttpClient(baseUrl, {connectionsMax: readersMax});
  const startMs = monotonicMs();
  const dueNow = (): number => ((monotonicMs() - startMs) / 1_000) * readsPerSecond;
  let [asked, answered, failed] = [0, 0, 0];
  const timer = setInterval(() => {
    for (; asked < dueNow() && asked - answered - failed < readersMax; asked++)
      client.get('/openapi.json').then(
        () => answered++,
        () => failed++,
      );
  }, 2);
  return {
    check() {
      if (failed > 0) throw new Error(`${failed} reads had no answer`);
      if (!isSmall && answered < 0.9 * dueNow())
        throw new VoidRound(`${answered} of ${Math.round(dueNow())} reads were answered`);
    },
    close: () => clearInterval(timer),
  };
}

function text({rounds, openToNone, readsToNone}: DashboardsReport): string {
  const rowOf = (name: Name): string[] => {
    const samples = rounds.rounds.map((round) => round.samples[name]);
    const median = (of: (sample: Sample) => number): number => spreadOf(samples.map(of)).median;
    return [
      name,
      whole(median(({offered}) => offered.requestsPerSecond)),
      fixed(
        median(({offered}) => offered.latencyMs.p50),
        2,
      ),
      fixed(
        median(({offered}) => offered.latencyMs.p99),
        2,
      ),
      fixed(
        median(({idleCores}) => idleCores * 100),
        2,
      ),
    ];
  };
  return [
    `Acks of single events at ${share * 100} % of the saturated rate: with nobody looking, with ${watchers} dashboards open, and with ` +
      `${whole(readsPerSecond)} reads of /openapi.json a second without a key`,
    tableText(['', 'requests/s', 'p50 ms', 'p99 ms', 'idle, % of a core'], names.map(rowOf)),
    `ack p99 with five open / with none: ${ratioText(openToNone)} (to reach: 1.1)`,
    `ack p99 with anonymous reads / with none: ${ratioText(readsToNone)} (to reach: 1.5); ${roundsText(rounds)}`,
  ].join('\n');
}

export const dashboardsBench: Bench<DashboardsReport> = {
  name: 'dashboards',
  summary:
    'acks with five dashboards open, and with anonymous reads, beside neither; what the service takes without events',
  run,
  rounds: ({rounds}) => ({'single events': rounds}),
  text,
};
