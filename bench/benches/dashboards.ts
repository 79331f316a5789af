// Cost of open dashboards for clients that wait for an ack: the same load without a dashboard and with five event streams, each
// with all topics of a page. Also the idle cost of the service, with and without them.

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
import {playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';

const watchers = 5;
/** Share of the rate at which the service is saturated. */
const share = 0.25;

interface Sample {
  readonly offered: Offered;
  /** CPU of the service and its nats-server without requests: cores. */
  readonly idleCores: number;
}
type Name = 'nobody' | 'five dashboards';

interface DashboardsReport {
  readonly rounds: Rounds<Sample, Name>;
  /** Ack p99 with five streams / without. */
  readonly openToNone: Ratio;
}

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<DashboardsReport> {
  const load = owned.add(new LoadProcess());
  say('preparing requests and starting the service …');
  await prepareShapes(load, options, writeKey);
  const service = owned.add(await startService({env: envOf(options), profileFolder: options.profileFolder}));
  const cookie = await signIn(service);
  const requestsPerSecond = share * (await saturatedRate(load, 'single', service, options.seconds, options));
  const measure = async (round: number, name: Name): Promise<Sample> => {
    await quieted(service, options);
    const streams =
      name === 'nobody' ? [] : await Promise.all(Array.from({length: watchers}, () => open(service, cookie)));
    try {
      const idleCores = await coresOf(service, secondsOf(round, options));
      const offered = await offer(
        load,
        {shape: 'single', target: service, requestsPerSecond, seconds: secondsOf(round, options)},
        options,
      );
      requireAllStored(offered);
      const unseen = streams.filter(({bytes}) => bytes() === 0).length;
      if (unseen > 0) throw new Error(`${unseen} of ${watchers} streams brought nothing`);
      say(`${name}: p99 ${fixed(offered.latencyMs.p99, 2)} ms; idle ${fixed(idleCores * 100, 2)} % of a core`);
      return {offered, idleCores};
    } finally {
      for (const {close} of streams) close();
    }
  };
  const contenders = {
    nobody: (round: number) => measure(round, 'nobody'),
    'five dashboards': (round: number) => measure(round, 'five dashboards'),
  };
  const rounds = await playRounds<Sample, Name>(contenders, {...options, takesTurns: true}, say);
  const p99 = ({offered}: Sample): number => offered.latencyMs.p99;
  return {rounds, openToNone: ratioOf(rounds, (samples) => p99(samples['five dashboards']) / p99(samples.nobody))};
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

interface Stream {
  readonly bytes: () => number;
  readonly close: () => void;
}

/** Opens an event stream with every topic; its content is dropped. */
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

function text({rounds, openToNone}: DashboardsReport): string {
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
    `Acks of single events at ${share * 100} % of the saturated rate, with nobody looking and with ${watchers} dashboards open`,
    tableText(['', 'requests/s', 'p50 ms', 'p99 ms', 'idle, % of a core'], [rowOf('nobody'), rowOf('five dashboards')]),
    `ack p99 with five open / with none: ${ratioText(openToNone)} (to reach: 1.1); ${roundsText(rounds)}`,
  ].join('\n');
}

export const dashboardsBench: Bench<DashboardsReport> = {
  name: 'dashboards',
  summary: 'acks with five dashboards open beside none; what the service takes while nothing happens',
  run,
  rounds: ({rounds}) => ({'single events': rounds}),
  text,
};
