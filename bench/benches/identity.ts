// Cost of persons who are anonymous first.
//   CPU       of a million events in batches: with a user alone, with a user and a device that is known to be theirs, and with
//             a user alone where joining is off. Each in a service of its own
//   acks      of single events: beside 1,000 links a second, and beside as many events that link nobody. A link is an event of
//             a new device and an event of this device with its user
//   deletion  of a user with five devices, and of one without, until the receipt is completed
//   history   from the request that links until the history of the user has what the device sent before

import {setTimeout as pause} from 'node:timers/promises';
import type {Figure} from '../../src/bench-run.js';
import {monotonicMs, wallMs} from '../../src/clock.js';
import {HttpClient} from '../../tools/http-client.js';
import type {Bench, Say} from '../bench.js';
import {type Bounds, ratioFigure} from '../figures.js';
import {LoadProcess} from '../load/load-process.js';
import {type Offered, offer, requireAllStored} from '../load/offered.js';
import {batchEvents, connectionsOf, saturatedRate} from '../load/shapes.js';
import {cpuSecondsOf} from '../machine/processes.js';
import {type BenchService, envOf, secretKey, startService, writeKey} from '../machine/service.js';
import {idleShares, quieted, settled} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText, VoidRound} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical} from '../workload/events.js';

type CpuName = 'user alone' | 'user and device' | 'user alone, joining off';
type AckName = 'nobody linked' | 'links';
type DeletionName = 'no device' | 'five devices';

interface IdentityReport {
  /** CPU seconds of a million events. */
  readonly cpu: Rounds<number, CpuName>;
  readonly joiningToNone: Ratio;
  readonly bothToUser: Ratio;
  readonly acks: Rounds<Offered, AckName>;
  readonly linksToNone: Ratio;
  readonly linksPerSecond: number;
  /** Ms from each request to its completed receipt. */
  readonly deletions: Rounds<readonly number[], DeletionName>;
  readonly devicesToNone: Ratio;
  /** Ms of each link, sorted. */
  readonly historyMs: readonly number[];
}

const bounds = {
  joiningToNone: {reach: 1.01, limit: 1},
  bothToUser: {reach: 1.1, limit: 1.02},
  linksToNone: {reach: 1.5, limit: 1.1},
  devicesToNone: {reach: 2, limit: 1.2},
  historyMs: {reach: 6_000, limit: 100},
} as const satisfies Record<string, Bounds>;

const devicesOfUser = 5;
/** Share of the saturated rate at which acks are measured. */
const share = 0.25;
/** Events of a request that links: ten requests a second link a thousand. */
const linkRequestEvents = 200;
const linksPerRequest = linkRequestEvents / 2;
/** Far from the users of the canonical workload. */
const firstLinkedUser = 10_000_000;
const stepMsMax = 60_000;
/** REPORT_REFRESH_SECONDS does not decide when a history is whole, nor when a deletion ends: both are polled. */
const pollMs = 5;

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<IdentityReport> {
  const load = owned.add(new LoadProcess());
  say('preparing requests and starting two services …');
  const workload = {...canonical, eventCount: options.numbers.events!};
  await load.prepare('user alone', workload, batchEvents, writeKey, 'of their moment');
  await load.prepare('user and device', {...workload, devices: 'known'}, batchEvents, writeKey, 'of their moment');
  const single = {...canonical, eventCount: options.isSmall ? 500 : 20_000};
  await load.prepare('single', single, 1, writeKey, 'of their moment');
  const {profileFolder} = options;
  const service = owned.add(await startService({env: envOf(options), profileFolder}));
  const off = owned.add(await startService({env: {...envOf(options), IDENTITY_JOIN: 'off'}, profileFolder}));
  const cpu = await playCpu(load, service, off, options, say);
  await off.stop();
  const acks = await playAcks(load, service, owned, options, say);
  const deletions = await playDeletions(service, options, say);
  const historyMs = await measureHistories(service, options, say);
  return {
    cpu,
    joiningToNone: ratioOf(cpu, (samples) => samples['user alone'] / samples['user alone, joining off']),
    bothToUser: ratioOf(cpu, (samples) => samples['user and device'] / samples['user alone']),
    acks,
    linksToNone: ratioOf(acks, (samples) => samples.links.latencyMs.p99 / samples['nobody linked'].latencyMs.p99),
    linksPerSecond: options.numbers.links!,
    deletions,
    devicesToNone: ratioOf(
      deletions,
      (samples) => spreadOf(samples['five devices']).median / spreadOf(samples['no device']).median,
    ),
    historyMs,
  };
}

