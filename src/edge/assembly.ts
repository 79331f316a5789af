// Assembles what the routes of an edge share (front.ts), over its connections: the way to the logs, admission, questions.
import {randomBytes} from 'node:crypto';
import type {NatsConnection} from 'nats';
import {wtf8} from '../../actors/bytes/bytes.js';
import {appliedSubject, comparedSubject, forgottenLinksSubject} from '../asks/subjects.js';
import {monotonicMs, wallMs} from '../clock.js';
import {appliedIn} from '../cluster/applied-report.js';
import type {ClusterWatch} from '../cluster/cluster-watch.js';
import {AckedLinks} from '../ingest/acked-links.js';
import {AckedSequences} from '../ingest/acked-sequences.js';
import {messageMsOf} from '../ingest/commit-pace.js';
import {EntryEncoder} from '../ingest/entry-encoder.js';
import {FoldLag} from '../ingest/fold-lag.js';
import {KnownNames} from '../ingest/known-names.js';
import {LinkEncoder} from '../ingest/link-encoder.js';
import {NamedEntries} from '../ingest/named-entries.js';
import {LogPublisher} from '../ingest/publisher.js';
import {RequestOrder} from '../ingest/request-order.js';
import {AskLink} from '../nats/ask-link.js';
import type {Pulse} from '../nats/client/pulse.js';
import {NatsLogLink} from '../nats/log-link.js';
import {LogRefusals} from '../nats/log-refusals.js';
import {carriedBytesMax} from '../nats/payload.js';
import type {Durability} from '../nats/server/durability.js';
import {isStreamThere, logStream} from '../nats/topology.js';
import type {Logger} from '../observe.js';
import {Addresses, type AddressRules} from '../webhooks/addresses.js';
import {messageId} from '../webhooks/trigger.js';
import type {AnsweringThread, FoldingThread} from '../worker-messages.js';
import type {Zone} from '../zone.js';
import {BodiesUnderWay} from './admission/bodies-under-way.js';
import type {FellowEdges} from './admission/fellow-edges.js';
import {Intake, lookMs} from './admission/intake.js';
import {LargeBodies} from './admission/large-bodies.js';
import {type ObstacleSources, Obstacles} from './admission/obstacles.js';
import {RejectedEvents} from './admission/rejected-events.js';
import {TurnShare} from './admission/turn-share.js';
import {routes} from './all-routes.js';
import type {Front, Kept, Operations, Writes} from './front.js';
import type {RateOptions} from './http/rate-limit.js';
import {onceATurn} from './http/turn.js';
import {Traffic} from './metrics/traffic.js';
import {ParquetThread} from './parquet/parquet-thread.js';
import {Asks} from './query/asks.js';
import {CursorSeal} from './query/cursor.js';
import {LogGenerations} from './query/log-generations.js';
import {NamesWatch} from './query/names-watch.js';

const generationMsMax = 2_000;
const generationAgainMs = 100;

export interface FrontOptions {
  readonly partitionCount: number;
  /** Whether anonymous users become known ones. */
  readonly joinsIdentities: boolean;
  /** Bound of the number of event names. */
  readonly eventNamesMax: number;
  /** Secret of the deployment, the same on every edge. */
  readonly deploymentSecret: string;
  /** Failures that acknowledged events survive, for `/healthz`. */
  readonly durability: Durability;
  /** State of the service's own nats-server; empty for an external one. */
  readonly store: Pick<ObstacleSources, 'disk' | 'storeFault'>;
  /** Undefined: UTC, which answers do not name. */
  readonly reportZone: Zone | undefined;
  /** Rate limits of each key. */
  readonly limits: RateOptions;
  /** Messages a second that all edges may publish to the logs of an external NATS. */
  readonly logMessagesPerSecond: number;
  /** Addresses that webhooks may go to. */
  readonly webhooks: AddressRules;
  /** Whether there is an SMTP server. */
  readonly sendsMail: boolean;
  /** Threads of this process that fold its events. */
  readonly foldingThreads: readonly FoldingThread[];
  /** Threads of this process that answer questions, by their subjects. */
  readonly answeringThreads: ReadonlyMap<string, AnsweringThread>;
  /** Shared with the folding threads, if no other process writes events (src/ingest/acked-sequences.ts). */
  readonly ackedSequences?: BigInt64Array | undefined;
}

export interface NatsConnections {
  /** Publishing has its own connection: large replies to reads must not delay an ack. */
  readonly log: NatsConnection;
  readonly ask: NatsConnection;
}

/** Pulse of each connection. */
type Pulses = Readonly<Record<keyof NatsConnections, Pulse>>;

/** The logs and the owners of their partitions, as the edge reaches them. */
interface LogSide {
  readonly asks: Asks;
  readonly foldLag: FoldLag;
  readonly refusals: LogRefusals;
  readonly generations: LogGenerations;
}

