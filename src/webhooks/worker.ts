// Thread entry of the deliver role: connects, serves the endpoints, reports their measures, and stops on request.
import {randomInt} from 'node:crypto';
import {setTimeout as pause} from 'node:timers/promises';
import {parentPort, workerData} from 'node:worker_threads';
import {jetstream, jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {must, OperatorFault} from '../../actors/invariant.js';
import type {DeliverAnswer} from '../asks/deliver.js';
import {askDeliverSubject, askPartitionSubject} from '../asks/subjects.js';
import {wallMs} from '../clock.js';
import type {Membership} from '../cluster/membership.js';
import {seedsOf} from '../deployment-seeds.js';
import {KeptStore} from '../kept/kept-store.js';
import type {Mailer, MailServer} from '../mail/mailer.js';
import {AskLink} from '../nats/ask-link.js';
import {connectFirst} from '../nats/client/connection.js';
import {ConnectionWatch} from '../nats/client/connection-watch.js';
import {Pulse} from '../nats/client/pulse.js';
import {NatsKeyBucket} from '../nats/key-bucket.js';
import {pack} from '../nats/packed.js';
import {processMembership} from '../nats/process-membership.js';
import {ThreadQuestions} from '../nats/thread-questions.js';
import {readDeployment} from '../nats/topology.js';
import {createLogger} from '../observe.js';
import {promised} from '../promised.js';
import {lowerPriority} from '../thread-priority.js';
import {ThreadVitals} from '../thread-vitals.js';
import {userRefs} from '../user-ref.js';
import type {AnsweringThread, DeliverWorkerData, FromWorker, ToWorker} from '../worker-messages.js';
import {Addresses} from './addresses.js';
import {DeliveryQueue} from './delivery-queue.js';
import {DeliveryWorker} from './delivery-worker.js';
import {EventReader} from './event-reader.js';
import {Heads} from './heads.js';
import {Owners} from './owners.js';
import {Poster} from './post.js';
import {probeDelayMs, retryDelayMs} from './schedule.js';
import {messageId} from './trigger.js';

const data = workerData as DeliverWorkerData;
const port = must(parentPort, 'the deliver worker runs in a thread');
const say = (message: FromWorker): void => port.postMessage(message);
const logger = createLogger(data.logLevel, 'deliver');

const leaveMsMax = 5_000;
const chanceSteps = 2 ** 32;
const chance = (): number => randomInt(chanceSteps) / chanceSteps;

let isDraining = false;

function fail(error: Error): void {
  if (!(error instanceof OperatorFault)) logger.error({err: error}, 'the deliver thread cannot go on');
  say({kind: 'fatal', message: error.message});
}

async function main(): Promise<void> {
  lowerPriority(logger); // Lower priority: deliveries can wait a little.
  const nc = await connectFirst(data.nats, 'millrace-deliver');
  const {secret} = must(await readDeployment(nc), 'the deployment record exists before deliveries start');
  const bucket = new NatsKeyBucket(nc, 'hooks');
  const store = await promised('the definitions of the bucket KV_hooks', KeptStore.open(bucket, wallMs), {logger});
  const link = new AskLink(nc, new Pulse(nc), answeringThreads());
  const owners = new Owners((subject, question, timeout) => link.request(subject, question, {timeout}));
  const poster = new Poster({addresses: new Addresses(data.addresses), wallMs});
  const deliveryWorker = new DeliveryWorker({
    store,
    bucket,
    poster,
    mailer: data.mail && (await mailerOf(data.mail)),
    owners,
    deliveryQueue: new DeliveryQueue(jetstream(nc), await jetstreamManager(nc, {checkAPI: false})),
    events: new EventReader(owners, seedsOf(secret), userRefs(secret)),
    heads: new Heads(owners),
    partitionCount: data.partitionCount,
    messageId: (...parts) => messageId(secret, ...parts),
    retryDelayMs: (attempt) => retryDelayMs(attempt, chance()),
    probeDelayMs: (failures) => probeDelayMs(failures, chance()),
    isSure: () => membership?.isSure ?? true,
    wallMs,
    logger,
  });
  deliveryWorker.start();
  const membership = joinDeliveries(nc, deliveryWorker);
  const vitals = new ThreadVitals({
    thread: 'deliver',
    connections: [new ConnectionWatch(nc, 'deliver')],
    caches: () => [],
  });
  answerMeasures(nc, () => ({kind: 'measures', thread: vitals.measure()}));
  void nc.closed().then((error) => {
    if (error) say({kind: 'fatal', message: `the connection to NATS ended: ${error.message}`});
  });
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'drain') void drain({deliveryWorker, membership, store, poster, nc, vitals}).catch(fail);
  });
  say({kind: 'ready'});
}

/** Its packages are loaded where mail is sent alone. */
async function mailerOf(server: MailServer): Promise<Mailer> {
  const {Mailer} = await import('../mail/mailer.js');
  return new Mailer({server});
}

/** Tails this process's share of the partitions, or all where no other process delivers (undefined). */
function joinDeliveries(nc: NatsConnection, deliveryWorker: DeliveryWorker): Membership | undefined {
  const {cluster, partitionCount} = data;
  if (cluster === undefined) {
    for (let partition = 0; partition < partitionCount; partition++) deliveryWorker.own(partition);
    return undefined;
  }
  // A drain closes the connection under a join that is under way.
  const onFatal = (error: Error): void => void (isDraining || fail(error));
  const membership = processMembership(nc, {...cluster, role: 'deliver', partitionCount, logger, onFatal});
  membership.serve({
    own: (partition) => deliveryWorker.own(partition),
    release: (partition) => void deliveryWorker.release(partition).then(() => membership.released(partition), fail),
    abandon: (partition) => void deliveryWorker.release(partition).catch(fail),
  });
  membership.join().catch(onFatal);
  return membership;
}

/** Folding threads of this process, by the subjects of their partitions. */
function answeringThreads(): ReadonlyMap<string, AnsweringThread> {
  const threads = new Map<string, AnsweringThread>();
  for (const {partitions, port: asked} of data.asksPorts) {
    const questions = ThreadQuestions.over(asked);
    for (const partition of partitions) threads.set(askPartitionSubject(partition), questions);
  }
  return threads;
}

function answerMeasures(nc: NatsConnection, measures: () => DeliverAnswer): void {
  nc.subscribe(askDeliverSubject, {
    queue: 'deliver',
    callback: (error, message) => {
      if (error === null) message.respond(pack(measures()));
    },
  });
}

interface Running {
  readonly deliveryWorker: DeliveryWorker;
  readonly membership: Membership | undefined;
  readonly store: KeptStore;
  readonly poster: Poster;
  readonly nc: NatsConnection;
  readonly vitals: ThreadVitals;
}

async function drain({deliveryWorker, membership, store, poster, nc, vitals}: Running): Promise<void> {
  isDraining = true;
  await deliveryWorker.stop();
  await Promise.race([membership?.leave(), pause(leaveMsMax)]); // Others notice in any case.
  store.stop();
  poster.close();
  vitals.stop();
  await nc.close();
  say({kind: 'stopped'});
  port.close();
}

main().catch(fail);
