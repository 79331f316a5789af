// Messages between the benchmark and its load process.

import type {WorkloadOptions} from '../workload/events.js';
import type {Expected} from '../workload/expected.js';
import type {LoadPlan, LoadResult} from './closed-loop.js';
import type {OpenPlan, OpenResult} from './open-loop.js';
import type {Copies} from './requests.js';

export type ToLoad =
  /** Prepares requests under this name, and computes the answers of reports once all are stored. */
  | {
      readonly kind: 'prepare';
      readonly name: string;
      readonly workload: WorkloadOptions;
      readonly batchEvents: number;
      readonly key: string;
      readonly copies: Copies;
    }
  | {readonly kind: 'run'; readonly name: string; readonly plan: LoadPlan}
  | {readonly kind: 'offer'; readonly name: string; readonly plan: OpenPlan};

export type FromLoad =
  | {readonly kind: 'prepared'; readonly requests: number; readonly bytesPerEvent: number; readonly expected: Expected}
  | {readonly kind: 'progress'; readonly requests: number; readonly events: number}
  | {readonly kind: 'done'; readonly result: LoadResult}
  | {readonly kind: 'offered'; readonly result: OpenResult}
  | {readonly kind: 'failed'; readonly message: string};
