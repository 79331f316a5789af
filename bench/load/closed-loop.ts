// Loads a server over some connections, each in a closed loop, for some seconds or until all requests are sent.
//   L1. The next request is sent after the last answer. Such a loop finds the rate that saturates a server. Its latencies are
//       those of a server that is never offered more than it takes, and flatter (load/open-loop.ts).
//   L2. Answers of the first `uncountedSeconds` are not counted: a server may take on more than it can keep up with until it
//       reaches its own bounds.

import {monotonicMs, wallMs} from '../../src/clock.js';
import {Connection, type ConnectionListener} from './connection.js';
import {answerMsMax, Latencies, type LatencyMs} from './latency.js';
import {copyOf, type PreparedRequests} from './requests.js';

export interface LoadPlan {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  /** Null: every prepared request once; otherwise the prepared ones repeatedly for this time. */
  readonly seconds: number | null;
  /** Seconds at the beginning that do not count; absent: all count. L2 */
  readonly uncountedSeconds?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly events: number;
  readonly elapsedMs: number;
  /** Answers other than 200, at any time. */
  readonly refusals: number;
  readonly firstRefusal: string;
  readonly latencyMs: LatencyMs;
}

/** Enough of a refusal to recognise the fault. */
const refusalCharsMax = 500;

export class ClosedLoop implements ConnectionListener {
  requests = 0;
  events = 0;
  #refusals = 0;
  #firstRefusal = '';
  #next = 0;
  #countedFromMs = 0;
  #endMs = Number.POSITIVE_INFINITY;
  #lastAnswerMs = 0;
  #open = 0;
  #settle: (error?: Error) => void = () => {};
  readonly #sentMs = new Map<Connection, number>();
  readonly #latencies = new Latencies();

  constructor(
    private readonly prepared: PreparedRequests,
    private readonly plan: LoadPlan,
  ) {}

  async run(): Promise<LoadResult> {
    const {host, port, connections, seconds, uncountedSeconds = 0} = this.plan;
    const opened = await Promise.all(Array.from({length: connections}, () => Connection.open(host, port)));
    const startMs = monotonicMs();
    if (seconds !== null) this.#endMs = startMs + seconds * 1_000;
    this.#countedFromMs = startMs + uncountedSeconds * 1_000;
    this.#lastAnswerMs = startMs;
    this.#open = connections;
    try {
      await this.#unlessStalled(opened);
    } finally {
      for (const connection of opened) connection.close();
    }
    return this.#result(Math.max(0, this.#lastAnswerMs - this.#countedFromMs));
  }

  answered(connection: Connection): void {
    const nowMs = monotonicMs();
    this.#lastAnswerMs = nowMs;
    if (connection.status !== 200) this.#countRefusal(connection.lastRefusal);
    if (nowMs >= this.#countedFromMs) this.#count(connection, nowMs); // L2
    if (nowMs < this.#endMs) this.#sendNext(connection, nowMs);
    else this.#close();
  }

  #count(connection: Connection, nowMs: number): void {
    this.#latencies.record(nowMs - this.#sentMs.get(connection)!);
    this.requests += 1;
    if (connection.status === 200) this.events += this.prepared.eventCounts[connection.request]!;
  }

  failed(_connection: Connection, error: Error): void {
    this.#settle(error);
  }

  #unlessStalled(opened: readonly Connection[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const watch = setInterval(() => {
        if (monotonicMs() - this.#lastAnswerMs > answerMsMax)
          this.#settle(new Error(`no answer for ${answerMsMax} ms`));
      }, 1_000);
      this.#settle = (error) => {
        clearInterval(watch);
        if (error === undefined) resolve();
        else reject(error);
      };
      for (const connection of opened) {
        connection.listen(this);
        this.#sendNext(connection, monotonicMs());
      }
    });
  }

  #sendNext(connection: Connection, nowMs: number): void {
    const next = this.#takeNext();
    if (next === -1) {
      this.#close();
      return;
    }
    connection.request = next;
    this.#sentMs.set(connection, nowMs);
    connection.send(copyOf(this.prepared, next, wallMs()));
  }

  #close(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#settle();
  }

  #countRefusal(answer: string): void {
    this.#refusals += 1;
    if (this.#firstRefusal === '') this.#firstRefusal = answer.slice(0, refusalCharsMax);
  }

  /** The next request; -1 when each was to be sent once and has been. */
  #takeNext(): number {
    const index = this.#next++;
    if (index < this.prepared.buffers.length) return index;
    return this.plan.seconds === null ? -1 : index % this.prepared.buffers.length;
  }

  #result(elapsedMs: number): LoadResult {
    return {
      requests: this.requests,
      events: this.events,
      elapsedMs,
      refusals: this.#refusals,
      firstRefusal: this.#firstRefusal,
      latencyMs: this.#latencies.summary(),
    };
  }
}