export function openLogSide(
  {partitionCount, foldingThreads, answeringThreads}: FrontOptions,
  {ask, log}: NatsConnections,
  pulses: Pulses,
  cluster: Pick<ClusterWatch, 'ownerOf'> | undefined,
  logger: Logger,
): LogSide {
  const asks = new Asks(new AskLink(ask, pulses.ask, answeringThreads));
  const foldLag = new FoldLag(foldingThreads, partitionCount, monotonicMs);
  if (cluster !== undefined) {
    log.subscribe(appliedSubject, {
      callback: (_, message) => {
        const report = appliedIn(message.string(), partitionCount);
        if (report === undefined) return;
        foldLag.told(report.member, report.threads, (partition) => cluster.ownerOf(partition) === report.member);
      },
    });
  }
  for (const thread of foldingThreads) {
    // While the log does not answer, no acks come over this connection; the next one starts a new number anyway.
    thread.onLogLost(
      () =>
        void log.flush().then(
          () => foldLag.startConnection(),
          () => undefined,
        ),
    );
  }
  return {
    asks,
    foldLag,
    refusals: new LogRefusals({
      isStreamThere: (partition) => isStreamThere(ask, logStream(partition)),
      monotonicMs,
      logger,
    }),
    generations: openGenerations(partitionCount, asks, ask),
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

/** Links that logs have acked, on this edge and as others report their end. AL2 (acked-links.ts) */
function openLinks(
  joinsIdentities: boolean,
  partitionCount: number,
  nc: NatsConnection,
  pulses: Pulses,
): Pick<Writes, 'links' | 'forgetLinks'> {
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

const namesMsMax = 3_000;

function openNames(
  {partitionCount, eventNamesMax: max}: Pick<FrontOptions, 'partitionCount' | 'eventNamesMax'>,
  asks: Asks,
  logger: Logger,
): Pick<Writes, 'named' | 'readNames' | 'stopNames'> {
  const names = new KnownNames(max, partitionCount);
  const watch = new NamesWatch({
    names,
    ask: (partition, question) => asks.partition(partition, question, ['names'], namesMsMax),
    monotonicMs,
    onNearlyFull: (isNearlyFull) => {
      const words = {alarm: 'event_names', names: names.count, max};
      if (isNearlyFull)
        logger.error(words, 'alarm: there are nearly as many names of events as EVENT_NAMES_MAX permits');
      else logger.info(words, 'there is room for names of events again');
    },
  });
  void watch.read();
  return {
    named: new NamedEntries(names, monotonicMs, () => watch.noteTaken()),
    readNames: () => watch.read(),
    stopNames: () => watch.stop(),
  };
}

export function createFront(
  {
    partitionCount,
    joinsIdentities,
    eventNamesMax,
    store,
    deploymentSecret,
    durability,
    reportZone,
    limits,
    ackedSequences,
    webhooks,
    sendsMail,
    logMessagesPerSecond,
  }: FrontOptions,
  {foldLag, refusals, asks, generations}: LogSide,
  connections: NatsConnections,
  pulses: Pulses,
  others: {
    readonly writes: Pick<Writes, 'visitorSalt' | 'web'>;
    readonly kept: Omit<Kept, 'webhookAddresses' | 'sendsMail' | 'messageId'>;
    /** Undefined: the nats-server is our own, and this is its only edge. */
    readonly fellows: Pick<FellowEdges, 'count'> | undefined;
    readonly operations: Pick<
      Operations,
      'lostRecords' | 'cluster' | 'clientAddresses' | 'isDraining' | 'metricsText' | 'readiness'
    >;
  },
  logger: Logger,
): Front {
  const traffic = new Traffic(routes);
  const {fellows} = others;
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
    ...(fellows && {messageMs: () => messageMsOf(logMessagesPerSecond, fellows.count)}),
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
    reportZone,
    wallMs: onceATurn(wallMs),
    writes: {
      publisher,
      foldLag,
      encoder: new EntryEncoder(partitionCount),
      order: new RequestOrder(randomBytes(4).readUInt32LE()),
      largeBodies: new LargeBodies(partitionCount),
      intake,
      underWay: new BodiesUnderWay({monotonicMs, soon}),
      rejected: new RejectedEvents(wallMs),
      ...openNames({partitionCount, eventNamesMax}, asks, logger),
      ...openLinks(joinsIdentities, partitionCount, connections.ask, pulses),
      ...others.writes,
    },
    reads: {
      asks,
      generations,
      cursors: new CursorSeal(deploymentSecret, partitionCount),
      parquet: new ParquetThread(),
    },
    kept: {
      webhookAddresses: new Addresses(webhooks),
      sendsMail,
      messageId: (...parts) => messageId(deploymentSecret, ...parts),
      ...others.kept,
    },
    operations: {obstacles, limits, traffic, durability, ...others.operations},
  };
}
