// A client like a good library: every event has a message id and is sent again until it is answered, and acknowledged events are
// read between the writes. None of its requests may fail in the end.

import {setTimeout as delay} from 'node:timers/promises';
import type {UserRef} from '../model/model.js';
import type {EventThing} from './journal.js';
import {query, type Readback} from './readback.js';
import type {Sender} from './sender.js';
import type {Traffic} from './traffic.js';
import type {Workload} from './workload.js';

const givesUpAfterMs = 60_000;
const firstPauseMs = 10;
const pauseMsMax = 100;
const slowPauseMs = 80;
const batchEvents = 20;
/** Shares of ten requests: batches, and reads of what was sent before. */
const shares = {batch: 2, read: 2};

export class RetryingClient implements Traffic {
  private readonly user: UserRef;
  private readonly failures: string[] = [];
  private newest: EventThing | undefined;
  private made = 0;
  private isStopping = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly workload: Workload,
    private readonly sender: Sender,
    private readonly readback: Readback,
    name: string,
  ) {
    this.user = {kind: 'user', id: name};
  }

  start(): void {
    this.ended = this.run();
  }

  stop(): Promise<void> {
    this.isStopping = true;
    return this.ended;
  }

  /** Every request was retried until its answer: only failures are left to report. */
  async settle(): Promise<void> {
    if (this.failures.length > 0) throw new Error(`a client that retries met: ${this.failures.join('; ')}`);
  }

  private async run(): Promise<void> {
    for (let at = 0; !this.isStopping; at++) {
      if (at % 10 < shares.read) await this.read();
      else await this.write(at % 10 < shares.read + shares.batch ? batchEvents : 1);
      if (this.made >= this.workload.thingsMax) await delay(slowPauseMs);
    }
  }

  private async write(count: number): Promise<void> {
    const things = Array.from({length: count}, () => this.workload.namedEvent(this.user, 'retried'));
    this.made += count;
    const deadlineMs = performance.now() + givesUpAfterMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMsMax, 2 * pauseMs)) {
      const {outcomes} = await this.sender.send(things);
      if (outcomes.every((outcome) => outcome === 'acked')) break;
      if (performance.now() > deadlineMs || outcomes.includes('refused')) {
        this.failures.push(`a write was ${outcomes.join(', ')}`);
        return;
      }
      await delay(pauseMs);
    }
    this.newest = things.at(-1);
  }

  /** Every acknowledged event must be in the answer, whichever process gives it. */
  private async read(): Promise<void> {
    if (this.newest === undefined) return;
    const {messageId} = this.newest.body;
    const page = await this.readback.get(`/v1/events?${query({userId: this.user.id, limit: batchEvents})}`);
    if (page.status !== 200) this.failures.push(`a read was answered ${page.status} ${page.text}`);
    else if (!page.text.includes(`"${messageId}"`)) this.failures.push(`${messageId} is not there`);
  }
}
