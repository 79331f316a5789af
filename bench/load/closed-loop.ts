// Drives a server with a number of connections, each in a closed loop, for some seconds or until all requests are sent.

import {build, type Histogram} from 'hdr-histogram-js';
import {monotonicMs} from '../../src/clock.js';
import {Connection, type Exchange} from './connection.js';
import type {PreparedRequests} from './requests.js';

export interface LoadPlan {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  /** Null: every prepared request once; else the prepared ones over and over for so long. */
  readonly seconds: number | null;
}

export interface LoadResult {
  readonly requests: number;
  readonly events: number;
  readonly elapsedMs: number;
  /** Answers other than 200. */
  readonly refusals: number;
  readonly firstRefusal: string;
  readonly latencyMs: {readonly p50: number; readonly p99: number; readonly max: number};
}

/** A request may take so long before a run is given up: nothing measured here is slower. */
const answerMsMax = 60_000;

export class ClosedLoop {
  requests = 0;
  events = 0;
  #refusals = 0;
  #firstRefusal = '';
  #next = 0;
  #lastAnswerMs = 0;
  readonly #histogram: Histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: answerMsMax * 1_000,
    numberOfSignificantValueDigits: 3,
  });

  constructor(
    private readonly prepared: PreparedRequests,
    private readonly plan: LoadPlan,
  ) {}

  async run(): Promise<LoadResult> {
    const {host, port, connections, seconds} = this.plan;
    const opened = await Promise.all(Array.from({length: connections}, () => Connection.open(host, port)));
    const startMs = monotonicMs();
    const endMs = seconds === null ? Number.POSITIVE_INFINITY : startMs + seconds * 1_000;
    this.#lastAnswerMs = startMs;
    try {
      await this.#unlessStalled(Promise.all(opened.map((connection) => this.#drive(connection, endMs))));
    } finally {
      for (const connection of opened) connection.close();
    }
    return this.#result(this.#lastAnswerMs - startMs);
  }

  #drive(connection: Connection, endMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let sent = this.#takeNext();
      connection.listen((exchange) => {
        this.#count(exchange, connection, this.prepared.eventCounts[sent!]!);
        sent = this.#lastAnswerMs < endMs ? this.#takeNext() : null;
        if (sent === null) resolve();
        else connection.send(this.prepared.buffers[sent]!);
      }, reject);
      if (sent === null) resolve();
      else connection.send(this.prepared.buffers[sent]!);
    });
  }

  #unlessStalled(driven: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const watch = setInterval(() => {
        if (monotonicMs() - this.#lastAnswerMs > answerMsMax) reject(new Error(`no answer for ${answerMsMax} ms`));
      }, 1_000);
      driven.then(resolve, reject).finally(() => clearInterval(watch));
    });
  }

  #count({status, elapsedMs}: Exchange, connection: Connection, events: number): void {
    this.#lastAnswerMs = monotonicMs();
    this.#histogram.recordValue(Math.max(1, Math.round(elapsedMs * 1_000)));
    this.requests += 1;
    if (status === 200) this.events += events;
    else this.#countRefusal(connection.lastRefusal);
  }

  #countRefusal(answer: string): void {
    this.#refusals += 1;
    if (this.#firstRefusal === '') this.#firstRefusal = answer;
  }

  /** Null when each was to be sent once and has been. */
  #takeNext(): number | null {
    const index = this.#next++;
    if (index < this.prepared.buffers.length) return index;
    return this.plan.seconds === null ? null : index % this.prepared.buffers.length;
  }

  #result(elapsedMs: number): LoadResult {
    const percentileMs = (percentile: number): number => this.#histogram.getValueAtPercentile(percentile) / 1_000;
    return {
      requests: this.requests,
      events: this.events,
      elapsedMs,
      refusals: this.#refusals,
      firstRefusal: this.#firstRefusal,
      latencyMs: {p50: percentileMs(50), p99: percentileMs(99), max: this.#histogram.maxValue / 1_000},
    };
  }
}
