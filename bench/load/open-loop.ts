// Offers a fixed rate: the time of each request is fixed before the run, and no answer, however late, changes it.
//   O1. A latency counts from the request's planned time. If every connection is busy, the request waits here, in order, and
//       that wait counts; an unsent request counts with its wait at the end. (A loop that sends after the last answer would
//       leave out the requests that a stall prevented.)
//   O2. The generator reports its own delay: from the planned time to the write, if a connection was free. A generator that
//       cannot keep its schedule measures itself.
//   O3. A request allocates no object: it is a number, from which everything else follows.

import {monotonicMs, wallMs} from '../../src/clock.js';
import {Connection, type ConnectionListener} from './connection.js';
import {answerMsMax, Latencies, type LatencyMs} from './latency.js';
import {Metronome} from './metronome.js';
import {copyOf, type PreparedRequests} from './requests.js';

export interface OpenPlan {
  readonly host: string;
  readonly port: number;
  /** Bound of requests in flight. */
  readonly connections: number;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  /** Keep every latency with its moment. */
  readonly keepsSamples: boolean;
}

export interface OpenResult {
  readonly requestsPerSecond: number;
  readonly elapsedMs: number;
  /** Planned requests: answered, failed or unsent. */
  readonly requests: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Events of requests answered 200 while the load was on. */
  readonly eventsInTime: number;
  /** All events of requests that were answered 200. */
  readonly events: number;
  readonly refusalsWithoutRetryAfter: number;
  readonly firstRefusal: string;
  /** Connections that broke with a request on its way; each is opened again. */
  readonly failures: number;
  /** Requests that still waited for a connection at the end. */
  readonly unsent: number;
  /** Latencies of answers 200 and of unsent requests. Refusals are counted without their latency. O1 */
  readonly latencyMs: LatencyMs;
  readonly generator: {
    /** Delays of the generator. O2 */
    readonly lateMs: LatencyMs;
    /** Share of one core. */
    readonly cpuShare: number;
  };
  /** Samples in the order of the answers; empty unless they are kept. */
  readonly samples: {
    /** Planned times, epoch ms. */
    readonly plannedMs: Float64Array;
    readonly latencyMs: Float32Array;
  };
}

/** Requests are sent in slots: a beat for each request would cost more than the requests. */
const slotMsMin = 1;
/** Time for the metronome to start before the first slot. */
const headStartMs = 50;
/** Tolerance: one request a slot must not become none because 1,000 / 3 * 3 is not 1,000. */
const rounding = 1e-6;
const failuresMax = 1_000;
const reopenTriesMax = 3;

/** Enough of a refusal to recognise the fault. */
const refusalCharsMax = 500;

export class OpenLoop implements ConnectionListener {
  requests = 0;
  events = 0;
  #startMs = 0;
  #endMs = 0;
  readonly #slotMs: number;
  readonly #perSlot: number;
  readonly #total: number;
  /** Requests below this number are due. */
  #due = 0;
  #sent = 0;
  #onTheirWay = 0;
  #isOver = false;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  readonly #latencies = new Latencies();
  readonly #lateness = new Latencies();
  readonly #statuses = new Map<number, number>();
  #eventsInTime = 0;
  #refusalsWithoutRetryAfter = 0;
  #firstRefusal = '';
  #failures = 0;
  #kept = 0;
  readonly #plannedMs: Float64Array;
  readonly #latencyMs: Float32Array;
  #settle: (error?: Error) => void = () => {};

  constructor(
    private readonly prepared: PreparedRequests,
    private readonly plan: OpenPlan,
  ) {
    this.#slotMs = Math.max(slotMsMin, 1_000 / plan.requestsPerSecond);
    this.#perSlot = (plan.requestsPerSecond * this.#slotMs) / 1_000;
    this.#total = Math.max(1, Math.floor(plan.requestsPerSecond * plan.seconds));
    const keptMax = plan.keepsSamples ? this.#total : 0;
    this.#plannedMs = new Float64Array(keptMax);
    this.#latencyMs = new Float32Array(keptMax);
  }

