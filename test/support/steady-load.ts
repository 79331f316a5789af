// Requests at a steady rate, whatever becomes of the ones before: what an ordinary client sees.
import {Agent, request} from 'node:http';
import type {Socket} from 'node:net';

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
// The service closes a connection that is idle for 8 s: after a stall of ours a request could meet the close on its way.
const idleMsMax = 4_000;
const failuresKept = 5;

export class SteadyLoad {
  private readonly options: LoadOptions;
  private readonly agent = new Agent({keepAlive: true, maxSockets: 32});
  private readonly idleSinceMs = new WeakMap<Socket, number>();
  private readonly latencies: number[] = [];
  private readonly failures: string[] = [];
  private waiting = 0;

  constructor(options: LoadOptions) {
    this.options = options;
    this.agent.on('free', (socket: Socket) => this.idleSinceMs.set(socket, performance.now()));
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
    this.agent.destroy();
    return this.report();
  }

  private dropIdleConnections(): void {
    const staleMs = performance.now() - idleMsMax;
    for (const socket of Object.values(this.agent.freeSockets).flatMap((sockets) => sockets ?? [])) {
      if ((this.idleSinceMs.get(socket) ?? staleMs) <= staleMs) socket.destroy();
    }
  }

  private send(dueMs: number): void {
    this.dropIdleConnections();
    const {baseUrl, writeKey} = this.options;
    const body = '{"event":"steady","userId":"steady"}';
    const headers = {authorization: `Bearer ${writeKey}`, 'content-type': 'application/json'};
    this.waiting += 1;
    const over = (failure?: string): void => {
      this.waiting -= 1;
      this.latencies.push(performance.now() - dueMs);
      if (failure !== undefined && this.failures.length < failuresKept) this.failures.push(failure);
    };
    const call = request(`${baseUrl}/v1/events`, {method: 'POST', headers, agent: this.agent}, (answer) => {
      answer.resume();
      answer.once('end', () => over(answer.statusCode === 200 ? undefined : `status ${answer.statusCode}`));
      answer.once('error', () => over('the answer broke off'));
    });
    call.once('error', (error) => over(error.message));
    call.end(body);
  }

  private report(): LoadReport {
    const sorted = this.latencies.sort((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return {answered: sorted.length, failures: this.failures, p50: at(0.5), p99: at(0.99)};
  }
}
