// Worker threads as the main thread sees them: started, ready, drained. What they do is in partition/ and report/.

import {once} from 'node:events';
import {type MessagePort, Worker} from 'node:worker_threads';
import type {
  AckedParcel,
  AnsweringThread,
  FoldingThread,
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

/** Called when the thread says so, throws, or ends without having been asked to: one line, and the error if there is one. */
export type OnFatal = (line: string, cause?: Error) => void;

export function startPartitionThread(
  plan: Omit<PartitionWorkerData, 'releasedBytes' | 'appliedSequences'>,
  onFatal: OnFatal,
): Thread & FoldingThread {
  const name = `partitions ${plan.partitions.join(',')}`;
  const sharedNumbers = (): Int32Array =>
    new Int32Array(new SharedArrayBuffer(plan.partitionCount * Int32Array.BYTES_PER_ELEMENT));
  const [releasedBytes, appliedSequences] = [sharedNumbers(), sharedNumbers()];
  const data: PartitionWorkerData = {...plan, releasedBytes, appliedSequences};
  let [ask, hurry] = [(): void => {}, (): void => {}];
  const program = new URL('./partition/worker.js', import.meta.url);
  const ports = plan.manifestsPort === undefined ? [] : [plan.manifestsPort];
  const {worker, ...thread} = startThread(program, name, data, ports, onFatal, ({kind}) => {
    if (kind === 'ask anew') ask();
    else if (kind === 'hurry') hurry();
  });
  return {
    ...thread,
    partitions: plan.partitions,
    releasedBytes,
    appliedSequences,
    take(parcel: AckedParcel) {
      worker.postMessage(
        parcel,
        parcel.messages.map(({bytes}) => bytes.buffer),
      );
    },
    onAsk(asked) {
      ask = asked;
    },
    onHurry(hurried) {
      hurry = hurried;
    },
  };
}

export function startReportThread(data: ReportWorkerData, onFatal: OnFatal): Thread & AnsweringThread {
  const asked = new Map<number, (answer: string) => void>();
  let [number, isListening] = [0, false];
  const program = new URL('./report/worker.js', import.meta.url);
  const {worker, ...thread} = startThread(program, 'report', data, data.manifestsPorts, onFatal, (message) => {
    if (message.kind === 'listening') isListening = true;
    if (message.kind !== 'answer') return;
    asked.get(message.number)?.(message.text);
    asked.delete(message.number);
  });
  return {
    ...thread,
    get isListening() {
      return isListening;
    },
    ask(text, answered) {
      number += 1;
      asked.set(number, answered);
      worker.postMessage({kind: 'question', number, text} satisfies ToWorker);
    },
  };
}

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
        void worker.terminate(); // Whatever it still holds open is no longer needed.
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

/** Partitions dealt out like cards, so that a hot neighbour pair lands on two threads. */
export function dealPartitions(partitionCount: number, threadCount: number): number[][] {
  const hands: number[][] = Array.from({length: threadCount}, () => []);
  for (let p = 0; p < partitionCount; p++) hands[p % threadCount]!.push(p);
  return hands;
}
