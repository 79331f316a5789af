// Measures of the process that its threads do not have each (thread-vitals.ts): CPU time, memory, open files, and the collections
// of garbage in the thread of the edge. Their names are those of other Node programs: `process_*` and `nodejs_*` (families.ts).
import {readdir, readFile} from 'node:fs/promises';
import {constants, PerformanceObserver} from 'node:perf_hooks';
import {isSystemError} from '../../system-file.js';
import {durationBounds, FixedHistogram} from './fixed-histogram.js';

const collectionKinds = ['minor', 'major', 'incremental', 'weakcb'] as const;
type CollectionKind = (typeof collectionKinds)[number];

const kindOf: Readonly<Record<number, CollectionKind>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/** What Node notes of a collection. Duration: milliseconds. */
interface Collection {
  readonly duration: number;
  readonly detail: {readonly kind: number};
}

export interface ProcessMeasures {
  /** Unix seconds. */
  readonly startSeconds: number;
  readonly userCpuSeconds: number;
  readonly systemCpuSeconds: number;
  readonly residentBytes: number;
  /** Undefined where /proc does not say. */
  readonly openFiles: number | undefined;
  /** Infinite where there is no bound. Undefined where /proc does not say. */
  readonly openFilesMax: number | undefined;
  /** Seconds, by kind of collection. */
  readonly collections: Readonly<Record<CollectionKind, FixedHistogram>>;
}

export class ProcessVitals {
  private readonly startSeconds: number;
  private readonly observer: PerformanceObserver;
  private readonly collections = Object.fromEntries(
    collectionKinds.map((kind) => [kind, new FixedHistogram(durationBounds)]),
  ) as ProcessMeasures['collections'];

  constructor(nowMs: number) {
    this.startSeconds = Math.round(nowMs / 1_000 - process.uptime());
    this.observer = new PerformanceObserver((list) => {
      for (const {detail, duration} of list.getEntries() as unknown as Collection[]) {
        const kind = kindOf[detail.kind];
        if (kind !== undefined) this.collections[kind].observe(duration / 1_000);
      }
    });
    this.observer.observe({entryTypes: ['gc']});
  }

  async measure(): Promise<ProcessMeasures> {
    const [openFiles, openFilesMax] = await Promise.all([readOpenFiles(), readOpenFilesMax()]);
    const {user, system} = process.cpuUsage();
    return {
      startSeconds: this.startSeconds,
      userCpuSeconds: user / 1_000_000,
      systemCpuSeconds: system / 1_000_000,
      residentBytes: process.memoryUsage.rss(),
      openFiles,
      openFilesMax,
      collections: this.collections,
    };
  }

  stop(): void {
    this.observer.disconnect();
  }
}

const readOpenFiles = (): Promise<number | undefined> =>
  ifSaid(async () => (await readdir('/proc/self/fd')).length - 1); // Reading the folder opens it.

const readOpenFilesMax = (): Promise<number | undefined> =>
  ifSaid(async () => {
    const limit = /^Max open files\s+(\d+|unlimited)/m.exec(await readFile('/proc/self/limits', 'utf8'))?.[1];
    if (limit === undefined) return undefined;
    return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
  });

/** Undefined where the system has no such file. */
async function ifSaid<Read>(read: () => Promise<Read>): Promise<Read | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}
