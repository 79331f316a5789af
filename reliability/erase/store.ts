// Speaking to one service: send events, identify, delete, ask.
import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../src/clock.js';
import {covers, isBefore, type Place, readPositions} from '../../src/log-position.js';
import {type ServiceProcess, secretKey} from '../service-process.js';
import {reportQueries, type TrackedEvent} from './population.js';

const batchEvents = 500;
const answerMsMax = 60_000;
const connectionTriesMax = 5;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export class Store {
  private readonly service: ServiceProcess;
  /** Newest acked position by partition. */
  private readonly acked = new Map<number, Place>();
  private pending: TrackedEvent[] = [];

  constructor(service: ServiceProcess) {
    this.service = service;
  }

  /** A live read waits 2 s for its partition, which a busy machine can exceed: nothing was done, and it is asked again. */
  async request(path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = {Authorization: `Bearer ${secretKey}`, 'Content-Type': 'application/json'};
    const endMs = monotonicMs() + answerMsMax;
    for (;;) {
      const response = await this.exchange(path, {...init, headers});
      const text = await response.text();
      const isBehind = response.status === 503 && text.includes('the partition is behind its log');
      if (!isBehind || monotonicMs() > endMs) return {status: response.status, headers: response.headers, text};
      await pause(50);
    }
  }

  /** A search of the disk keeps this process from noticing which idle connections the service closed meanwhile. */
  private async exchange(path: string, init: RequestInit): Promise<Response> {
    for (let tries = 1; ; tries++) {
      try {
        return await fetch(this.service.baseUrl + path, init);
      } catch (error) {
        if (tries === connectionTriesMax) throw error;
        await pause(50);
      }
    }
  }

  /** Sends in batches; `flush` sends the rest. */
  async send(event: TrackedEvent): Promise<void> {
    this.pending.push(event);
    if (this.pending.length === batchEvents) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.pending.length === 0) return;
    const body = JSON.stringify({events: this.pending});
    this.pending = [];
    this.expect(200, await this.request('/v1/events/batch', {method: 'POST', body}));
  }

  async identify(userId: string, traits: object): Promise<void> {
    const body = JSON.stringify({userId, traits});
    this.expect(200, await this.request('/v1/users/identify', {method: 'POST', body}));
  }

  private expect(status: number, answer: Answer): void {
    if (answer.status !== status)
      throw new Error(`expected ${status}, got ${answer.status}: ${answer.text.slice(0, 300)}`);
    const position = answer.headers.get('log-position');
    if (position === null) return;
    for (const [partition, place] of readPositions(position)) {
      const known = this.acked.get(partition);
      if (known === undefined || isBefore(known, place)) this.acked.set(partition, place);
    }
  }

  /** Deletes a user and waits for the receipt; returns how long that took, in ms. */
  async erase(
    userId: string,
  ): Promise<{ms: number; deletion: {id: string; verified: string[]; events_deleted: number}}> {
    const startMs = monotonicMs();
    let answer = await this.request(`/v1/users/${encodeURIComponent(userId)}`, {method: 'DELETE'});
    const {deletion} = JSON.parse(answer.text) as {deletion: {id: string}};
    while (
      answer.status === 202 ||
      (JSON.parse(answer.text) as {deletion: {status: string}}).deletion.status === 'pending'
    ) {
      if (monotonicMs() - startMs > answerMsMax) throw new Error(`the deletion ${deletion.id} is not completed`);
      await pause(50);
      answer = await this.request(`/v1/deletions/${deletion.id}`);
    }
    if (answer.status !== 200) throw new Error(`DELETE answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    return {ms: monotonicMs() - startMs, ...JSON.parse(answer.text)};
  }

  /** Bodies of all reports once they include everything that was acked. */
  async reports(): Promise<string[]> {
    await this.untilPublished();
    const bodies: string[] = [];
    for (const query of reportQueries) bodies.push((await this.request(query)).text);
    return bodies;
  }

  private async untilPublished(): Promise<void> {
    const endMs = monotonicMs() + answerMsMax;
    for (;;) {
      const {headers} = await this.request(reportQueries[0]);
      if (covers(readPositions(headers.get('report-log-position') ?? ''), this.acked)) return;
      if (monotonicMs() > endMs) throw new Error('the reports do not catch up');
      await pause(50);
    }
  }

  /** One page of the history as the client sees it, ids left out: they count the rows of the partition. */
  async newest(limit: number): Promise<unknown[]> {
    const {data} = JSON.parse((await this.request(`/v1/events?limit=${limit}`)).text) as {
      data: Record<string, unknown>[];
    };
    return data.map(({id: _, received_at: __, ...event}) => event);
  }
}