async function playCpu(
  load: LoadProcess,
  service: BenchService,
  off: BenchService,
  options: BenchOptions,
  say: Say,
): Promise<Rounds<number, CpuName>> {
  const idle = await idleShares({service, off}, options.isSmall ? 0.2 : options.refreshSeconds);
  const measure = async (name: CpuName, requests: string, target: BenchService, idleShare: number): Promise<number> => {
    const cpuBefore = cpuSecondsOf(target.pid);
    const plan = {host: target.host, port: target.port, connections: connectionsOf('batch', options), seconds: null};
    const {events, refusals, firstRefusal} = await load.run(requests, plan);
    if (refusals > 0) throw new Error(`${refusals} requests were refused: ${firstRefusal}`);
    const {cpuSeconds, idleMs, isQuiet} = await settled(target, options);
    if (!isQuiet && !options.isSmall) throw new VoidRound(`${name} was not done within a minute`);
    const perMillion = (cpuSeconds - cpuBefore - (idleShare * idleMs) / 1_000) / (events / 1e6);
    say(`${name}: ${fixed(perMillion, 2)} CPU s per million events`);
    return perMillion;
  };
  return playRounds<number, CpuName>(
    {
      'user alone': () => measure('user alone', 'user alone', service, idle.service!),
      'user and device': () => measure('user and device', 'user and device', service, idle.service!),
      'user alone, joining off': () => measure('user alone, joining off', 'user alone', off, idle.off!),
    },
    {...options, takesTurns: true},
    say,
  );
}

async function playAcks(
  load: LoadProcess,
  service: BenchService,
  owned: Owned,
  options: BenchOptions,
  say: Say,
): Promise<Rounds<Offered, AckName>> {
  const linking = owned.add(new LoadProcess());
  const seconds = options.numbers['linking-seconds']!;
  const requestsPerSecond = share * (await saturatedRate(load, 'single', service, options.seconds, options));
  const linkRequestsPerSecond = options.numbers.links! / linksPerRequest;
  let firstUser = firstLinkedUser;
  const measure = async (round: number, name: AckName): Promise<Offered> => {
    const lasts = round === 0 ? Math.min(2, seconds) : seconds;
    const users = Math.ceil(lasts * linkRequestsPerSecond) * linksPerRequest;
    const workload = {...canonical, eventCount: users * 2, userCount: users, eachFrom: firstUser};
    firstUser += users;
    const devices = name === 'links' ? {devices: 'new' as const} : {};
    await linking.prepare('beside', {...workload, ...devices}, linkRequestEvents, writeKey, 'of their moment');
    await quieted(service, options);
    const {host, port} = service;
    const [offered, beside] = await Promise.all([
      offer(load, {shape: 'single', target: service, requestsPerSecond, seconds: lasts}, options),
      linking.offer('beside', {
        host,
        port,
        connections: 2,
        seconds: lasts,
        requestsPerSecond: linkRequestsPerSecond,
        keepsSamples: false,
      }),
    ]);
    requireAllStored(offered);
    requireAllStored(beside);
    say(`acks, ${name}: p99 ${fixed(offered.latencyMs.p99, 2)} ms`);
    return offered;
  };
  const rounds = await playRounds<Offered, AckName>(
    {
      'nobody linked': (round) => measure(round, 'nobody linked'),
      links: (round) => measure(round, 'links'),
    },
    {...options, takesTurns: true},
    say,
  );
  await quieted(service, options);
  return rounds;
}

const eventOf = (ids: object, name: string) => ({event: name, ...ids, timestamp: new Date(wallMs()).toISOString()});

