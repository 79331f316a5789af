// Deliveries of stored events to webhooks, by the service's one deliver thread. The receiver is a process of its own.
//   paced    how long after it was sent an event arrives, at a rate that is no load
//   single   POST requests a second, an event in each
//   batched  events a second, up to 1,000 in a request
//   beside   what a webhook that nobody answers costs the others
// The rates are those of catching up: events are stored first, while the webhook is paused, so that nobody who sends events is the
// limit.

import type {Figure} from '../../src/bench-run.js';
import type {Bench, Say} from '../bench.js';
import {type Bounds, latencyFigure, ratioFigure} from '../figures.js';
import {LoadProcess} from '../load/load-process.js';
import {offer, offerUnjudged, requireAllStored} from '../load/offered.js';
import {batchEvents, connectionsOf, secondsOf} from '../load/shapes.js';
import {cpuSecondsOf} from '../machine/processes.js';
import {type BenchService, envOf, startService, writeKey} from '../machine/service.js';
import {quieted} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import type {Received} from '../receiver/messages.js';
import {ReceiverProcess} from '../receiver/receiver-process.js';
import {receiverEnv, type Webhook, Webhooks} from '../receiver/webhooks.js';
import {playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical} from '../workload/events.js';

/** What came in a measurement, and what it cost. */
interface Sample extends Received {
  readonly perSecond: {readonly posts: number; readonly events: number};
  /** CPU us of all processes of the service during the delivery, per event. */
  readonly cpuUsPerEvent: number;
}

const deliveries = ['paced', 'single', 'batched'] as const;
type Delivery = (typeof deliveries)[number];

/** Nobody, or a webhook that takes nothing. */
const neighbours = ['nobody', 'one that refuses', 'one that is silent'] as const;
type Neighbour = (typeof neighbours)[number];
const deadOnes = ['one that refuses', 'one that is silent'] as const satisfies readonly Neighbour[];

interface WebhooksReport {
  readonly rate: number;
  readonly besideRate: number;
  readonly goodCount: number;
  readonly deliveries: Rounds<Sample, Delivery>;
  readonly beside: Rounds<Sample, Neighbour>;
  /** Beside a dead webhook / beside nobody: p99, and CPU of a POST. */
  readonly costs: Readonly<Record<(typeof deadOnes)[number], {readonly p99: Ratio; readonly cpu: Ratio}>>;
}

/** With the dead one as many as there may be. */
const goodCountMax = 99;
/** On no machine a service: connections are refused. */
const refusingUrl = 'http://127.0.0.1:1/';

interface World {
  readonly options: BenchOptions;
  readonly load: LoadProcess;
  readonly service: BenchService;
  readonly receiver: ReceiverProcess;
  readonly webhooks: Webhooks;
}

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<WebhooksReport> {
  const {rate, beside: besideRate} = options.numbers as {rate: number; beside: number};
  const load = owned.add(new LoadProcess());
  say('preparing requests, starting service and receiver …');
  await prepare(load, options);
  const receiver = owned.add(await ReceiverProcess.start());
  const env = {...envOf(options), ...receiverEnv};
  const service = owned.add(await startService({env, profileFolder: options.profileFolder}));
  const world: World = {options, load, service, receiver, webhooks: owned.add(new Webhooks(service))};
  const deliveryRounds = await playRounds<Sample, Delivery>(
    {
      paced: async (round) => told(say, 'paced', await paced(world, round)),
      single: async () => told(say, 'single', await catchingUp(world, 'posts', 1)),
      batched: async () => told(say, 'batched', await catchingUp(world, 'events', batchEvents)),
    },
    options,
    say,
  );
  const goodCount = options.isSmall ? 3 : goodCountMax;
  const good: Webhook[] = [];
  for (let number = 0; number < goodCount; number++) good.push(await world.webhooks.create(receiver.urlOf(number), 1));
  const measure = (neighbour: Neighbour) => async (round: number) =>
    told(say, neighbour, await sentBeside(world, good, neighbour, round));
  const beside = await playRounds<Sample, Neighbour>(
    {
      nobody: measure('nobody'),
      'one that refuses': measure('one that refuses'),
      'one that is silent': measure('one that is silent'),
    },
    {...options, takesTurns: true},
    say,
  );
  const costs = deadOnes.map((name) => [name, costOf(beside, name)] as const);
  return {
    rate,
    besideRate,
    goodCount,
    deliveries: deliveryRounds,
    beside,
    costs: Object.fromEntries(costs) as WebhooksReport['costs'],
  };
}

async function prepare(load: LoadProcess, {numbers, isSmall}: BenchOptions): Promise<void> {
  const prepared = (name: string, eventCount: number, events: number) =>
    load.prepare(name, {...canonical, eventCount}, events, writeKey, 'of their moment');
  await prepared('single', isSmall ? 500 : 20_000, 1);
  await prepared('posts', numbers.posts!, batchEvents);
  await prepared('events', numbers.events!, batchEvents);
}

