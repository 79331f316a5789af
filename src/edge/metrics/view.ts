// Everything that one scrape shows, gathered within a second: a role that does not answer by then is shown as down.
//   W1. Without an answer of a thread, or of NATS, only its own numbers are missing; a scrape never fails and never hangs.
import {readFile} from 'node:fs/promises';
import {setTimeout as pause} from 'node:timers/promises';
import {type AlertStates, readAlertStates} from '../../alerts/alert-states.js';
import type {DeliverAnswer} from '../../asks/deliver.js';
import type {PartitionAnswer} from '../../asks/partition.js';
import type {ReportAnswer} from '../../asks/report.js';
import {BucketFault} from '../../keys/key-bucket.js';
import type {ThreadMeasures} from '../../measures.js';
import {isSystemError} from '../../system-file.js';
import type {ThreadVitals} from '../../thread-vitals.js';
import {type EndpointHealths, readHealths} from '../../webhooks/stored-health.js';
import type {Front} from '../front.js';
import {orSilence, readinessOf} from '../readiness.js';
import type {ProcessMeasures, ProcessVitals} from './process-vitals.js';

// A partition answers within 600 ms, and Prometheus waits for 10 s by default.
const answerMsMax = 1_000;

/** The service's own nats-server. */
export interface NatsServerView {
  readonly pid: () => number | undefined;
  /** Restarts after it died, or was stopped because it could not write. */
  readonly restarts: () => number;
}

type Measured<Answer> = Extract<Answer, {kind: 'measures'}>;

/** Measures of the roles and of the service's own nats-server. */
export interface Measures {
  /** Measures by partition; undefined for one that did not answer. */
  readonly partitions: readonly (Measured<PartitionAnswer> | undefined)[];
  readonly report: Measured<ReportAnswer> | undefined;
  /** Answer of one delivering process; undefined when none answered. */
  readonly deliver: DeliverAnswer | undefined;
  /** Every thread that answered, each once. */
  readonly threads: readonly ThreadMeasures[];
  /** Undefined for an external NATS. `residentBytes` is undefined where /proc does not say. */
  readonly natsServer:
    | {
        readonly isRunning: boolean;
        readonly restarts: number;
        readonly residentBytes: number | undefined;
        /** CPU time of the server since its start. */
        readonly cpuSeconds: number | undefined;
      }
    | undefined;
}

export interface View extends Measures {
  readonly process: ProcessMeasures;
  readonly front: Front;
  /** States of alerts; undefined while their bucket does not answer. */
  readonly alerts: AlertStates | undefined;
  /** Health of webhooks, of all processes that deliver; undefined while their bucket does not answer. */
  readonly webhooks: EndpointHealths | undefined;
  readonly isReady: boolean;
}

export interface ViewSources {
  readonly front: Front;
  readonly vitals: ThreadVitals;
  readonly natsServer: NatsServerView | undefined;
}

/** W1 */
export async function gatherView(sources: ViewSources, processVitals: ProcessVitals): Promise<View> {
  const {front} = sources;
  const [measures, process, {reasons}, alerts, webhooks] = await Promise.all([
    gatherMeasures(sources),
    processVitals.measure(),
    readinessOf(front), // Uncached: the readiness must agree with the alarms of this view.
    inTime(readAlertStates(front.kept.store)),
    inTime(readHealths(front.kept.store)),
  ]);
  return {...measures, process, front, alerts, webhooks, isReady: reasons.length === 0};
}

/** W1 */
export async function gatherMeasures({front, vitals, natsServer}: ViewSources): Promise<Measures> {
  const numbers = Array.from({length: front.partitionCount}, (_, number) => number);
  const [partitions, report, deliver, server] = await Promise.all([
    Promise.all(numbers.map((number) => orSilence(askPartition(front, number)))),
    orSilence(askReport(front)),
    orSilence(front.reads.asks.deliver(answerMsMax)),
    natsServer === undefined ? undefined : viewServer(natsServer),
  ]);
  const threads = new Map<string, ThreadMeasures>();
  for (const measured of [{thread: vitals.measure()}, ...partitions, report, deliver]) {
    if (measured !== undefined) threads.set(measured.thread.thread, measured.thread);
  }
  return {partitions, report, deliver, threads: [...threads.values()], natsServer: server};
}

/** What the bucket of definitions answers; undefined when it does not. W1 */
function inTime<Read>(reading: Promise<Read>): Promise<Read | undefined> {
  const read = reading.catch((error: Error) => {
    if (error instanceof BucketFault) return undefined;
    throw error;
  });
  return Promise.race([read, pause(answerMsMax, undefined, {ref: false})]);
}

const askPartition = ({reads: {asks}}: Front, number: number): Promise<Measured<PartitionAnswer>> =>
  asks.partition(number, {ask: 'measures'}, ['measures'], answerMsMax);

async function askReport({reads: {asks}}: Front): Promise<Measured<ReportAnswer> | undefined> {
  const answer = await asks.reportState({ask: 'measures'}, answerMsMax);
  return answer.kind === 'measures' ? answer : undefined;
}

async function viewServer({pid, restarts}: NatsServerView): Promise<NonNullable<View['natsServer']>> {
  const number = pid();
  const [residentBytes, cpuSeconds] =
    number === undefined ? [] : await Promise.all([residentBytesOf(number), cpuSecondsOf(number)]);
  return {isRunning: number !== undefined, restarts: restarts(), residentBytes, cpuSeconds};
}

async function residentBytesOf(pid: number): Promise<number | undefined> {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : Number(kib) * 1_024;
  } catch (error) {
    if (isSystemError(error)) return undefined; // The process just ended, or this is no Linux.
    throw error;
  }
}

/** USER_HZ of /proc, a constant for user space. */
const ticksPerSecond = 100;

async function cpuSecondsOf(pid: number): Promise<number | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may contain anything; user and system time are the 12th and 13th field after it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch (error) {
    if (isSystemError(error)) return undefined; // The process just ended, or this is no Linux.
    throw error;
  }
}
