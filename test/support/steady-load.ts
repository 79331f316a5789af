// Requests at a steady rate, whatever becomes of the ones before: what an ordinary client sees.
import {HttpClient} from '../../tools/http-client.js';

export interface LoadReport {
  readonly answered: number;
  /** Answers other than 200, and requests without one. */
  readonly failures: readonly string[];
  /** Ms from the moment at which a request was due until its answer. */
  readonly p50: number;
  readonly p99: number;
}

export interface LoadOptions {
  readonly baseUrl: string;
  readonly writeKey: string;
  readonly perSecond: number;
}

const turnMs = 5;
const connectionsMax = 32;
const failuresKept = 5;

export class SteadyLoad {
  private readonly options: LoadOptions;
  private readonly client: HttpClient;
  private readonly latencies: number[] = [];
  private readonly failures: string[] = [];
  private waiting = 0;

  constructor(options: LoadOptions) {
    this.options = options;
    this.client = new HttpClient(options.baseUrl, {key: options.writeKey, connectionsMax});
  }

  /** Sends for `ms` or until `end` resolves, and waits for the answers. */
  async run(ms: number, end?: Promise<unknown>): Promise<LoadReport> {
    let isOver = false;
    void end?.then(() => {
      isOver = true;
    });
    const startMs = performance.now();
    let sent = 0;
    while (!isOver && performance.now() - startMs < ms) {
      const due = Math.floor(((performance.now() - startMs) * this.options.perSecond) / 1_000);
      for (; sent < due; sent++) this.send(startMs + (sent * 1_000) / this.options.perSecond);
      await new Promise((resolve) => setTimeout(resolve, turnMs));
    }
    while (this.waiting > 0) await new Promise((resolve) => setTimeout(resolve, turnMs));
    this.client.close();
    return this.report();
  }

  private send(dueMs: number): void {
    this.waiting += 1;
    const over = (failure?: string): void => {
      this.waiting -= 1;
      this.latencies.push(performance.now() - dueMs);
      if (failure !== undefined && this.failures.length < failuresKept) this.failures.push(failure);
    };
    this.client.send('POST', '/v1/events', {json: {event: 'steady', userId: 'steady'}}).then(
      ({status}) => over(status === 200 ? undefined : `status ${status}`),
      (error: Error) => over(error.message),
    );
  }

  private report(): LoadReport {
    const sorted = this.latencies.sort((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return {answered: sorted.length, failures: this.failures, p50: at(0.5), p99: at(0.99)};
  }
}
