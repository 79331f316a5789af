// The edge role: starts its connections, its keys and its server, and drains them.
import {randomBytes, randomInt} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import {jetstream, jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {wtf8} from '../../actors/bytes/bytes.js';
import {comparedSubject, forgottenLinksSubject} from '../asks/subjects.js';
import {monotonicMs, wallMs} from '../clock.js';
import {Addresses, type AddressRules} from '../effects/addresses.js';
import {HookStore} from '../effects/hook-store.js';
import {Letters} from '../effects/letters.js';
import {messageId} from '../effects/trigger.js';
import {AckedLinks} from '../ingest/acked-links.js';
import {AckedSequences} from '../ingest/acked-sequences.js';
import {EntryEncoder} from '../ingest/entry-encoder.js';
import {FoldLag} from '../ingest/fold-lag.js';
import {LinkEncoder} from '../ingest/link-encoder.js';
import {LogPublisher, tickMs} from '../ingest/publisher.js';
import {FixedKeys} from '../keys/fixed-keys.js';
import {type Bootstrap, type FirstKeys, KeyStore} from '../keys/store.js';
import {AskLink} from '../nats/ask-link.js';
import {connectFirst} from '../nats/client/connection.js';
import {ConnectionWatch} from '../nats/client/connection-watch.js';
import {Pulse, type PulseState} from '../nats/client/pulse.js';
import {NatsKeyBucket} from '../nats/key-bucket.js';
import {NatsLogLink} from '../nats/log-link.js';
import {LogRefusals} from '../nats/log-refusals.js';
import {carriedBytesMax} from '../nats/payload.js';
import {RecordLines} from '../nats/record-lines.js';
import type {Durability} from '../nats/server/durability.js';
import {isStreamThere, logStream} from '../nats/topology.js';
import {createLogger, type Logger} from '../observe.js';
import type {Refresh} from '../refresh.js';
import {ThreadVitals} from '../thread-vitals.js';
import type {AnsweringThread, FoldingThread, NatsAddress} from '../worker-messages.js';
import type {Zone} from '../zone.js';
import type {AdminTokens} from './admission/authentication.js';
import {BodiesUnderWay} from './admission/bodies-under-way.js';
import {Intake, lookMs} from './admission/intake.js';
import {LargeBodies} from './admission/large-bodies.js';
import {type ObstacleSources, Obstacles} from './admission/obstacles.js';
import type {RateOptions} from './admission/rate-limit.js';
import {RejectedEvents} from './admission/rejected-events.js';
import {TurnShare} from './admission/turn-share.js';
import {routes, servedRoutes} from './all-routes.js';
import {AuditTrail} from './audit.js';
import {Dashboard} from './dashboard/dashboard.js';
import type {Shares} from './dashboard/shares.js';
import type {Front} from './front.js';
import {ClientAddresses} from './http/client-address.js';
import {clientConnections, operatorConnectionsMax} from './http/connections.js';
import {loadTransport} from './http/load.js';
import {SharedAnswer} from './http/shared-answer.js';
import type {Transport} from './http/transport.js';
import {onceATurn} from './http/turn.js';
import {Scrape} from './metrics/scrape.js';
import {Traffic} from './metrics/traffic.js';
import type {NatsServerView} from './metrics/view.js';
import {Asks} from './query/asks.js';
import {CursorSeal} from './query/cursor.js';
import {LogGenerations} from './query/log-generations.js';
import {readinessKeptMs, readinessOf, stopping} from './readiness.js';
import type {Routes} from './route.js';
import {HttpServer} from './server.js';
import {StoredRecord} from './stored-record.js';

export interface EdgeOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Address of the operators' routes, if they have their own port. */
  readonly admin: {readonly host: string; readonly port: number} | undefined;
  readonly nats: NatsAddress;
  readonly partitionCount: number;
  /** Whether anonymous users become known ones. */
  readonly joinsIdentities: boolean;
  readonly tokens: AdminTokens;
  /** Keys of the configuration; without them a first start creates some. */
  readonly fixedKeys: Bootstrap;
  /** Secret of the deployment, the same on every edge. */
  readonly deploymentSecret: string;
  /** Failures that acknowledged events survive, for `/healthz`. */
  readonly durability: Durability;
  /** State of the service's own nats-server; empty for an external one. */
  readonly store: Pick<ObstacleSources, 'disk' | 'storeFault'>;
  /** Longest time from an ack until reports have the event. */
  readonly refresh: Pick<Refresh, 'ms'>;
  /** Undefined for an external nats-server. */
  readonly natsServer: NatsServerView | undefined;
  /** Undefined: UTC, which answers do not name. */
  readonly reportZone: Zone | undefined;
  readonly limits: RateOptions;
  /** Addresses that webhooks may go to. */
  readonly webhooks: AddressRules;
  /** Addresses and blocks whose X-Forwarded-For the edge trusts. */
  readonly trustedProxies: readonly string[];
  /** Host names of the dashboard. */
  readonly dashboardHosts: readonly string[];
  /** Folder of the benches' result files; undefined: the project's. */
  readonly benchResultsDir: string | undefined;
  /** Threads of this process that fold its events. */
  readonly foldingThreads: readonly FoldingThread[];
  /** Threads of this process that answer questions, by their subjects. */
  readonly answeringThreads: ReadonlyMap<string, AnsweringThread>;
  /** Shared with the folding threads, if no other process writes events (src/ingest/acked-sequences.ts). */
  readonly ackedSequences?: BigInt64Array | undefined;
  readonly logLevel: string;
}

