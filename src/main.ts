// Composition root: configuration -> checks -> NATS -> topology -> threads -> edge, and the same way back.
//   M1. Nothing is written before configuration, kernels, port and folder are known to be good.
//   M2. Every stage that starts has a way to stop; a drain stops them in reverse order, so that those that take work end before
//       those that must finish it: edge, partitions, report, nats-server, lock.
//   M3. A failure after the start ends the whole process: a supervisor restarts it, and recovery is the normal start.
//   M4. If the journal of deletions may be newer than the data (a backup was restored), the edge opens after the partitions have
//       erased those users again: before, it would answer questions about them, and the erasure would take their new events. Who is
//       halted answers none; reports, which then have no whole set, are not awaited.

import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {createServer} from 'node:net';
import {resolve} from 'node:path';
import {jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {isoText} from '../actors/calendar.js';
import {appliedSubject, askReportSubject} from './asks/subjects.js';
import {monotonicMs, wallMs} from './clock.js';
import {AppliedReporter, appliedEveryMs} from './cluster/applied-report.js';
import type {Membership} from './cluster/membership.js';
import {ThreadRunners} from './cluster/thread-runners.js';
import {commandLine} from './command-line.js';
import {type Config, type ListenAddress, printableConfig, readConfig} from './config.js';
import {
  checkDataDir,
  keepAdminToken,
  newToken,
  removeServiceNote,
  writeFirstKeys,
  writeServiceNote,
} from './data-dir.js';
import {lockDataDir, refuseHeldDataDir} from './data-lock.js';
import {checkDeletionsDir, newestDeletionMs} from './deletions-dir.js';
import {DiskSpace} from './disk-space.js';
import type {EdgeOptions} from './edge/start.js';
import type {FirstKeys} from './keys/store.js';
import {memoryDoubt, memoryLimitBytes} from './memory-plan.js';
import {connectFirst} from './nats/client/connection.js';
import {isSilence} from './nats/error-codes.js';
import {copyJournal} from './nats/journal-copy.js';
import {NatsKeyBucket} from './nats/key-bucket.js';
import {processMembership} from './nats/process-membership.js';
import {publishedManifests} from './nats/published-manifests.js';
import {type Durability, ExternalDurability, warnOfPowerCuts} from './nats/server/durability.js';
import {type EmbeddedNats, startEmbeddedNats} from './nats/server/embedded.js';
import {
  type Deployment,
  ensureJournal,
  ensureTopology,
  programLevels,
  raiseLevel,
  readDeployment,
} from './nats/topology.js';
import {createLogger, isReadByPeople, type Logger} from './observe.js';
import {isRestoredBackup} from './partition/snapshot/position-note.js';
import {promised} from './promised.js';
import {Refresh} from './refresh.js';
import {StartFault} from './start-fault.js';
import {onStopSignals, type StopSignal} from './stop-signals.js';
import {planThreads, type ThreadPlan} from './thread-plan.js';
import {lowerCompilerPriority} from './thread-priority.js';
import {
  type OnFatal,
  type PartitionThread,
  startDeliverThread,
  startPartitionThread,
  startReportThread,
  type Thread,
} from './threads.js';
import {commit, version} from './version.js';
import {checkKernels} from './web-assembly.js';
import {firstEndpoint} from './webhooks/first-endpoint.js';
import {type Addresses, baseUrlOf, type WelcomeOptions, welcome} from './welcome.js';
import type {AnsweringThread, DeliverWorkerData, NatsAddress} from './worker-messages.js';
import {zoneOf} from './zone.js';

// A supervisor usually kills after 30 s: the next start recovers the rest from the log.
const drainMsMax = 25_000;
// A part of these, for nats-server if the drain did not reach it: partitions wait for a NATS that does not answer.
const natsEndMsMax = 3_000;
const natsPatienceMs = 2_000;

const badExitCode = 1;

/** Only a terminal shows keys and the sign-in link: standard output elsewhere is stored as a log. */
const isTerminal = process.stdout.isTTY;

const printConfigWord = '--print-config';
const versionWord = '--version';

interface Stage {
  readonly name: string;
  stop(): Promise<void> | void;
  /** Ends at once what would outlive this process, when the drain took too long to reach it. */
  cutShort?(): Promise<void>;
}

/** Addresses and secrets that a start shows to a person. */
type Door = Addresses & Pick<WelcomeOptions, 'firstKeys' | 'keysFile' | 'signInCode'>;

/** NATS, own or external, with its topology. */
interface Ground {
  readonly address: NatsAddress;
  /** The connection of the start, which stays open. */
  readonly first: NatsConnection;
  readonly durability: Durability;
  /** State of the own nats-server and its disk; empty for an external one. */
  readonly store: EdgeOptions['store'];
  /** The own nats-server; undefined for an external one. */
  readonly natsServer: EmbeddedNats | undefined;
  readonly deployment: Deployment;
  /** The journal of deletions has records that are younger than the newest snapshot of their partition. */
  readonly isBehindJournal: boolean;
  /** The data is a backup that was restored. */
  readonly isRestored: boolean;
  readonly refresh: Refresh;
}

await run();

async function run(): Promise<void> {
  const words = process.argv.slice(2);
  const unknown = words.find((word) => word !== printConfigWord && word !== versionWord);
  if (unknown !== undefined) endBadly(`unknown option ${unknown}: \`${commandLine('serve', '--help')}\` lists them`);
  if (words.includes(versionWord)) {
    process.stdout.write(`millrace ${version} (commit ${commit})\n`);
    return;
  }
  const result = readConfig(process.env);
  if (result.kind === 'bad') endBadly(result.line);
  const doubts = result.misspelt.map(
    ({name, nearest}) => `${name} is not a variable of Millrace and has no effect: did you mean ${nearest}?`,
  );
  if (words.includes(printConfigWord)) {
    for (const doubt of doubts) process.stderr.write(`millrace: ${doubt}\n`);
    process.stdout.write(`${JSON.stringify(printableConfig(result.config), undefined, 2)}\n`);
    return;
  }
  const logger = createLogger(result.config.logLevel, 'main');
  for (const doubt of doubts) logger.warn(doubt);
  const memory = memoryDoubt(result.config, memoryLimitBytes());
  if (memory !== undefined) logger.warn(memory);
  lowerCompilerPriority(logger);
  process.stdout.on('error', (err) => logger.error({err}, 'stdout could not be written'));
  const stages: Stage[] = [];
  const drain = drainOnSignal(stages, logger);
  try {
    await start(result.config, stages, logger);
  } catch (error) {
    if (drain.hasBegun()) return; // The drain has stopped what the start needs.
    await stopAll(stages, logger);
    if (isSilence(error))
      endBadly(`NATS did not answer a request of the start (${(error as Error).message}): start again`);
    if (!(error instanceof StartFault)) throw error;
    endBadly(error.message);
  }
}

async function start(config: Config, stages: Stage[], logger: Logger): Promise<void> {
  checkKernels();
  const isEdge = config.roles.includes('edge');
  if (isEdge) {
    await checkPort(config, 'PORT', config.dataDir); // M1
    if (config.admin !== undefined) await checkPort(config.admin, 'ADMIN_PORT', config.dataDir);
  }
  checkDataDir(config.dataDir);
  if (config.roles.includes('partition')) checkDeletionsDir(config.deletionsDir);
  const ground = await startGround(config, stages, logger);
  // People read the link, and have `--print-config`.
  logger[isReadByPeople ? 'debug' : 'info'](printableConfig(config), 'configuration');
  if (config.nats.kind === 'embedded' && !config.roles.includes('partition')) {
    logger.warn(
      'events are stored but not processed: ROLES lacks partition, and no other process can reach the embedded nats-server',
    );
  }
  if (config.roles.includes('partition')) announceRefresh(ground.refresh, logger);
  const threads = await startThreads(config, ground, stages, logger);
  if (isEdge && ground.isBehindJournal) {
    logger.warn(
      'deletions are newer than the data (a restored backup?): the service listens once they have been repeated',
    );
    await Promise.all(threads.folding.map(({ready}) => ready)); // M4
  }
  const edge = await joinCluster('edge', config, ground.first, logger, (line) => endBadly(line));
  if (edge !== undefined) stages.push({name: 'membership of the edge', stop: () => edge.leave()});
  const door = isEdge ? await startFrontDoor(config, ground, threads, stages, logger) : undefined;
  await Promise.all(threads.all.map(({ready}) => ready));
  logger.info({version, commit, roles: config.roles, durability: ground.durability.class}, 'ready');
  if (door !== undefined) greet(door, config.dataDir, ground.refresh); // Last: the keys then follow all lines of the log.
}

function endBadly(line: string): never {
  process.stderr.write(`millrace: ${line}\n`);
  process.exit(badExitCode);
}

// -- stages -----------------------------------------------------------------------------------------------------------

/** A taken port must be known before anything is written (and uWebSockets.js would share it silently). */
async function checkPort({host, port}: ListenAddress, variable: string, dataDir: string): Promise<void> {
  const probe = createServer();
  try {
    probe.listen({host, port, exclusive: true});
    await once(probe, 'listening');
  } catch (cause) {
    const {code} = cause as NodeJS.ErrnoException;
    // For the same service, started twice, the held folder is the better message.
    if (code === 'EADDRINUSE') await refuseHeldDataDir(dataDir);
    const why = code === 'EADDRINUSE' ? `the port is in use: set ${variable} to another one` : (cause as Error).message;
    throw new StartFault(`cannot listen on ${host}:${port}: ${why}`, {cause});
  }
  probe.close();
  await once(probe, 'close');
}

async function startGround(config: Config, stages: Stage[], logger: Logger): Promise<Ground> {
  const lock = await lockDataDir(config.dataDir, (why) =>
    endBadly(`the lock of DATA_DIR ${config.dataDir} ${why}: ended`),
  );
  stages.push({name: 'lock', stop: () => lock.release()});
  removeServiceNote(config.dataDir); // Of a killed service, or copied with the folder.

  let address: NatsAddress;
  let store: EdgeOptions['store'] = {};
  let natsServer: EmbeddedNats | undefined;
  if (config.nats.kind === 'embedded') {
    const {serverBin} = config.nats;
    const nats = await startEmbeddedNats({dataDir: config.dataDir, serverBin, lock, logger});
    natsServer = nats;
    stages.push({name: 'nats-server', stop: () => nats.stop(), cutShort: () => nats.stop(natsPatienceMs)});
    address = nats.address;
    const {folder} = nats;
    const onGone = (): never => endBadly(`the store of nats-server in ${folder} is missing: the service ends`);
    const space = await DiskSpace.watch({folder, onGone, partitionCount: config.partitions, logger});
    stages.push({name: 'disk space', stop: () => space.stop()});
    store = {disk: () => space.state, storeFault: () => nats.writeFault()};
  } else {
    address = config.nats;
  }

  const nc = await promised('a connection to NATS', connectFirst(address, 'millrace'), {logger});
  stages.push({name: 'first connection', stop: () => nc.close()});
  const ensuring = ensureTopology(nc, config, (stream, messages) => {
    if (messages > 0)
      logger.warn(
        {stream, messages},
        'the settings of a stream were missing and are created again: it has its messages',
      );
    else
      logger.error(
        {stream},
        'a stream of this deployment was missing and is created again: alarms say what it had; restore a backup if there is one',
      );
  });
  const deployment = await promised('the streams of this deployment', ensuring, {logger});
  if (config.nats.kind === 'external') await ensureJournal(nc, config.replicas);
  if (config.nats.kind === 'external' && config.roles.includes('partition')) {
    const copying = copyJournal(nc, config.deletionsDir, logger);
    const copy = await promised('the journal of deletions', copying, {logger});
    stages.push({name: 'journal', stop: () => copy.stop()});
  }
  const isBehindJournal = await hasYoungerDeletions(nc, config);
  // Nobody else reads what it writes. LV2 (actors/cluster/level.ts)
  for (let level = deployment.formatVersion; config.nats.kind === 'embedded' && level < programLevels[1]; level++)
    await raiseLevel(nc, level);
  const isRestored = isRestoredBackup(config.dataDir);
  const refresh = new Refresh(config.reportRefresh, deployment.createdMs);
  if (natsServer === undefined) {
    const monitors = config.nats.kind === 'external' ? config.nats.monitors : undefined;
    const durability = await ExternalDurability.read(nc, logger, monitors);
    void durability.follow(nc, logger);
    return {address, first: nc, durability, store, natsServer, deployment, isBehindJournal, isRestored, refresh};
  }
  const durability: Durability = {class: natsServer.durability};
  if (durability.class !== 'power-cut')
    warnOfPowerCuts(logger, `nats-server ${natsServer.version} does not sync always`);
  return {address, first: nc, durability, store, natsServer, deployment, isBehindJournal, isRestored, refresh};
}

/**
 * Compares times of the same clock. A receipt that a kill left unpublished, or a manifest that cannot be read, only makes the
 * start more careful: the partition's thread reports the reason.
 */
async function hasYoungerDeletions(nc: NatsConnection, config: Config): Promise<boolean> {
  if (!config.roles.includes('partition')) return false;
  const manifests = publishedManifests(await jetstreamManager(nc, {checkAPI: false}));
  for (let partition = 0; partition < config.partitions; partition++) {
    const deletedMs = newestDeletionMs(config.deletionsDir, partition);
    if (deletedMs === undefined) continue;
    const newest = await manifests.newest(partition).catch(() => undefined);
    if (deletedMs > (newest?.asOfMs ?? 0)) return true;
  }
  return false;
}

/** Logs one line now, and one at the change. */
function announceRefresh({change, leftMs}: Refresh, logger: Logger): void {
  if (change === undefined) return;
  const {fromMs, toMs, atMs} = change;
  const until = isoText(atMs);
  logger.info(
    {refreshMs: fromMs, until, refreshMsLater: toMs},
    'reports refresh sooner in the first hour of a new deployment; REPORT_REFRESH_SECONDS sets one interval permanently',
  );
  const tell = (): void => logger.info({refreshMs: toMs}, 'the first hour is over: reports refresh less often');
  setTimeout(tell, leftMs).unref();
}

interface Threads extends Pick<ThreadPlan, 'ackedSequences'> {
  readonly all: readonly Thread[];
  /** The threads that fold. */
  readonly folding: readonly PartitionThread[];
  /** The threads that answer questions, by their subjects. */
  readonly answering: ReadonlyMap<string, AnsweringThread>;
}

async function startThreads(
  config: Config,
  {address, first, deployment}: Ground,
  stages: Stage[],
  logger: Logger,
): Promise<Threads> {
  const fatal = (line: string, cause?: Error): never => {
    if (cause !== undefined) logger.fatal({err: cause}, 'a thread failed');
    endBadly(line); // M3
  };
  const membership = await joinCluster('partition', config, first, logger, fatal);
  const owned = membership?.owned ?? [...Array(config.partitions).keys()];
  const plan = planThreads(config, address, owned, deployment.createdMs);
  const report = plan.report && startReportThread(plan.report, fatal);
  if (report !== undefined) stages.push({name: 'report', stop: () => report.drain()});
  const answering = new Map<string, AnsweringThread>();
  if (report !== undefined) answering.set(askReportSubject, report.answering);
  const runners = new ThreadRunners(answering, {
    released: (partition) => membership?.released(partition),
    lost(partition, message) {
      if (membership === undefined) fatal(message); // Nobody else reaches the own nats-server.
      logger.warn({partition}, `the partition has no runner here any more: ${message}`);
      membership?.lost(partition);
    },
  });
  const folding = plan.folding.map((each, hand) =>
    startPartitionThread(each, fatal, (change) => runners.hear(change, hand)),
  );
  runners.begin(folding);
  membership?.serve(runners);
  // One stage for all threads: their last snapshots are taken at the same time.
  const drainAll = async (): Promise<void> => void (await Promise.all(folding.map((thread) => thread.drain())));
  if (folding.length > 0) stages.push({name: 'partitions', stop: drainAll});
  if (membership !== undefined) {
    const publish = (message: string): void => first.publish(appliedSubject, message);
    const reporter = new AppliedReporter(folding, () => membership.id, publish);
    const telling = setInterval(() => reporter.tell(), appliedEveryMs);
    stages.push({name: 'applied sequences', stop: () => clearInterval(telling)});
    stages.push({name: 'cluster', stop: () => membership.leave()});
  }
  if (plan.deliver !== undefined) stages.push(startDeliveries(plan.deliver, first, fatal));
  // After the folding threads have read what they need: both would wait for the same nats-server, and for cores.
  void Promise.all(folding.map(({hasRead}) => hasRead)).then(() => report?.readAhead());
  const {ackedSequences} = plan;
  return {
    all: [...(report ? [report] : []), ...folding],
    folding,
    answering,
    ackedSequences,
  };
}

/** Undefined: this process has not the role, or nobody else reaches the own nats-server. */
async function joinCluster(
  role: 'partition' | 'edge',
  {roles, nats, replicas, partitions, dataDir}: Config,
  nc: NatsConnection,
  logger: Logger,
  fatal: OnFatal,
): Promise<Membership | undefined> {
  if (nats.kind === 'embedded' || !roles.includes(role)) return undefined;
  const onFatal = (error: Error): void => fatal(`the cluster: ${error.message}`);
  const partitionCount = role === 'partition' ? partitions : 0;
  const membership = processMembership(nc, {role, partitionCount, replicas, dataDir, logger, onFatal});
  const awaited = role === 'partition' ? 'the owners of the partitions' : 'the members of the cluster';
  await promised(awaited, membership.join(), {logger});
  await readDeployment(nc); // The level may have risen before this process was a member. LV1
  return membership;
}

/** The deliver thread starts with the first endpoint: a deployment without webhooks does not pay for it. */
function startDeliveries(data: DeliverWorkerData, nc: NatsConnection, fatal: OnFatal): Stage {
  const bucket = new NatsKeyBucket(nc, 'hooks');
  let thread: Thread | undefined;
  let isStopped = false;
  const start = (): void => {
    bucket.stop();
    if (!isStopped) thread = startDeliverThread(data, fatal);
  };
  const fail = ({message}: Error): void => {
    if (!isStopped) fatal(`deliveries: ${message}`);
  };
  firstEndpoint(bucket).then(start, fail);
  void nc.closed().then((error) => error && fail(error));
  return {
    name: 'deliveries',
    async stop() {
      isStopped = true;
      bucket.stop();
      await thread?.drain();
    },
  };
}

async function startFrontDoor(
  config: Config,
  ground: Ground,
  {folding: foldingThreads, answering: answeringThreads, ackedSequences}: Threads,
  stages: Stage[],
  logger: Logger,
): Promise<Door> {
  const {host, dataDir} = config;
  const commandToken = newToken();
  const adminToken = config.adminToken ?? keepAdminToken(dataDir);
  // Loaded here alone: a machine without this role needs no native HTTP server.
  const {startEdge} = await import('./edge/start.js');
  const edge = await startEdge({
    host,
    port: config.port,
    admin: config.admin,
    nats: ground.address,
    dataDir,
    partitionCount: config.partitions,
    joinsIdentities: config.joinsIdentities,
    eventNamesMax: config.eventNamesMax,
    tokens: {admin: adminToken, command: commandToken},
    revocations: {folder: config.deletionsDir, isRestored: ground.isRestored},
    fixedKeys: {
      write: config.bootstrapWriteKey,
      read: config.bootstrapReadKey,
      secret: config.bootstrapSecretKey,
    },
    deploymentSecret: ground.deployment.secret,
    level: ground.deployment.formatVersion,
    durability: ground.durability,
    store: ground.store,
    natsServer: ground.natsServer,
    refresh: ground.refresh,
    reportZone: config.reportTimezone === undefined ? undefined : zoneOf(config.reportTimezone),
    limits: config.limits,
    logMessagesPerSecond: config.logMessagesPerSecond,
    webhooks: config.webhooks,
    sendsMail: config.mail !== undefined,
    trustedProxies: config.trustedProxies,
    countryHeader: config.countryHeader,
    geoipFile: config.geoipFile,
    dashboardHosts: config.dashboardHosts,
    benchResultsDir: config.benchResultsDir,
    foldingThreads,
    answeringThreads,
    ackedSequences,
    logLevel: config.logLevel,
  });
  stages.push({name: 'edge', stop: () => edge.drain()});

  const baseUrl = baseUrlOf(host, edge.port);
  const adminUrl = config.admin === undefined ? baseUrl : baseUrlOf(config.admin.host, edge.adminPort);
  const deployment = createHash('sha256').update(`service note ${ground.deployment.secret}`).digest('hex');
  writeServiceNote(dataDir, {baseUrl, adminUrl, pid: process.pid, token: commandToken, deployment});
  stages.push({name: 'service note', stop: () => removeServiceNote(dataDir)});
  const {firstKeys, signInCode} = edge;
  return {baseUrl, adminUrl, firstKeys, keysFile: keepFirstKeys(dataDir, firstKeys, logger), signInCode};
}

/** @returns the file with the keys; undefined: there are none, or the welcome shows them. */
function keepFirstKeys(dataDir: string, firstKeys: FirstKeys, logger: Logger): string | undefined {
  if (isTerminal || Object.keys(firstKeys).length === 0) return undefined;
  const file = writeFirstKeys(dataDir, firstKeys);
  logger.info({file}, 'keys were created: move them out of this file');
  return file;
}

function greet(door: Door, place: string, reportRefresh: Refresh): void {
  const dataDir = place === resolve('data') ? undefined : place; // There commands look without DATA_DIR.
  const signInCode = isTerminal ? door.signInCode : undefined;
  process.stdout.write(welcome({...door, signInCode, dataDir, reportRefresh, nowMs: wallMs()}));
}

// -- drain ------------------------------------------------------------------------------------------------------------

/** The first SIGTERM or SIGINT drains and ends with 0; a second one (stop-signals.ts) ends at once. */
function drainOnSignal(stages: Stage[], logger: Logger): {hasBegun(): boolean} {
  let hasBegun = false;
  const drain = async (signal: StopSignal): Promise<void> => {
    hasBegun = true;
    logger.info({signal}, 'draining');
    const begunMs = monotonicMs();
    setTimeout(() => void endUndrained(stages), drainMsMax - natsEndMsMax);
    await stopAll(stages, logger);
    logger.info({ms: Math.round(monotonicMs() - begunMs)}, 'stopped');
    process.exit(0);
  };
  onStopSignals(
    (signal) => void drain(signal),
    (signal) => endBadly(`${signal} again: ended without finishing`),
  );
  return {hasBegun: () => hasBegun};
}

async function endUndrained(stages: readonly Stage[]): Promise<never> {
  setTimeout(() => endUndrainedNow(), natsEndMsMax);
  await Promise.all(stages.map((stage) => stage.cutShort?.()));
  return endUndrainedNow();
}

function endUndrainedNow(): never {
  return endBadly(`not drained within ${drainMsMax / 1_000} s: ended`);
}

async function stopAll(stages: Stage[], logger: Logger): Promise<void> {
  for (let stage = stages.pop(); stage !== undefined; stage = stages.pop()) {
    await stage.stop(); // M2
    logger.debug({stage: stage.name}, 'stopped');
  }
}
