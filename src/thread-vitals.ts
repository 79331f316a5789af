// Vital signs of the calling thread: memory, and the delay of its event loop. Delays are measured in windows of fixed length,
//   not since the last scrape: two scrapers do not take each other's maxima, and every scrape of the next 30 s sees a stall.
import {type IntervalHistogram, monitorEventLoopDelay} from 'node:perf_hooks';
import {type CacheMeasures, loopWindowMs, type ThreadMeasures} from './measures.js';
import type {ConnectionWatch} from './nats/client/connection-watch.js';

/** Period of the watched timer: 50 wake-ups a second cost 0.1 % of a core. */
const resolutionMs = 20;
const nsPerMs = 1_000_000;

type LoopDelay = ThreadMeasures['loopDelayMs'];

interface VitalSources {
  readonly thread: string;
  readonly connections: readonly ConnectionWatch[];
  readonly caches: () => readonly CacheMeasures[];
  readonly builds?: () => number;
}

export class ThreadVitals {
  private readonly sources: VitalSources;
  private readonly delays: IntervalHistogram;
  private lastWindow: LoopDelay = {p50: 0, p99: 0, max: 0};
  private readonly timer: NodeJS.Timeout;

  constructor(sources: VitalSources) {
    this.sources = sources;
    this.delays = monitorEventLoopDelay({resolution: resolutionMs});
    this.delays.enable();
    this.timer = setInterval(() => this.turnWindow(), loopWindowMs);
    this.timer.unref();
  }

  private turnWindow(): void {
    this.lastWindow = this.window();
    this.delays.reset();
  }

  /** Delays of one window: the histogram has the time between two runs of the timer, so the excess over its period is delay. */
  private window(): LoopDelay {
    if (this.delays.count === 0) return {p50: 0, p99: 0, max: 0};
    const late = (ns: number): number => Math.max(0, ns / nsPerMs - resolutionMs);
    return {
      p50: late(this.delays.percentile(50)),
      p99: late(this.delays.percentile(99)),
      max: late(this.delays.max),
    };
  }

  measure(): ThreadMeasures {
    const {thread, connections, caches, builds} = this.sources;
    const {rss, heapTotal, heapUsed, external, arrayBuffers} = process.memoryUsage();
    const now = this.window();
    const worst = (of: keyof LoopDelay): number => Math.max(now[of], this.lastWindow[of]);
    return {
      thread,
      memory: {process_rss: rss, heap_total: heapTotal, heap_used: heapUsed, external, array_buffers: arrayBuffers},
      loopDelayMs: {p50: worst('p50'), p99: worst('p99'), max: worst('max')},
      connections: connections.map((watch) => watch.measure()),
      caches: caches(),
      ...(builds === undefined ? {} : {builds: builds()}),
    };
  }

  stop(): void {
    clearInterval(this.timer);
    this.delays.disable();
  }
}