export interface Edge {
  readonly port: number;
  /** Equal to `port` unless ADMIN_PORT is set. */
  readonly adminPort: number;
  /** Keys that this start created; it is the only time that they are shown. */
  readonly firstKeys: FirstKeys;
  /** A code that signs in to the dashboard once. */
  readonly signInCode: string;
  /** Accepts no more requests, answers those it has, closes. */
  drain(): Promise<void>;
}

const lastUsedEveryMs = 60_000;
const finishMsMax = 10_000;
const saveMsMax = 1_000;
const generationMsMax = 2_000;
const generationAgainMs = 100;

/** Rejects with a StartFault when the port is taken. */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const logger = createLogger(options.logLevel, 'edge');
  const transport = await loadTransport(logger);
  const [log, ask] = await Promise.all([
    connectFirst(options.nats, 'millrace-edge-log'),
    connectFirst(options.nats, 'millrace-edge-ask'),
  ]);
  try {
    return await openDoor(options, transport, logger, {log, ask});
  } catch (error) {
    await closeAll({log, ask});
    throw error;
  }
}

interface NatsConnections {
  /** Publishing has its own connection: large replies to reads must not delay an ack. */
  readonly log: NatsConnection;
  readonly ask: NatsConnection;
}

async function openDoor(
  options: EdgeOptions,
  transport: Transport,
  logger: Logger,
  connections: NatsConnections,
): Promise<Edge> {
  const {tokens, limits, natsServer} = options;
  const later = (ms: number, call: () => void): void => void setTimeout(call, ms).unref();
  const [js, jsm] = [jetstream(connections.ask), await jetstreamManager(connections.ask, {checkAPI: false})];
  const newId = (): string => randomBytes(12).toString('base64url');
  const record = new StoredRecord({lines: new RecordLines(js, jsm), newId, later, logger});
  const audit = new AuditTrail({logger, wallMs, record: (line) => record.keep(line), later});
  const keys = await KeyStore.open(new NatsKeyBucket(connections.ask), wallMs, (...change) =>
    audit.keyChanged(...change),
  );
  const hooks = await HookStore.open(new NatsKeyBucket(connections.ask, 'hooks'), wallMs);
  await keys.fixAll(options.fixedKeys);
  const fixedKeys = new FixedKeys(keys.ring, options.fixedKeys);
  await keys.signIn.ensure();
  const clientAddresses = new ClientAddresses(options.trustedProxies, (message) => logger.warn(message));
  const dashboard = new Dashboard({
    keys,
    tokens,
    hosts: options.dashboardHosts,
    addresses: clientAddresses,
    benchResultsDir: options.benchResultsDir,
    wallMs,
    monotonicMs,
  });
  if (!dashboard.isBuilt) logger.warn('the dashboard is not built, and is not served: run "npm run build"');
  for (const reason of fixedKeys.reasons()) logger.error(`not ready: ${reason}`);
  const pulses = {log: new Pulse(connections.log), ask: new Pulse(connections.ask)};
  let isDraining = false;
  const foldLag = new FoldLag(options.foldingThreads, options.partitionCount, monotonicMs);
  const refusals = new LogRefusals({
    isStreamThere: (partition) => isStreamThere(connections.ask, logStream(partition)),
    monotonicMs,
    logger,
  });
  const asks = new Asks(new AskLink(connections.ask, pulses.ask, options.answeringThreads));
  const generations = openGenerations(options.partitionCount, asks, connections.ask);
  const readiness = new SharedAnswer(readinessKeptMs, monotonicMs, () => readinessOf(front));
  const front: Front = createFront(options, {foldLag, refusals, asks, generations}, connections, pulses, {
    keys,
    fixedKeys,
    hooks,
    letters: new Letters(js, jsm),
    clientAddresses,
    audit,
    record,
    isDraining: () => isDraining,
    metricsText: () => scrape.text(),
    readiness: () => (isDraining ? stopping : readiness.get()),
  });
  // A stop closes the connections itself: that is not logged.
  const announceWhileServing = (connection: string) => (state: PulseState) => {
    if (!isDraining) announce(logger, connection, state);
  };
  pulses.log.onChange(announceWhileServing('log'));
  pulses.ask.onChange(announceWhileServing('questions'));
  const vitals = new ThreadVitals({
    thread: 'edge',
    connections: [
      new ConnectionWatch(connections.log, 'edge-log', () => pulses.log.state === 'answers'),
      new ConnectionWatch(connections.ask, 'edge-ask', () => pulses.ask.state === 'answers'),
    ],
    caches: () => [],
  });
  const scrape = new Scrape({front, vitals, natsServer});
  dashboard.live.start({
    front,
    vitals,
    natsServer,
    door: dashboard.door,
    writeRoutes: {track: routes.exact.get('/v1/events')!, identify: routes.exact.get('/v1/users/identify')!},
    refreshMs: () => options.refresh.ms,
    natsVersion: () => connections.ask.info?.version,
    isWhole:
      options.foldingThreads.reduce((sum, {partitions}) => sum + partitions.length, 0) === options.partitionCount,
    wallMs,
    monotonicMs,
    chooses: randomInt,
  });
  const openTo = (routesBehind: Routes, connectionsMax: number): HttpServer =>
    new HttpServer({
      transport,
      front,
      routes: routesBehind,
      connectionsMax,
      tokens,
      dashboardDoor: dashboard.door,
      limits,
      monotonicMs,
      logger,
    });
  const {admin} = options;
  const served = servedRoutes(dashboard.routes);
  const adminDoor = admin && openTo(served.operators, operatorConnectionsMax);
  const door = openTo(adminDoor === undefined ? served.all : served.clients, clientConnections(logger));
  const port = await door.listen(options.host, options.port);
  const adminPort = adminDoor === undefined ? port : await adminDoor.listen(admin!.host, admin!.port);
  if (adminDoor !== undefined) dashboard.apiPort = port;
  const firstKeys = await keys.createFirst(); // Keys are created after `listen`: a start that fails shows none.
  const signInCode = await keys.signIn.createCode();
  const ticking = setInterval(() => front.publisher.tick(), tickMs);
  const save = (): Promise<unknown> =>
    Promise.all([saveLastUsed(keys, logger), saveReads(dashboard.shares, hooks, logger)]);
  const saving = setInterval(() => void save(), lastUsedEveryMs);

  return {
    port,
    adminPort,
    firstKeys,
    signInCode,
    async drain() {
      isDraining = true;
      dashboard.live.stop();
      // A slow client, or a log that does not answer, must not delay the stop.
      const doors = [door, ...(adminDoor === undefined ? [] : [adminDoor])];
      await atMost(finishMsMax, Promise.all(doors.map((each) => each.finish())));
      for (const each of doors) each.close();
      await front.publisher.idle();
      clearInterval(ticking);
      clearInterval(saving);
      generations.stop();
      await atMost(saveMsMax, Promise.all([save(), record.flush()]));
      record.stop();
      keys.stop();
      hooks.stop();
      vitals.stop();
      await front.largeBodies.stop();
      await closeAll(connections);
    },
  };
}