async function playDeletions(
  service: BenchService,
  options: BenchOptions,
  say: Say,
): Promise<Rounds<readonly number[], DeletionName>> {
  const writer = new HttpClient(service.baseUrl, {key: writeKey});
  const owner = new HttpClient(service.baseUrl, {key: secretKey});
  const perRound = options.numbers.deletions!;
  const measure = async (round: number, name: DeletionName): Promise<number[]> => {
    const all: number[] = [];
    for (let at = 0; at < perRound; at++) {
      const userId = `deleted-${name.replaceAll(' ', '-')}-${round}-${at}`;
      const devices =
        name === 'five devices' ? Array.from({length: devicesOfUser}, (_, n) => `${userId}-device-${n}`) : [];
      const events = [
        ...devices.flatMap((anonymousId) => [eventOf({anonymousId}, 'looked'), eventOf({anonymousId, userId}, 'came')]),
        ...Array.from({length: 2 * (devicesOfUser - devices.length)}, () => eventOf({userId}, 'came')),
      ];
      await stored(writer, events);
      await untilWhole(owner, userId, events.length);
      all.push(await deletionMs(owner, userId));
    }
    say(`deletions, ${name}: median ${whole(spreadOf(all).median)} ms`);
    return all;
  };
  await quieted(service, options);
  return playRounds<readonly number[], DeletionName>(
    {'no device': (round) => measure(round, 'no device'), 'five devices': (round) => measure(round, 'five devices')},
    {...options, takesTurns: true},
    say,
  );
}

async function stored(writer: HttpClient, events: readonly object[]): Promise<void> {
  const {status, text} = await writer.send('POST', '/v1/events/batch', {json: {events}});
  if (status !== 200) throw new Error(`a batch was answered ${status}: ${text}`);
}

/** Resolves once the user's history has `events` events. */
function untilWhole(owner: HttpClient, userId: string, events: number): Promise<void> {
  const path = `/v1/events?userId=${encodeURIComponent(userId)}&limit=1000`;
  return polled(`the history of ${userId} has ${events} events`, async () => {
    const {status, json} = await owner.get(path);
    return status === 200 && json<{data: unknown[]}>().data.length === events;
  });
}

async function deletionMs(owner: HttpClient, userId: string): Promise<number> {
  const startMs = monotonicMs();
  const answer = await owner.send('DELETE', `/v1/user?userId=${encodeURIComponent(userId)}`);
  if (answer.status !== 200 && answer.status !== 202) throw new Error(`a deletion was answered ${answer.status}`);
  const {deletion} = answer.json<{deletion: {id: string; status: string}}>();
  if (deletion.status !== 'completed')
    await polled(`the deletion ${deletion.id} is completed`, async () => {
      const {text, json} = await owner.get(`/v1/deletion?id=${deletion.id}`);
      return text !== '' && json<{deletion: {status: string}}>().deletion.status === 'completed';
    });
  return monotonicMs() - startMs;
}

async function polled(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endMs = monotonicMs() + stepMsMax;
  while (!(await isSo())) {
    if (monotonicMs() > endMs) throw new Error(`waited ${stepMsMax} ms in vain until ${what}`);
    await pause(pollMs);
  }
}

async function measureHistories(service: BenchService, options: BenchOptions, say: Say): Promise<number[]> {
  const writer = new HttpClient(service.baseUrl, {key: writeKey});
  const owner = new HttpClient(service.baseUrl, {key: secretKey});
  const all: number[] = [];
  for (let at = 0; at < options.numbers.histories!; at++) {
    const [anonymousId, userId] = [`history-device-${at}`, `history-user-${at}`];
    await stored(writer, [eventOf({anonymousId}, 'looked'), eventOf({anonymousId}, 'looked')]);
    const startMs = monotonicMs();
    await stored(writer, [eventOf({anonymousId, userId}, 'came')]);
    await untilWhole(owner, userId, 3);
    all.push(monotonicMs() - startMs);
  }
  all.sort((a, b) => a - b);
  say(`whole histories: p99 ${whole(p99Of(all))} ms`);
  return all;
}

