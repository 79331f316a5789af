// Entry of the report thread: connects, answers `ask.report` and the edge of its process, reports when it is ready, and stops
// on request.

import {setTimeout as pause} from 'node:timers/promises';
import {parentPort, workerData} from 'node:worker_threads';
import {jetstreamManager} from '@nats-io/jetstream';
import type {Msg, NatsConnection, Subscription} from 'nats';
import {InvariantError, must, OperatorFault} from '../../actors/invariant.js';
import {type RunningAlerts, startAlerts} from '../alerts/start.js';
import {type Asker, alertsCaller, ofService} from '../asks/asker.js';
import {OpenQuestions} from '../asks/open-questions.js';
import type {ReportAnswer, ReportQuestion} from '../asks/report.js';
import {askReportSubject, replyBytesMax} from '../asks/subjects.js';
import {leftSubject, readAskedHeaders} from '../nats/asked-headers.js';
import {connectFirst, isOfCluster} from '../nats/client/connection.js';
import {ConnectionWatch} from '../nats/client/connection-watch.js';
import {packReply, unpack} from '../nats/packed.js';
import {partValues} from '../nats/part-values.js';
import {onAnnounced, publishedManifests} from '../nats/published-manifests.js';
import {readDeployment} from '../nats/topology.js';
import {createLogger} from '../observe.js';
import {Refresh} from '../refresh.js';
import {ThreadVitals} from '../thread-vitals.js';
import type {FromWorker, ReportWorkerData, ThreadQuestion, ToWorker} from '../worker-messages.js';
import {ReportEngine} from './engine.js';
import {HandedManifests} from './published/handed-manifests.js';
import type {CountedPublications} from './published/newest-snapshots.js';
import {joinReports} from './report-peers.js';
import {userReferences} from './user-references.js';

/** A first snapshot takes some tens of ms: a longer pause would only delay the start. */
const readyPauseMs = 20;
/** Pause after a failure, which is logged: a line a second. */
const failedPauseMs = 1_000;
const leaveMsMax = 2_000;

const {
  nats,
  partitionCount,
  cacheBytesMax,
  cpuMsMax,
  reportRefresh,
  deploymentCreatedMs,
  dashboardUrl,
  publications,
  manifestsPorts,
  cluster,
  logLevel,
} = workerData as ReportWorkerData;
const port = must(parentPort, 'the report worker runs in a thread');
const logger = createLogger(logLevel, 'report');
const say = (message: FromWorker): void => port.postMessage(message);

try {
  await run(await connectFirst(nats, 'millrace-report'));
} catch (error) {
  end(error as Error);
}

function end(error: Error): void {
  if (!(error instanceof OperatorFault)) logger.fatal({err: error}, 'the report thread cannot continue');
  say({kind: 'fatal', message: error.message});
}

/** A failed question ends only itself; a broken invariant ends the thread. */
function noteFailure(error: unknown): void {
  if (error instanceof InvariantError) end(error);
  else logger.error({err: error}, 'a question could not be answered');
}

async function run(nc: NatsConnection): Promise<void> {
  const jsm = await jetstreamManager(nc);
  const handed = new HandedManifests(manifestsPorts);
  const manifests = publishedManifests(jsm, publications && countedPublications(publications, handed));
  const refresh = new Refresh(reportRefresh, deploymentCreatedMs);
  const values = partValues(jsm, () => isOfCluster(nc), nats.storeFolder);
  const {secret} = must(await readDeployment(nc), 'the deployment record exists before reports start');
  const references = userReferences(secret);
  const options = {partitionCount, cacheBytesMax, cpuMsMax, refresh, references};
  const engine = new ReportEngine(manifests, values, options, logger);
  let drain: Drain | undefined;
  // A drain closes the connection under a join that is under way.
  const onFatal = (error: Error): void => void (drain?.isAsked || end(error));
  const peers = cluster && joinReports(nc, engine, {...cluster, logger, onFatal});
  const alerts = await startAlerts({
    nc,
    partitionCount,
    isOwner: () => peers?.ownsAlerts ?? true,
    refresh,
    dashboardUrl,
    logger,
    ask: (asked) => engine.answer(asked, {...ofService, caller: alertsCaller}),
  });
  const notePublished = (): void => {
    void engine.notePublished();
    alerts.notePublished();
  };
  onAnnounced(nc, notePublished);
  handed.listen(notePublished);
  void watchReturns(nc, engine);
  const vitals = new ThreadVitals({
    thread: 'report',
    connections: [new ConnectionWatch(nc, 'report')],
    caches: () => [
      {
        use: 'report',
        bytes: engine.parts.memory.bytesHeld + engine.derived.bytes - engine.postings.bytesHeld,
        bytesMax: engine.derived.roomBytes - engine.postings.bytesHeld,
      },
      {use: 'funnels', bytes: engine.postings.bytesHeld, bytesMax: engine.derived.builtBytesMax},
    ],
    builds: () => engine.derived.pendingBuilds,
  });
  const open = new OpenQuestions();
  // In the next turn: a notice that came with its question is read before it.
  const noteLeft = (number: string): void => void setImmediate(() => open.left(number));
  nc.subscribe(leftSubject(askReportSubject), {callback: (_, message) => noteLeft(message.string())});
  const questions = nc.subscribe(askReportSubject, {queue: 'report'});
  const answering: Answering = {engine, vitals, alerts, open};
  const answered = answerAll(questions, answering);
  const answeredHere = answerProcess(answering);
  void nc.closed().then((error) => {
    if (error) say({kind: 'fatal', message: `the connection to NATS ended: ${error.message}`});
  });
  drain = drainAsked();
  void prepare(engine, drain);
  await drain.asked;
  await alerts.stop(); // Before another process begins with them.
  await Promise.race([peers?.leave(), pause(leaveMsMax)]); // Others notice in any case (SH3).
  await questions.drain();
  await Promise.all([answered, answeredHere()]); // Answers still need the connection.
  await nc.drain();
  say({kind: 'stopped'});
}

