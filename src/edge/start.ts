// The edge role: starts its connections, its keys and its server, and drains them.
import {createHash, randomBytes, randomInt} from 'node:crypto';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {jetstream, jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {must} from '../../actors/invariant.js';
import type {FiguresQuestion} from '../asks/figures.js';
import {askFiguresSubject, edgesSubject} from '../asks/subjects.js';
import {monotonicMs, wallMs} from '../clock.js';
import {ClusterWatch, type StoredLevel} from '../cluster/cluster-watch.js';
import {tickMs} from '../ingest/publisher.js';
import {FileLines} from '../journal-lines.js';
import {KeptStore} from '../kept/kept-store.js';
import {ShareReads} from '../kept/share-reads.js';
import {FixedKeys} from '../keys/fixed-keys.js';
import {throughElection} from '../keys/key-bucket.js';
import type {KeyRing} from '../keys/key-ring.js';
import {type Bootstrap, type FirstKeys, KeyStore} from '../keys/store.js';
import {type SaltBucket, VisitorSalts} from '../keys/visitor-salts.js';
import {connectFirst} from '../nats/client/connection.js';
import {ConnectionWatch} from '../nats/client/connection-watch.js';
import {Pulse, type PulseState} from '../nats/client/pulse.js';
import {StreamLines} from '../nats/journal-copy.js';
import {NatsKeyBucket} from '../nats/key-bucket.js';
import {pack, unpack} from '../nats/packed.js';
import {RecordLines} from '../nats/record-lines.js';
import {
  deadLettersStream,
  pastElections,
  raiseLevel,
  readDeployment,
  recordStream,
  triggersStream,
} from '../nats/topology.js';
import {hasUnreadable} from '../nats/unreadable-messages.js';
import {createLogger, type Logger} from '../observe.js';
import {promised} from '../promised.js';
import type {Refresh} from '../refresh.js';
import {RevocationRecords, revocationsName} from '../revocations.js';
import {ThreadVitals} from '../thread-vitals.js';
import {DeliveryQueue} from '../webhooks/delivery-queue.js';
import type {NatsAddress} from '../worker-messages.js';
import type {AdminTokens} from './admission/authentication.js';
import {FellowEdges} from './admission/fellow-edges.js';
import {routes, servedRoutes} from './all-routes.js';
import {createFront, type FrontOptions, type NatsConnections, openLogSide} from './assembly.js';
import {AuditTrail} from './audit.js';
import {Dashboard} from './dashboard/dashboard.js';
import {noPageOf} from './dashboard/routes.js';
import type {Front, Kept, Writes} from './front.js';
import {ClientAddresses} from './http/client-address.js';
import {clientConnections, operatorConnectionsMax} from './http/connections.js';
import {loadTransport} from './http/load.js';
import {rateLimits} from './http/rate-limit.js';
import {SharedAnswer} from './http/shared-answer.js';
import type {Transport} from './http/transport.js';
import {LostRecords} from './lost-records.js';
import {ProcessVitals} from './metrics/process-vitals.js';
import {Scrape} from './metrics/scrape.js';
import type {NatsServerView} from './metrics/view.js';
import {readinessKeptMs, readinessOf, stopping} from './readiness.js';
import type {Routes} from './route.js';
import {figuresFor} from './routes/figures.js';
import {HttpServer} from './server.js';
import {StoredRecord} from './stored-record.js';
import {Countries} from './web/countries.js';
import {Web} from './web/web.js';

export interface EdgeOptions extends FrontOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Address of the operators' routes, if they have their own port. */
  readonly admin: {readonly host: string; readonly port: number} | undefined;
  readonly nats: NatsAddress;
  /** Folder for the note of keys and definitions. */
  readonly dataDir: string;
  readonly tokens: AdminTokens;
  /** That of the deployment (actors/cluster/level.ts). */
  readonly level: number;
  /** Folder of the journal of revocations, where no other process writes it, and whether the data is a backup that was restored. */
  readonly revocations: {readonly folder: string; readonly isRestored: boolean};
  /** Keys of the configuration; without them a first start creates some. */
  readonly fixedKeys: Bootstrap;
  /** Longest time from an ack until reports have the event. */
  readonly refresh: Pick<Refresh, 'ms'>;
  /** Undefined for an external nats-server. */
  readonly natsServer: NatsServerView | undefined;
  /** Addresses and blocks whose X-Forwarded-For the edge trusts. */
  readonly trustedProxies: readonly string[];
  /** Header in which a trusted proxy says the country of the client, in lower case. */
  readonly countryHeader?: string | undefined;
  /** Path of an MMDB file. */
  readonly geoipFile?: string | undefined;
  /** Host names of the dashboard. */
  readonly dashboardHosts: readonly string[];
  /** Folder of the benches' result files; undefined: the project's. */
  readonly benchResultsDir: string | undefined;
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

const keysLeader = 'a leader of the bucket KV_keys';
const lastUsedEveryMs = 60_000;
const saltsEveryMs = 60_000;
const countriesEveryMs = 60_000;
/** A record that is lost within this time of its creation is not noticed. */
const notedEveryMs = 1_000;
const finishMsMax = 10_000;
const saveMsMax = 1_000;

/** Rejects with a StartFault when the port is taken. */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const logger = createLogger(options.logLevel, 'edge');
  const transport = loadTransport(logger);
  const [log, ask] = await Promise.all([
    connectFirst(options.nats, 'millrace-edge-log'),
    connectFirst(options.nats, 'millrace-edge-ask'),
  ]);
  try {
    return await openEdge(options, transport, logger, {log, ask});
  } catch (error) {
    await closeAll({log, ask});
    throw error;
  }
}

