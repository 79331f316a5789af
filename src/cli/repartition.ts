// `npm run repartition`: another number of partitions, of a service that does not run (docs/operating.md).
//   fence -> settle -> copy -> check -> decide -> finish      (repartition/switch.ts says what a killed run leaves)
//   RE1. Nothing else runs: the folder is locked; of an external NATS, no process of this deployment listens to it, and none starts.
//   RE2. What is new is read back from the store, and counted against what is old, before anything of that goes.

import {setTimeout as pause} from 'node:timers/promises';
import {parseArgs} from 'node:util';
import {type JetStreamManager, jetstream, jetstreamManager} from '@nats-io/jetstream';
import {type NatsConnection, RequestError} from 'nats';
import {retainedFromDayOf} from '../../actors/identity/snapshot-set.js';
import {OperatorFault} from '../../actors/invariant.js';
import {Redistribution} from '../../actors/redistribution.js';
import {
  askDeliverSubject,
  askPartitionSubject,
  askReportSubject,
  edgesSubject,
  forgottenLinksSubject,
} from '../asks/subjects.js';
import {monotonicMs} from '../clock.js';
import {commandLine} from '../command-line.js';
import {type Config, readConfig} from '../config.js';
import {checkDataDir} from '../data-dir.js';
import {lockDataDir} from '../data-lock.js';
import {seedsOf} from '../deployment-seeds.js';
import {connectFirst} from '../nats/client/connection.js';
import {partValues} from '../nats/part-values.js';
import {startEmbeddedNats} from '../nats/server/embedded.js';
import {type Deployment, ensurePartsBuckets, readDeploymentRecord} from '../nats/topology.js';
import {createLogger, type Logger} from '../observe.js';
import {loadRowKernel} from '../partition/row-kernel.js';
import {PartsCache} from '../parts/parts-cache.js';
import type {NatsAddress} from '../worker-messages.js';
import {count} from './import/progress.js';
import {Digest} from './repartition/digest.js';
import {NewPartition} from './repartition/new-partition.js';
import {eventsOf, OldPartition} from './repartition/old-partition.js';
import {RepartitionFault} from './repartition/repartition-fault.js';
import {settle} from './repartition/settle.js';
import {Switch} from './repartition/switch.js';
import {waitingFor} from './repartition/webhooks.js';

const partitionsMax = 256;
/** Events between two looks at what is to be stored. */
const eventsAtOnce = 1_024;
/** Users between two looks: profiles wait in memory. */
const usersAtOnce = 65_536;
const listenMsMax = 1_000;

const usage = `Usage: ${commandLine('repartition', '--to', 'N')} [--skip-waiting]
       ${commandLine('repartition', '--abandon')}

Changes the number of partitions to N, of a service that does not run. Stop all of its processes first, and make a backup.
It reads the variables that the service has: DATA_DIR, or NATS_URL and its login. Afterwards start with PARTITIONS=N.
The new partitions are stored beside the old ones, which needs as much room again, and checked against them; then they take
their place. Run it again if it was interrupted, or give up with --abandon.
--skip-waiting gives up what still waits for webhooks whose receivers do not answer.
`;

interface Asked {
  readonly to: number | undefined;
  readonly abandons: boolean;
  readonly skipsWaiting: boolean;
}