const costOf = (beside: Rounds<Sample, Neighbour>, name: Neighbour) => ({
  p99: ratioOf(beside, (samples) => samples[name].latencyMs.p99 / samples.nobody.latencyMs.p99),
  cpu: ratioOf(beside, (samples) => samples[name].cpuUsPerEvent / samples.nobody.cpuUsPerEvent),
});

// ---- measurements ----

/** Events that are sent one by one, to one webhook. */
async function paced(world: World, round: number): Promise<Sample> {
  const {options, load, service, receiver, webhooks} = world;
  const requestsPerSecond = options.numbers.rate!;
  const wanted = {shape: 'single', target: service, requestsPerSecond, seconds: secondsOf(round, options)} as const;
  await quieted(service, options); // Events of a void round that are not folded yet would be sent to the new webhook.
  return webhooks.during(receiver.urlOf(0), 1, async ({secret}) => {
    await receiver.begin([secret], true);
    const cpuBefore = cpuSecondsOf(service.pid);
    const offered = await offer(load, wanted, options);
    requireAllStored(offered);
    return sampleOf(world, await receiver.received(offered.events), cpuBefore);
  });
}

/** `name`: of the requests that store the events. */
async function catchingUp(world: World, name: string, eventsOfPost: number): Promise<Sample> {
  const {options, load, service, receiver, webhooks} = world;
  await quieted(service, options); // As above.
  const {host, port} = service;
  const plan = {host, port, connections: connectionsOf('batch', options), seconds: null};
  return webhooks.during(receiver.urlOf(0), eventsOfPost, async (webhook) => {
    await webhooks.pause(webhook, true);
    await receiver.begin([webhook.secret], false);
    const {events, refusals, firstRefusal} = await load.run(name, plan);
    if (refusals > 0) throw new Error(`${refusals} requests were refused: ${firstRefusal}`);
    await quieted(service, options);
    await receiver.received(0);
    const cpuBefore = cpuSecondsOf(service.pid);
    await webhooks.pause(webhook, false);
    return sampleOf(world, await receiver.received(events), cpuBefore);
  });
}

/** Events that go to each of the good ones. */
async function sentBeside(world: World, good: readonly Webhook[], neighbour: Neighbour, round: number) {
  const {options, load, service, receiver, webhooks} = world;
  const secrets = good.map(({secret}) => secret);
  const requestsPerSecond = options.numbers.beside!;
  const wanted = {shape: 'single', target: service, requestsPerSecond, seconds: secondsOf(round, options)} as const;
  const measure = async (): Promise<Sample> => {
    await quieted(service, options); // As above.
    await receiver.begin(secrets, true);
    const cpuBefore = cpuSecondsOf(service.pid);
    const offered = await offerUnjudged(load, wanted, options);
    requireAllStored(offered);
    return sampleOf(world, await receiver.received(offered.events * good.length), cpuBefore);
  };
  if (neighbour === 'nobody') return measure();
  // It is new in each round: one that failed often is hardly tried any more.
  return webhooks.during(neighbour === 'one that refuses' ? refusingUrl : receiver.silentUrl, 1, measure);
}

function sampleOf({service}: World, received: Received, cpuBefore: number): Sample {
  const cpuSeconds = cpuSecondsOf(service.pid) - cpuBefore;
  const {posts, events, elapsedMs} = received;
  const perSecond = (count: number): number => count / (elapsedMs / 1_000);
  return {
    ...received,
    perSecond: {posts: perSecond(posts), events: perSecond(events)},
    cpuUsPerEvent: (cpuSeconds / events) * 1e6,
  };
}

function told(say: Say, name: string, sample: Sample): Sample {
  const {perSecond, cpuUsPerEvent, latencyMs, timed, posts, messages} = sample;
  const latency = timed > 0 ? `, p50 ${fixed(latencyMs.p50, 0)}, p99 ${fixed(latencyMs.p99, 0)} ms` : '';
  const copies = posts > messages ? `, ${posts - messages} copies` : '';
  say(
    `${name}: ${whole(perSecond.posts)} POSTs/s, ${whole(perSecond.events)} events/s, ` +
      `${fixed(cpuUsPerEvent, 1)} CPU us an event${latency}${copies}`,
  );
  return sample;
}

// ---- figures ----

const latencyBounds: Bounds = {reach: 1_000, limit: 150};
const singleBounds: Bounds = {reach: 2_000, limit: 5_000};
const batchedBounds: Bounds = {reach: 50_000, limit: 160_000};
const besideBounds: Bounds = {reach: 1.1, limit: 1};