/** Buckets and streams that the edge reads and writes. */
interface Stores extends Pick<Writes, 'visitorSalt'> {
  /** Makes and destroys salts; a failure is only logged. */
  readonly keepSalts: () => Promise<void>;
  readonly kept: Omit<Kept, 'webhookAddresses' | 'sendsMail' | 'messageId'>;
  readonly record: StoredRecord;
  readonly lostRecords: LostRecords;
}

const storedLevel = (nc: NatsConnection): StoredLevel => ({
  read: async () => must(await readDeployment(nc), 'a deployment that runs has a record').formatVersion,
  raise: (from) => raiseLevel(nc, from),
});

async function openStores(options: EdgeOptions, {ask}: NatsConnections, logger: Logger): Promise<Stores> {
  const [js, jsm] = [jetstream(ask), await jetstreamManager(ask, {checkAPI: false})];
  const later = (ms: number, call: () => void): void => void setTimeout(call, ms).unref();
  const newId = (): string => randomBytes(12).toString('base64url');
  const record = new StoredRecord({lines: new RecordLines(js, jsm), newId, later, logger});
  const audit = new AuditTrail({logger, wallMs, record: (line) => record.keep(line), later});
  const revoked =
    options.natsServer === undefined
      ? new StreamLines(ask, revocationsName)
      : new FileLines(join(options.revocations.folder, revocationsName), wallMs);
  const revocations = new RevocationRecords(revoked, wallMs, logger);
  const buckets = {keys: new NatsKeyBucket(ask), hooks: new NatsKeyBucket(ask, 'hooks')};
  const opening = KeyStore.open(buckets.keys, wallMs, (...change) => audit.keyChanged(...change), revocations);
  const keys = await promised('the keys of the bucket KV_keys', opening, {logger});
  const openingHooks = KeptStore.open(buckets.hooks, wallMs);
  const store = await promised('the definitions of the bucket KV_hooks', openingHooks, {logger});
  const noteOptions = {
    dataDir: options.dataDir,
    deployment: createHash('sha256').update(`records note ${options.deploymentSecret}`).digest('hex'),
    names: () => ({keys: buckets.keys.stillStored, hooks: buckets.hooks.stillStored}),
    everStored: () => ({keys: buckets.keys.everStored, hooks: buckets.hooks.everStored}),
    lines: async () => {
      const {first_seq: first, last_seq: last, messages: count} = (await jsm.streams.info(recordStream)).state;
      return {first, last, count};
    },
    lastMessages: async () => {
      const [out, dead] = await Promise.all([triggersStream, deadLettersStream].map((name) => jsm.streams.info(name)));
      return {OUT: out!.state.last_seq, DEAD: dead!.state.last_seq};
    },
    damagedMessages: async () => {
      const names = [triggersStream, deadLettersStream] as const;
      const are = await Promise.all(names.map((name) => hasUnreadable(jsm, name)));
      return names.filter((_, at) => are[at]);
    },
    unreadable: () => store.unreadable,
    wallMs,
    logger,
  };
  const openingNote = pastElections(ask, () => LostRecords.open(noteOptions));
  const lostRecords = await promised('the state of the streams RECORD, OUT and DEAD', openingNote, {logger});
  const elected = (work: () => Promise<void>): Promise<void> => promised(keysLeader, throughElection(work), {logger});
  await elected(() => keys.fixAll(options.fixedKeys));
  const fixedKeys = new FixedKeys(keys.ring, options.fixedKeys);
  await elected(() => keys.signIn.ensure());
  await elected(() => pastElections(ask, () => revocations.repeat(keys, store, options.revocations.isRestored)));
  for (const reason of fixedKeys.reasons()) logger.error(`not ready: ${reason}`);
  const deliveryQueue = new DeliveryQueue(js, jsm);
  const salts = await openSalts(buckets.keys, logger);
  const kept = {store, shareReads: new ShareReads(store), keys, fixedKeys, revocations, audit, record, deliveryQueue};
  return {kept, record, lostRecords, ...salts};
}