/** Undefined: help is wanted. */
function readArguments(words: readonly string[]): Asked | undefined {
  const options = {
    to: {type: 'string'},
    abandon: {type: 'boolean'},
    'skip-waiting': {type: 'boolean'},
    help: {type: 'boolean', short: 'h'},
  } as const;
  let values: ReturnType<typeof parseArgs<{options: typeof options}>>['values'];
  try {
    ({values} = parseArgs({args: [...words], options, strict: true}));
  } catch (cause) {
    throw new RepartitionFault(`${(cause as Error).message}\n${usage}`, {cause});
  }
  if (values.help) return undefined;
  const abandons = values.abandon ?? false;
  const to = values.to === undefined ? undefined : Number(values.to);
  if (abandons === (to !== undefined)) throw new RepartitionFault(`name --to or --abandon.\n${usage}`);
  if (to !== undefined && !(Number.isInteger(to) && to >= 1 && to <= partitionsMax))
    throw new RepartitionFault(`--to must be from 1 to ${partitionsMax}.`);
  return {to, abandons, skipsWaiting: values['skip-waiting'] ?? false};
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function run(asked: Asked): Promise<void> {
  const result = readConfig(process.env); // The environment: this program reads it only here.
  if (result.kind === 'bad') throw new RepartitionFault(`${result.line}.`);
  const {config} = result;
  const logger = createLogger('error', 'repartition');
  checkDataDir(config.dataDir);
  const lock = await lockDataDir(config.dataDir, (why) => {
    throw new RepartitionFault(`the lock of DATA_DIR ${config.dataDir} ${why}.`);
  });
  try {
    if (config.nats.kind === 'external') return await change(asked, config, config.nats, logger);
    const {serverBin} = config.nats;
    const nats = await startEmbeddedNats({dataDir: config.dataDir, serverBin, lock, logger});
    try {
      await change(asked, config, nats.address, logger);
    } finally {
      await nats.stop();
    }
  } finally {
    lock.release();
  }
}

async function change(asked: Asked, config: Config, address: NatsAddress, logger: Logger): Promise<void> {
  const nc = await connectFirst(address, 'millrace-repartition');
  const erasingNc = await connectFirst(address, 'millrace-repartition-erasing');
  try {
    const jsm = await jetstreamManager(nc, {checkAPI: false});
    const record = await readDeploymentRecord(nc);
    if (record === undefined)
      throw new RepartitionFault('there is no data yet: set PARTITIONS before the first start.');
    await refuseListeners(nc, record.deployment.partitions);
    const by = Switch.at(nc, erasingNc, jsm, logger, record);
    if (asked.to === undefined) await abandon(by);
    else await changeTo(asked.to, asked.skipsWaiting, {by, nc, jsm, config, address, logger});
  } finally {
    await Promise.all([nc.close(), erasingNc.close()]);
  }
}

/** RE1 */
async function refuseListeners(nc: NatsConnection, partitions: number): Promise<void> {
  const owners = Array.from({length: partitions}, (_, partition) => askPartitionSubject(partition));
  for (const subject of [forgottenLinksSubject, edgesSubject, askReportSubject, askDeliverSubject, ...owners]) {
    const isAnybody = await nc.request(subject, '', {timeout: listenMsMax}).then(
      () => true,
      (error: unknown) => !(error instanceof RequestError && error.isNoResponders()),
    );
    if (isAnybody) throw new RepartitionFault('the service runs: stop all of its processes first.');
  }
}

async function abandon(by: Switch): Promise<void> {
  const {repartition, partitions} = by.deployment;
  if (repartition === undefined) throw new RepartitionFault('nothing has begun.');
  if (repartition.stage === 'switching')
    throw new RepartitionFault(
      `the change to ${repartition.to} partitions is decided: finish it with "${commandLine('repartition', '--to', `${repartition.to}`)}".`,
    );
  await by.giveUp();
  say(`Given up: the data has ${partitions} partitions, as before.`);
}

interface World {
  readonly by: Switch;
  readonly nc: NatsConnection;
  readonly jsm: JetStreamManager;
  readonly config: Config;
  readonly address: NatsAddress;
  readonly logger: Logger;
}

async function changeTo(to: number, skipsWaiting: boolean, world: World): Promise<void> {
  const {by} = world;
  const {repartition, partitions} = by.deployment;
  if (repartition?.stage === 'switching') {
    if (repartition.to !== to)
      throw new RepartitionFault(`a change to ${repartition.to} partitions is decided: finish it first.`);
  } else {
    if (partitions === to) throw new RepartitionFault(`the data has ${to} partitions already.`);
    await by.begin(to);
    try {
      await copy(to, skipsWaiting, world);
    } catch (error) {
      await by.giveUp();
      throw error;
    }
  }
  await by.finish();
  say(`Done. Start with PARTITIONS=${to}.`);
}

async function copy(to: number, skipsWaiting: boolean, world: World): Promise<void> {
  const {by, nc, jsm, config} = world;
  const {deployment} = by;
  say(`The ${deployment.partitions} partitions finish what they have begun.`);
  await settle({...world, deployment});
  const startMs = monotonicMs();
  const cache = new PartsCache(partValues(jsm, undefined, world.address.storeFolder), config.cacheBytesMax);
  const old = await openOld(deployment, world, cache);
  if (!skipsWaiting) await refuseWaiting(nc, jsm, old);
  await ensurePartsBuckets(jsm, to);
  const fresh = openNew(to, old, deployment, world, cache);
  const before = await fold(old, fresh);
  const foldedMs = monotonicMs() - startMs;
  say(
    `${count(before.events)} events of ${count(before.users)} users are stored in ${to} partitions (${rate(before.events, foldedMs)}).`,
  );
  await check(before, fresh);
  await by.decide(fresh.map(({manifest}) => manifest));
  say('They have every event, by name and hour, and every user with its traits.');
}

const rate = (events: number, ms: number): string =>
  `${(ms / 1_000).toFixed(1)} s, ${count(Math.round((events / Math.max(1, ms)) * 1_000))} a second`;

function openOld({partitions, secret}: Deployment, {jsm, config}: World, cache: PartsCache): Promise<OldPartition[]> {
  const dedupeBytesMax = config.dedupeBytesMax / partitions;
  const opening = Array.from({length: partitions}, (_, partition) =>
    OldPartition.open(
      {partition, partitions, seeds: seedsOf(secret), dedupeBytesMax, rowKernel: loadRowKernel()},
      jsm,
      cache,
    ),
  );
  return Promise.all(opening);
}

function openNew(
  to: number,
  old: readonly OldPartition[],
  {secret}: Deployment,
  {nc, jsm, config, logger: log}: World,
  cache: PartsCache,
): NewPartition[] {
  const js = jetstream(nc);
  const dedupeBytesMax = config.dedupeBytesMax / to;
  return Array.from({length: to}, (_, partition) => {
    const setup = {partition, partitions: to, seeds: seedsOf(secret), dedupeBytesMax, rowKernel: loadRowKernel()};
    const epoch = (old[partition]?.manifest.epoch ?? 0) + 1;
    return new NewPartition({setup, epoch, js, jsm, cache, log});
  });
}

/** @throws RepartitionFault. WH1 (repartition/webhooks.ts) */
async function refuseWaiting(nc: NatsConnection, jsm: JetStreamManager, old: readonly OldPartition[]): Promise<void> {
  const ends = old.map(({partition, index}) => ({generation: partition.generation, ordinal: index.nextOrdinal}));
  const waiting = await waitingFor(nc, jsm, ends);
  if (waiting.size === 0) return;
  const what = [...waiting].map(([endpoint, some]) => `${some} for ${endpoint}`).join(', ');
  throw new RepartitionFault(
    `messages to webhooks wait that cannot be taken along (${what}): resume or delete these webhooks, or give the messages up with --skip-waiting.`,
  );
}

/** Folds everything into the new partitions, and stores them. @returns what the old ones have. */
async function fold(old: readonly OldPartition[], fresh: readonly NewPartition[]): Promise<Digest> {
  const before = new Digest();
  const partitionsOf = (all: readonly {readonly partition: OldPartition['partition']}[]) =>
    all.map(({partition}) => partition);
  const redistribution = new Redistribution(partitionsOf(old), partitionsOf(fresh));
  let events = 0;
  for await (const some of eventsOf(old)) {
    for (const {source, entry, user} of some) {
      if (!redistribution.counts(source, user)) continue;
      redistribution.event(source, entry, user);
      events += 1;
      if (events % eventsAtOnce === 0) for (const one of fresh) await one.keepUp();
    }
    await pause(0); // Pings are answered.
  }
  let users = 0;
  for (const one of old) {
    await one.addTo(before, retainedFromDayOf(old));
    for await (const record of one.users((user) => redistribution.counts(one.number, user))) {
      redistribution.user(one.number, record);
      before.addUser(one.partition.users.table.text(record.user), record);
      users += 1;
      if (users % usersAtOnce === 0) for (const each of fresh) await each.save();
    }
  }
  redistribution.finish();
  for (const one of fresh) await one.save();
  return before;
}

/** RE2 @throws RepartitionFault */
async function check(before: Digest, fresh: readonly NewPartition[]): Promise<void> {
  const after = new Digest();
  for (const one of fresh) await one.addTo(after);
  const difference = before.differenceTo(after);
  if (difference !== undefined)
    throw new RepartitionFault(`the new partitions are not what the old ones are, which stay: ${difference}.`);
}

try {
  const asked = readArguments(process.argv.slice(2));
  if (asked === undefined) process.stdout.write(usage);
  else await run(asked);
} catch (error) {
  if (!(error instanceof RepartitionFault || error instanceof OperatorFault)) throw error;
  process.stderr.write(`The number of partitions is not changed: ${error.message}\n`);
  process.exitCode = 1;
}