/** `sorted`: ascending. */
const p99Of = (sorted: readonly number[]): number => sorted[Math.ceil(0.99 * sorted.length) - 1]!;

function figures(report: IdentityReport): Figure[] {
  const less = 'less' as const;
  return [
    ratioFigure(
      {id: 'identity-none', name: 'CPU of events without devices, joining on / off', better: less},
      report.joiningToNone,
      bounds.joiningToNone,
    ),
    ratioFigure(
      {id: 'identity-both', name: 'CPU of events with both ids / with the user alone', better: less},
      report.bothToUser,
      bounds.bothToUser,
    ),
    ratioFigure(
      {id: 'identity-acks', name: `ack p99 beside ${report.linksPerSecond} links a second / none`, better: less},
      report.linksToNone,
      bounds.linksToNone,
    ),
    ratioFigure(
      {id: 'identity-deletion', name: 'Deletion of a user with five devices / without', better: less},
      report.devicesToNone,
      bounds.devicesToNone,
    ),
    {
      id: 'identity-history',
      name: 'From a link to the whole history, p99',
      unit: 'ms',
      better: less,
      samples: [p99Of(report.historyMs)],
      ...bounds.historyMs,
    },
  ];
}

function text(report: IdentityReport): string {
  const medianOf = <Sample, Name extends string>(
    {rounds}: Rounds<Sample, Name>,
    name: Name,
    of: (s: Sample) => number,
  ) => spreadOf(rounds.map(({samples}) => of(samples[name]))).median;
  const cpu = (name: CpuName): string => fixed(medianOf(report.cpu, name, Number), 2);
  const acks = (name: AckName): string =>
    fixed(
      medianOf(report.acks, name, ({latencyMs}) => latencyMs.p99),
      2,
    );
  const deletion = (name: DeletionName): string =>
    whole(medianOf(report.deletions, name, (all) => spreadOf(all).median));
  return [
    'Persons who are anonymous first',
    tableText(
      ['', 'it', 'beside', 'ratio', 'to reach'],
      [
        [
          'CPU s per million events without devices: joining on, off',
          cpu('user alone'),
          cpu('user alone, joining off'),
          ratioText(report.joiningToNone, 3),
          String(bounds.joiningToNone.reach),
        ],
        [
          'CPU s per million events: both ids, user alone',
          cpu('user and device'),
          cpu('user alone'),
          ratioText(report.bothToUser, 3),
          String(bounds.bothToUser.reach),
        ],
        [
          `ack p99 ms: beside ${whole(report.linksPerSecond)} links a second, beside none`,
          acks('links'),
          acks('nobody linked'),
          ratioText(report.linksToNone),
          String(bounds.linksToNone.reach),
        ],
        [
          'deletion, ms: five devices, none',
          deletion('five devices'),
          deletion('no device'),
          ratioText(report.devicesToNone),
          String(bounds.devicesToNone.reach),
        ],
      ],
    ),
    `from a link to the whole history: p99 ${whole(p99Of(report.historyMs))} ms of ${report.historyMs.length}`,
    `CPU: ${roundsText(report.cpu)}; acks: ${roundsText(report.acks)}; deletions: ${roundsText(report.deletions)}`,
  ].join('\n');
}

export const identityBench: Bench<IdentityReport> = {
  name: 'identity',
  summary:
    'persons who are anonymous first: CPU, acks beside 1,000 links a second, deletion with devices, whole history',
  numbers: {
    events: {normal: 500_000, small: 5_000, help: 'events of each CPU measurement'},
    links: {normal: 1_000, small: 200, help: 'links a second'},
    'linking-seconds': {normal: 60, small: 0.5, help: 'seconds of links in each round'},
    deletions: {normal: 10, small: 1, help: 'deletions of each kind in each round'},
    histories: {normal: 100, small: 2, help: 'links whose history is awaited'},
  },
  run,
  figures,
  rounds: ({cpu, acks, deletions}) => ({CPU: cpu, acks, deletions}),
  text,
};