async function openSalts(bucket: SaltBucket, logger: Logger): Promise<Pick<Stores, 'visitorSalt' | 'keepSalts'>> {
  const salts = new VisitorSalts(bucket, wallMs);
  let hasFailed = false;
  const keepSalts = async (): Promise<void> => {
    try {
      await salts.keep();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed)
        logger.warn({reason: (error as Error).message}, 'the salts of visitor ids could not be made or destroyed');
      hasFailed = true;
    }
  };
  await keepSalts();
  const visitorSalt = (timeMs: number): Buffer | undefined => {
    const salt = salts.of(timeMs);
    if (salt === undefined) void keepSalts();
    return salt;
  };
  return {visitorSalt, keepSalts};
}

function dashboardOf(
  {tokens, dashboardHosts, benchResultsDir}: EdgeOptions,
  keys: KeyStore,
  addresses: ClientAddresses,
  logger: Logger,
): Dashboard {
  const dashboard = new Dashboard({
    keys,
    tokens,
    hosts: dashboardHosts,
    addresses,
    benchResultsDir,
    wallMs,
    monotonicMs,
  });
  if (!dashboard.isBuilt) logger.warn('the dashboard is not built, and is not served: run "npm run build"');
  return dashboard;
}

/** Servers of the public port and, with ADMIN_PORT, of the operators' port. */
interface Doors extends Pick<Edge, 'port' | 'adminPort'> {
  readonly servers: readonly HttpServer[];
}

/** Listens. Rejects with a StartFault when a port is taken. */
async function openDoors(
  {host, port: askedPort, admin, tokens, limits, countryHeader}: EdgeOptions,
  transport: Transport,
  front: Front,
  dashboard: Dashboard,
  logger: Logger,
): Promise<Doors> {
  const served = servedRoutes(dashboard.routes);
  const openTo = (routesBehind: Routes, connectionsMax: number, noPage: Dashboard['noPage']): HttpServer =>
    new HttpServer({
      ...{transport, front, tokens, limits, countryHeader, monotonicMs, logger},
      routes: routesBehind,
      connectionsMax,
      dashboardDoor: dashboard.door,
      noPage,
    });
  const [routes, noPage] = admin === undefined ? [served.all, dashboard.noPage] : [served.clients, noPageOf(undefined)];
  const door = openTo(routes, clientConnections(logger), noPage);
  const port = await door.listen(host, askedPort);
  if (admin === undefined) return {port, adminPort: port, servers: [door]};
  const adminDoor = openTo(served.operators, operatorConnectionsMax, dashboard.noPage);
  const adminPort = await adminDoor.listen(admin.host, admin.port);
  dashboard.apiPort = port;
  return {port, adminPort, servers: [door, adminDoor]};
}

function openFellows({limits}: EdgeOptions, {ask}: NatsConnections, keys: KeyRing): FellowEdges {
  const fellows = new FellowEdges({
    id: randomBytes(8).toString('hex'),
    limits: rateLimits(limits),
    keys,
    publish: (message) => ask.publish(edgesSubject, message),
    monotonicMs,
  });
  ask.subscribe(edgesSubject, {callback: (_, message) => fellows.hear(message.string())});
  fellows.start();
  return fellows;
}

/** Answers digests. One of several edges gets a question. */
function answerFigures({ask}: NatsConnections, front: Front): void {
  ask.subscribe(askFiguresSubject, {
    queue: 'edge',
    callback: (_, message) =>
      void figuresFor(front, unpack<FiguresQuestion>(message.data)).then((answer) => {
        if (!ask.isClosed()) message.respond(pack(answer));
      }),
  });
}