  async run(): Promise<OpenResult> {
    const {host, port, connections, seconds} = this.plan;
    await Promise.all(Array.from({length: connections}, () => this.#open(host, port)));
    const metronome = await Metronome.create();
    this.#startMs = monotonicMs() + headStartMs;
    this.#endMs = this.#startMs + seconds * 1_000;
    const cpuBefore = process.cpuUsage();
    try {
      await this.#drive(metronome);
    } finally {
      this.#isOver = true;
      for (const connection of this.#all) connection.close();
    }
    const elapsedMs = monotonicMs() - this.#startMs;
    const {user, system} = process.cpuUsage(cpuBefore);
    return this.#result(elapsedMs, (user + system) / 1_000 / elapsedMs);
  }

  /** Resolves when the time is over and every sent request is answered. */
  #drive(metronome: Metronome): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const watch = setInterval(() => {
        if (monotonicMs() > this.#endMs + answerMsMax) this.#settle(new Error(`no answer for ${answerMsMax} ms`));
      }, 1_000);
      this.#settle = (error) => {
        this.#settle = () => {};
        clearInterval(watch);
        metronome.stop().then(() => (error === undefined ? resolve() : reject(error)), reject);
      };
      metronome.start(this.#startMs, this.#slotMs, () => this.#beat());
    });
  }

  async #open(host: string, port: number): Promise<void> {
    const connection = await Connection.open(host, port);
    if (this.#isOver) {
      connection.close();
      return;
    }
    connection.listen(this);
    this.#all.add(connection);
    this.#idle.push(connection);
  }

  #beat(): void {
    const nowMs = monotonicMs();
    const slots = Math.floor((nowMs - this.#startMs) / this.#slotMs) + 1;
    this.#due = Math.min(this.#total, Math.max(0, Math.floor(slots * this.#perSlot + rounding)));
    while (this.#sent < this.#due && nowMs < this.#endMs && this.#idle.length > 0) {
      const planned = this.#plannedOf(this.#sent);
      const sendMs = monotonicMs();
      this.#lateness.record(sendMs - planned); // O2: a connection was free.
      this.#sendNext(this.#idle.shift()!);
    }
    if (nowMs >= this.#endMs && this.#onTheirWay === 0) this.#settle();
  }

  /** Planned time, on the clock of `monotonicMs`: the start of the first slot with this many requests. */
  #plannedOf(request: number): number {
    return this.#startMs + (Math.ceil((request + 1) / this.#perSlot - rounding) - 1) * this.#slotMs;
  }

  #sendNext(connection: Connection): void {
    const request = this.#sent++;
    connection.request = request;
    this.#onTheirWay += 1;
    connection.send(copyOf(this.prepared, request % this.prepared.buffers.length, wallMs()));
  }

  answered(connection: Connection): void {
    const nowMs = monotonicMs();
    this.#onTheirWay -= 1;
    this.requests += 1;
    const {status} = connection;
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (status === 200) this.#countStored(connection.request, nowMs);
    else this.#countRefusal(connection);
    this.#goOn(connection, nowMs);
  }

  /** Waiting requests are sent first: they waited for a connection, not for the generator. */
  #goOn(connection: Connection, nowMs: number): void {
    if (nowMs >= this.#endMs) {
      if (this.#onTheirWay === 0) this.#settle();
      return;
    }
    if (this.#sent < this.#due) this.#sendNext(connection);
    else this.#idle.push(connection);
  }

  #countStored(request: number, nowMs: number): void {
    const planned = this.#plannedOf(request);
    const events = this.prepared.eventCounts[request % this.prepared.eventCounts.length]!;
    this.events += events;
    if (nowMs <= this.#endMs) this.#eventsInTime += events;
    this.#latencies.record(nowMs - planned);
    if (!this.plan.keepsSamples) return;
    this.#plannedMs[this.#kept] = performance.timeOrigin + planned;
    this.#latencyMs[this.#kept++] = nowMs - planned;
  }

  #countRefusal({hasRetryAfter, lastRefusal}: Connection): void {
    if (!hasRetryAfter) this.#refusalsWithoutRetryAfter += 1;
    if (this.#firstRefusal === '') this.#firstRefusal = lastRefusal.slice(0, refusalCharsMax);
  }

  failed(connection: Connection, error: Error): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at === -1) this.#onTheirWay -= 1;
    else this.#idle.splice(at, 1);
    this.#failures += 1;
    if (this.#failures > failuresMax) this.#settle(error);
    else if (monotonicMs() < this.#endMs) void this.#openAgain(reopenTriesMax);
    else if (this.#onTheirWay === 0) this.#settle();
  }

  async #openAgain(tries: number): Promise<void> {
    try {
      await this.#open(this.plan.host, this.plan.port);
    } catch (error) {
      if (tries > 1) await this.#openAgain(tries - 1);
      else this.#settle(error as Error);
    }
  }

  #result(elapsedMs: number, cpuShare: number): OpenResult {
    const unsent = this.#total - this.#sent;
    // O1.
    for (let request = this.#sent; request < this.#total; request++) {
      this.#latencies.record(this.#endMs - this.#plannedOf(request));
    }
    return {
      requestsPerSecond: this.plan.requestsPerSecond,
      elapsedMs,
      requests: this.#total,
      statuses: Object.fromEntries(this.#statuses),
      eventsInTime: this.#eventsInTime,
      events: this.events,
      refusalsWithoutRetryAfter: this.#refusalsWithoutRetryAfter,
      firstRefusal: this.#firstRefusal,
      failures: this.#failures,
      unsent,
      latencyMs: this.#latencies.summary(),
      generator: {lateMs: this.#lateness.summary(), cpuShare},
      samples: {
        plannedMs: this.#plannedMs.slice(0, this.#kept),
        latencyMs: this.#latencyMs.slice(0, this.#kept),
      },
    };
  }
}