function figures({deliveries: {rounds}, costs, rate, goodCount}: WebhooksReport): Figure[] {
  const of = (delivery: Delivery, value: (sample: Sample) => number): number[] =>
    rounds.map(({samples}) => value(samples[delivery]));
  const paced = rounds.map(({samples}) => samples.paced);
  const cpuFigure = (delivery: Delivery, name: string): Figure => ({
    id: `${delivery}-cpu`,
    name,
    unit: 'CPU us',
    better: 'less',
    samples: of(delivery, ({cpuUsPerEvent}) => cpuUsPerEvent),
  });
  return [
    {
      ...latencyFigure(
        {id: 'event-to-post', name: `Event to POST p99 at ${whole(rate)} events/s`},
        'event to POST',
        paced,
      ),
      ...latencyBounds,
    },
    {
      id: 'single-posts',
      name: 'POSTs a second, an event in each',
      unit: 'POSTs/s',
      better: 'more',
      samples: of('single', ({perSecond}) => perSecond.posts),
      ...singleBounds,
    },
    cpuFigure('single', 'CPU of a POST with one event'),
    {
      id: 'batched-events',
      name: 'Events a second in batches',
      unit: 'events/s',
      better: 'more',
      samples: of('batched', ({perSecond}) => perSecond.events),
      ...batchedBounds,
    },
    cpuFigure('batched', 'CPU of an event in a batch'),
    ...deadOnes.flatMap((name): Figure[] => {
      const id = name.replaceAll(' ', '-');
      const {p99, cpu} = costs[name];
      const beside = `${goodCount} webhooks beside ${name} / alone`;
      return [
        ratioFigure({id: `${id}-p99`, name: `p99 of ${beside}`, better: 'less'}, p99, besideBounds),
        ratioFigure({id: `${id}-cpu`, name: `CPU of ${beside}`, better: 'less'}, cpu, besideBounds),
      ];
    }),
  ];
}

function text({rate, besideRate, goodCount, deliveries: played, beside, costs}: WebhooksReport): string {
  const spread = (values: readonly number[], digits: number): string => ratioText(spreadOf(values), digits);
  const rowOf =
    <Name extends string>({rounds}: Rounds<Sample, Name>) =>
    (name: Name): string[] => {
      const samples = rounds.map((round) => round.samples[name]);
      const median = (value: (sample: Sample) => number): number => spreadOf(samples.map(value)).median;
      const isTimed = samples.every(({timed}) => timed > 0);
      return [
        name,
        spread(
          samples.map(({perSecond}) => perSecond.posts),
          0,
        ),
        spread(
          samples.map(({perSecond}) => perSecond.events),
          0,
        ),
        fixed(
          median(({cpuUsPerEvent}) => cpuUsPerEvent),
          1,
        ),
        fixed(
          median(({cpuSeconds, events}) => (cpuSeconds / events) * 1e6),
          1,
        ),
        isTimed
          ? fixed(
              median(({latencyMs}) => latencyMs.p50),
              0,
            )
          : '',
        isTimed
          ? spread(
              samples.map(({latencyMs}) => latencyMs.p99),
              0,
            )
          : '',
      ];
    };
  const header = ['', 'POSTs/s', 'events/s', 'CPU us/event', "receiver's", 'p50 ms', 'p99 ms'];
  return [
    `Webhooks: ${whole(rate)} events/s as they come, and stored events as fast as one thread delivers them`,
    tableText(header, deliveries.map(rowOf(played))),
    `to reach: p99 ${latencyBounds.reach} ms, ${whole(singleBounds.reach)} POSTs/s, ${whole(batchedBounds.reach)} events/s; ${roundsText(played)}`,
    '',
    `${goodCount} webhooks, ${whole(besideRate)} events/s to each, beside`,
    tableText(header, neighbours.map(rowOf(beside))),
    ...deadOnes.map(
      (name) =>
        `${name} / nobody: p99 ${ratioText(costs[name].p99)}, CPU ${ratioText(costs[name].cpu)} (to reach: 1.1)`,
    ),
    roundsText(beside),
  ].join('\n');
}

export const webhooksBench: Bench<WebhooksReport> = {
  name: 'webhooks',
  summary: 'stored events to webhooks: delay, single POSTs and batches a second, and a dead webhook beside good ones',
  numbers: {
    rate: {normal: 1_000, small: 100, help: 'events a second while the delay is measured'},
    posts: {normal: 20_000, small: 300, help: 'events that are stored and sent one by one'},
    events: {normal: 300_000, small: 3_000, help: 'events that are stored and sent in batches'},
    beside: {normal: 10, small: 20, help: 'events a second to each webhook beside a dead one'},
  },
  run,
  figures,
  rounds: ({deliveries: played, beside}) => ({deliveries: played, 'beside a dead webhook': beside}),
  text,
};