async function openEdge(
  options: EdgeOptions,
  transport: Transport,
  logger: Logger,
  connections: NatsConnections,
): Promise<Edge> {
  const {natsServer, foldingThreads, partitionCount} = options;
  const {kept, record, lostRecords, visitorSalt, keepSalts} = await openStores(options, connections, logger);
  const {keys, store} = kept;
  const clientAddresses = new ClientAddresses(options.trustedProxies, (message) => logger.warn(message));
  const countries = new Countries(clientAddresses, options.geoipFile, logger);
  const dashboard = dashboardOf(options, keys, clientAddresses, logger);
  const pulses = {log: new Pulse(connections.log), ask: new Pulse(connections.ask)};
  const cluster =
    natsServer === undefined
      ? new ClusterWatch(
          new NatsKeyBucket(connections.ask, 'cluster'),
          partitionCount,
          options.level,
          storedLevel(connections.ask),
          logger,
        )
      : undefined;
  const fellows = natsServer === undefined ? openFellows(options, connections, keys.ring) : undefined;
  const logSide = openLogSide(options, connections, pulses, cluster, logger);
  let isDraining = false;
  const readiness = new SharedAnswer(readinessKeptMs, monotonicMs, () => readinessOf(front));
  const front: Front = createFront(
    options,
    logSide,
    connections,
    pulses,
    {
      writes: {visitorSalt, web: new Web(countries)},
      kept,
      fellows,
      operations: {
        lostRecords,
        cluster,
        clientAddresses,
        isDraining: () => isDraining,
        metricsText: () => scrape.text(),
        readiness: () => (isDraining ? stopping : readiness.get()),
      },
    },
    logger,
  );
  answerFigures(connections, front);
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
  const processVitals = new ProcessVitals(wallMs());
  const scrape = new Scrape({front, vitals, natsServer}, processVitals);
  dashboard.live.start({
    ...{front, vitals, natsServer, wallMs, monotonicMs},
    door: dashboard.door,
    writeRoutes: {track: routes.exact.get('/v1/events')!, identify: routes.exact.get('/v1/users/identify')!},
    refreshMs: () => options.refresh.ms,
    natsVersion: () => connections.ask.info?.version,
    get isWhole() {
      return foldingThreads.reduce((sum, {partitions}) => sum + partitions.length, 0) === partitionCount;
    },
    chooses: randomInt,
  });
  const {port, adminPort, servers} = await openDoors(options, transport, front, dashboard, logger);
  // Keys are created after the doors are open: a start that fails shows none.
  const firstKeys = await promised(keysLeader, keys.createFirst(), {logger});
  const signInCode = await promised(
    keysLeader,
    throughElection(() => keys.signIn.createCode()),
    {logger},
  );
  const ticking = setInterval(() => front.writes.publisher.tick(), tickMs);
  const save = (): Promise<unknown> =>
    Promise.all([saveLastUsed(keys, logger), saveReads(kept.shareReads, logger), lostRecords.note()]);
  const saving = setInterval(() => void save(), lastUsedEveryMs);
  const keepingCountries = setInterval(() => countries.refresh(), countriesEveryMs);
  const keepingSalts = setInterval(() => void keepSalts(), saltsEveryMs);
  const noting = setInterval(() => void lostRecords.noteChanges(), notedEveryMs);

  return {
    port,
    adminPort,
    firstKeys,
    signInCode,
    async drain() {
      isDraining = true;
      dashboard.live.stop();
      // A slow client, or a log that does not answer, must not delay the stop.
      await atMost(finishMsMax, Promise.all(servers.map((server) => server.finish())));
      for (const server of servers) server.close();
      await front.writes.publisher.idle();
      clearInterval(ticking);
      clearInterval(saving);
      clearInterval(keepingCountries);
      clearInterval(keepingSalts);
      clearInterval(noting);
      cluster?.stop();
      fellows?.stop();
      front.reads.generations.stop();
      front.writes.stopNames();
      await atMost(saveMsMax, Promise.all([save(), record.flush()]));
      for (const one of [record, keys, store, vitals, processVitals]) one.stop();
      await Promise.all([front.writes.largeBodies.stop(), front.reads.parquet.stop()]);
      await closeAll(connections);
    },
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
async function saveReads(reads: ShareReads, logger: Logger): Promise<void> {
  try {
    await reads.save();
  } catch (error) {
    logger.warn({reason: (error as Error).message}, 'the reads of links could not be saved');
  }
}
