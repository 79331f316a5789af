// Worker threads as the main thread controls them: start, readiness, drain. Their work is in partition/, report/ and webhooks/.

import {once} from 'node:events';
import {type MessagePort, Worker} from 'node:worker_threads';
import {AckedSequences} from './ingest/acked-sequences.js';
import {HandOver} from './ingest/hand-over.js';
import {ThreadQuestions} from './nats/thread-questions.js';
import type {
  AnsweringThread,
  DeliverWorkerData,
  FoldingThread,
  FromAnswering,
  FromWorker,
  PartitionWorkerData,
  ReportWorkerData,
  ToWorker,
} from './worker-messages.js';

export interface Thread {
  /** Never rejects: a thread that fails calls `onFatal`. */
  readonly ready: Promise<void>;
  /** Resolves when the thread has taken its last snapshot and ended. */
  drain(): Promise<void>;
}

/** A thread that answers questions of this process's edge. */
interface AskedThread extends Thread {
  readonly answering: AnsweringThread;
}

/** Called when a thread reports a fatal error, throws, or ends without being told to: one line, and the error if there is one. */
export type OnFatal = (line: string, cause?: Error) => void;

/** What a folding thread says of its partitions. */
export type PartitionChange = Extract<FromWorker, {kind: 'owned' | 'released' | 'lost'}>;

export interface PartitionThread extends AskedThread, FoldingThread {
  /** Those that it owns, or was told to own. */
  readonly partitions: number[];
  change(kind: 'own' | 'release' | 'abandon', partition: number): void;
  /** Resolves when the parts that live reads need are cached, or that takes too long. Never rejects. */
  readonly hasRead: Promise<void>;
}

/** Worker data of a folding thread, without the sequences that the thread counts itself. */
export type PartitionThreadPlan = Omit<PartitionWorkerData, 'appliedSequences'>;

export function startPartitionThread(
  plan: PartitionThreadPlan,
  onFatal: OnFatal,
  hear: (change: PartitionChange) => void,
): PartitionThread {
  const name = `partitions ${plan.partitions.join(',')}`;
  const appliedSequences = new Int32Array(new SharedArrayBuffer(plan.partitionCount * Int32Array.BYTES_PER_ELEMENT));
  const data: PartitionWorkerData = {...plan, appliedSequences};
  let [read, logLost] = [(): void => {}, (): void => {}];
  const hasRead = new Promise<void>((resolve) => {
    read = resolve;
  });
  const program = new URL('./partition/worker.js', import.meta.url);
  const ports = [plan.manifestsPort, plan.asksPort].filter((port) => port !== undefined);
  const acked = plan.ackedSequences && new AckedSequences(plan.ackedSequences);
  const handOver = new HandOver((parcel) =>
    worker.postMessage(
      parcel,
      parcel.messages.map(({bytes}) => bytes.buffer),
    ),
  );
  const questions = new ThreadQuestions((message) => {
    if (message.kind === 'left') return worker.postMessage(message);
    handOver.now(); // The messages that a live read waits for come before it.
    worker.postMessage({...message, acked: acked?.copy()});
  });
  const {worker, ...thread} = startThread(program, name, data, ports, onFatal, (message) => {
    if (message.kind === 'read') read();
    else if (message.kind === 'log lost') logLost();
    else if (isOfAnswering(message)) questions.hear(message);
    else if (message.kind === 'owned' || message.kind === 'released' || message.kind === 'lost') hear(message);
  });
  return {
    ...thread,
    hasRead,
    answering: questions,
    partitions: [...plan.partitions],
    appliedSequences,
    handOver,
    onLogLost(lost) {
      logLost = lost;
    },
    change: (kind, partition) => worker.postMessage({kind, partition} satisfies ToWorker),
  };
}

export interface ReportThread extends AskedThread {
  /** Tells the report thread to read ahead for the first reports, once it is ready. */
  readAhead(): void;
}

export function startReportThread(data: ReportWorkerData, onFatal: OnFatal): ReportThread {
  const questions = new ThreadQuestions((message) => worker.postMessage(message));
  const program = new URL('./report/worker.js', import.meta.url);
  const ports = [...data.manifestsPorts];
  const {worker, ...thread} = startThread(program, 'report', data, ports, onFatal, (message) => {
    if (isOfAnswering(message)) questions.hear(message);
  });
  const readAhead = (): void => worker.postMessage({kind: 'read ahead'} satisfies ToWorker);
  return {...thread, answering: questions, readAhead};
}

/** The thread that delivers webhooks. */
export function startDeliverThread(data: DeliverWorkerData, onFatal: OnFatal): Thread {
  const program = new URL('./webhooks/worker.js', import.meta.url);
  const ports = data.asksPorts.map(({port}) => port);
  const {ready, drain} = startThread(program, 'deliver', data, ports, onFatal, () => undefined);
  return {ready, drain};
}

const isOfAnswering = (message: FromWorker): message is FromAnswering =>
  message.kind === 'listening' || message.kind === 'answer';

function startThread(
  program: URL,
  name: string,
  workerData: object,
  transferList: readonly MessagePort[],
  onFatal: OnFatal,
  hear: (message: FromWorker) => void,
): Thread & {readonly worker: Worker} {
  const worker = new Worker(program, {workerData, name, transferList: [...transferList]});
  const ended = once(worker, 'exit');
  let hasStopped = false;
  const ready = new Promise<void>((resolve) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') resolve();
      else if (message.kind === 'fatal') onFatal(`${name}: ${message.message}`);
      else if (message.kind === 'stopped') {
        hasStopped = true;
        void worker.terminate(); // Anything that it still holds open is no longer needed.
      } else hear(message);
    });
  });
  worker.on('error', (error) => onFatal(`${name}: ${error.message.split('\n', 1)[0]}`, error));
  worker.on('exit', (code) => {
    if (!hasStopped) onFatal(`${name}: the thread ended by itself (code ${code})`);
  });
  return {
    worker,
    ready,
    async drain() {
      worker.postMessage({kind: 'drain'} satisfies ToWorker);
      await ended;
    },
  };
}