function countedPublications(publications: Int32Array, handed: HandedManifests): CountedPublications {
  return {
    count: (partition) => Atomics.load(publications, partition),
    takeHanded: (partition, count) => handed.take(partition, count),
  };
}

interface Drain {
  readonly asked: Promise<void>;
  isAsked: boolean;
}

function drainAsked(): Drain {
  const drain: Drain = {
    isAsked: false,
    asked: new Promise((resolve) => {
      port.on('message', (message: ToWorker) => {
        if (message.kind !== 'drain') return;
        drain.isAsked = true;
        resolve();
      });
    }),
  };
  return drain;
}

/** What answers need. */
interface Answering {
  readonly engine: ReportEngine;
  readonly vitals: ThreadVitals;
  readonly alerts: RunningAlerts;
  readonly open: OpenQuestions;
}

/** Resolves when the subscription has ended and its questions are answered. */
async function answerAll(questions: Subscription, answering: Answering): Promise<void> {
  const all = new Set<Promise<void>>();
  for await (const message of questions) {
    const one = respond(message, answering).finally(() => all.delete(one));
    all.add(one);
  }
  await Promise.all(all);
}

/** Answers questions of the edge of this process. @returns a function that resolves when all of them are answered. */
function answerProcess(answering: Answering): () => Promise<unknown> {
  const all = new Set<Promise<void>>();
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'left') answering.open.left(message.number);
    if (message.kind !== 'question') return;
    const one = respondHere(message, answering).finally(() => all.delete(one));
    all.add(one);
  });
  say({kind: 'listening'});
  return () => Promise.all(all);
}

/** A server that was away may have lost its last writes: earlier counts and revisions prove nothing then. */
async function watchReturns(nc: NatsConnection, engine: ReportEngine): Promise<void> {
  for await (const {type} of nc.status()) if (type === 'reconnect') engine.noteReturn();
}

function tooLarge(): ReportAnswer {
  const message = `the answer takes more than ${replyBytesMax / 1_000} kB, which NATS carries from the report role: ask for fewer buckets or rows`;
  return {kind: 'unavailable', message};
}

/** A question that is no MessagePack, or whose sender cannot be reached, affects no other. */
async function respond(message: Msg, answering: Answering): Promise<void> {
  try {
    const question = unpack<ReportQuestion>(message.data);
    const by = readAskedHeaders(message.headers);
    const give = (asker: Asker): Promise<ReportAnswer> => answer(question, answering, asker);
    message.respond(packReply(await answering.open.during(by?.number ?? '', by, give), tooLarge));
  } catch (error) {
    noteFailure(error);
  }
}

/** Answers a question of the edge in this process. */
async function respondHere({number, question, by}: ThreadQuestion, answering: Answering): Promise<void> {
  let given: ReportAnswer = {kind: 'unavailable', message: 'the report cannot be computed now'};
  try {
    const give = (asker: Asker): Promise<ReportAnswer> => answer(question as ReportQuestion, answering, asker);
    given = await answering.open.during(number, by, give);
  } catch (error) {
    noteFailure(error);
  }
  port.postMessage({kind: 'answer', number, answer: given} satisfies FromWorker, buffersOf(given));
}

/** Buffers that an answer hands over to another thread. */
function buffersOf(answer: ReportAnswer): ArrayBuffer[] {
  return 'lines' in answer ? [answer.lines.buffer] : [];
}

async function answer(
  question: ReportQuestion,
  {engine, vitals, alerts}: Answering,
  asker: Asker,
): Promise<ReportAnswer> {
  if (question.ask !== 'measures' && question.ask !== 'status') return engine.answer(question, asker);
  const status = await engine.answer({ask: 'status'});
  const alertsLateMs = alerts.lateMs();
  if (question.ask === 'status') return status.kind === 'status' ? {...status, alertsLateMs} : status;
  const {asOfMs, damagedParts} = status.kind === 'status' ? status : {asOfMs: null, damagedParts: {}};
  const {running, waiting} = engine.atWork;
  const atWork = {running, waiting};
  return {kind: 'measures', asOfMs, damagedParts, alertsLateMs, atWork, thread: vitals.measure()};
}

async function sayWhenReady(engine: ReportEngine, drain: Drain): Promise<void> {
  while (!drain.isAsked) {
    const status = await engine.answer({ask: 'status'});
    if (status.kind === 'status' && status.ready) break;
    await pause(status.kind === 'status' ? readyPauseMs : failedPauseMs);
  }
  if (!drain.isAsked) say({kind: 'ready'});
}

async function prepare(engine: ReportEngine, drain: Drain): Promise<void> {
  await Promise.all([sayWhenReady(engine, drain), readAheadAsked()]);
  if (!drain.isAsked) await engine.warmUp();
}

/** Resolves when the folding threads have read what they need. */
function readAheadAsked(): Promise<void> {
  return new Promise((resolve) => {
    port.on('message', (message: ToWorker) => {
      if (message.kind === 'read ahead') resolve();
    });
  });
}