function openGenerations(partitionCount: number, asks: Asks, nc: NatsConnection): LogGenerations {
  const generations = new LogGenerations({
    partitionCount,
    ask: async (partition) =>
      (await asks.partition(partition, {ask: 'generation'}, ['generation'], generationMsMax)).generation,
    soon: (call) => void setTimeout(call, generationAgainMs),
  });
  nc.subscribe(comparedSubject('*'), {
    callback: (_, message) => {
      const partition = Number(message.subject.split('.').at(-1));
      if (partition < partitionCount) generations.compared(partition, Number(message.string()));
    },
  });
  generations.startConnection();
  return generations;
}

/** AL2 (acked-links.ts) */
function openLinks(
  joinsIdentities: boolean,
  partitionCount: number,
  nc: NatsConnection,
  pulses: Readonly<Record<keyof NatsConnections, Pulse>>,
): Pick<Front, 'links' | 'forgetLinks'> {
  const acked = new AckedLinks(new Uint32Array(new Uint8Array(randomBytes(12)).buffer));
  const forget = (userKey: Uint8Array): void => acked.forget(userKey);
  nc.subscribe(forgottenLinksSubject, {callback: (_, message) => forget(message.data)});
  for (const pulse of Object.values(pulses)) pulse.onChange(() => acked.clear());
  return {
    links: joinsIdentities ? new LinkEncoder(acked, partitionCount) : undefined,
    forgetLinks: (userId) => {
      const userKey = wtf8('u' + userId);
      forget(userKey);
      nc.publish(forgottenLinksSubject, userKey);
    },
  };
}

/** The connection to the logs, below the routes. */
interface LogSide extends Pick<Front, 'asks' | 'foldLag'> {
  readonly refusals: LogRefusals;
  readonly generations: LogGenerations;
}

function createFront(
  {
    partitionCount,
    joinsIdentities,
    store,
    deploymentSecret,
    durability,
    reportZone,
    ackedSequences,
    webhooks,
  }: EdgeOptions,
  {foldLag, refusals, asks, generations}: LogSide,
  connections: NatsConnections,
  pulses: Readonly<Record<keyof NatsConnections, Pulse>>,
  others: Pick<
    Front,
    | 'keys'
    | 'fixedKeys'
    | 'hooks'
    | 'letters'
    | 'clientAddresses'
    | 'audit'
    | 'record'
    | 'isDraining'
    | 'metricsText'
    | 'readiness'
  >,
): Front {
  const traffic = new Traffic(routes);
  const publisher = new LogPublisher({
    link: new NatsLogLink(connections.log, refusals),
    partitionCount,
    messageBytesMax: carriedBytesMax,
    monotonicMs,
    wallMs,
    newProducer: () => randomBytes(8),
    observer: traffic,
    acked: ackedSequences && new AckedSequences(ackedSequences),
    generations,
    foldLag,
  });
  const obstacles = new Obstacles({
    ...store,
    log: () => pulses.log.state,
    asks: () => pulses.ask.state,
    logRefusals: () => refusals.reasons(),
    isLogOpen: () => publisher.isOpen,
  });
  const soon = (look: () => void): void => void setTimeout(look, lookMs);
  const intake = new Intake({
    backlogBytes: () => publisher.backlogBytes(monotonicMs()),
    takeOn: (bytes) => foldLag.take(bytes),
    obstacle: () => obstacles.toWriting(),
    monotonicMs,
    soon,
    turn: new TurnShare({monotonicMs, atTurnEnd: (call) => void setImmediate(call)}),
  });
  return {
    partitionCount,
    publisher,
    foldLag,
    encoder: new EntryEncoder(partitionCount),
    largeBodies: new LargeBodies(partitionCount),
    intake,
    underWay: new BodiesUnderWay({monotonicMs, soon}),
    obstacles,
    asks,
    generations,
    ...openLinks(joinsIdentities, partitionCount, connections.ask, pulses),
    cursors: new CursorSeal(deploymentSecret),
    webhookAddresses: new Addresses(webhooks),
    messageId: (...parts) => messageId(deploymentSecret, ...parts),
    reportZone,
    traffic,
    rejected: new RejectedEvents(wallMs),
    durability,
    wallMs: onceATurn(wallMs),
    ...others,
  };
}

async function closeAll({log, ask}: NatsConnections): Promise<void> {
  await Promise.all([log.close(), ask.close()]);
}

function announce(logger: Logger, connection: string, state: PulseState): void {
  if (state === 'answers') logger.warn({connection}, 'NATS answers again');
  else logger.error({connection, state}, 'NATS is unreachable: requests that need it are refused until it responds');
}

/** Resolves when the work is done or `ms` are over. */
async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const over = delay(ms, undefined, {signal: timer.signal}).catch(() => {}); // Aborted: the work ended first.
  await Promise.race([work, over]);
  timer.abort();
}

/** A failure is only logged: the next save writes the same times. */
async function saveLastUsed(keys: KeyStore, logger: Logger): Promise<void> {
  try {
    await keys.saveLastUsed();
  } catch (error) {
    logger.warn({reason: (error as Error).message}, 'the last use of keys could not be saved');
  }
}

/** A failure is only logged: the counts stay for the next save. */
async function saveReads(shares: Shares, hooks: HookStore, logger: Logger): Promise<void> {
  try {
    await shares.saveReads(hooks);
  } catch (error) {
    logger.warn({reason: (error as Error).message}, 'the reads of shared links could not be saved');
  }
}
