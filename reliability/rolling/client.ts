// A client as its library should be: every event has a message id, and is sent again until it is answered.
import {setTimeout as pause} from 'node:timers/promises';
import type {Answer, Http, Lost} from '../chaos/http.js';

const givesUpAfterMs = 60_000;
const firstPauseMs = 20;
const pauseMsMax = 500;
const batchEvents = 20;
/** Of ten requests: batches, and reads of what was sent before. */
const shares = {batch: 2, read: 2};

export class RetryingClient {
  readonly acknowledged: string[] = [];
  readonly failures: string[] = [];
  requests = 0;
  retries = 0;
  slowestMs = 0;
  private sent = 0;
  private isStopping = false;

  constructor(
    private readonly http: Http,
    readonly userId: string,
  ) {}

  /** Resolves after `stop`, when the last request is answered. */
  async run(): Promise<void> {
    for (let at = 0; !this.isStopping; at++) {
      if (at % 10 < shares.read) await this.read();
      else if (at % 10 < shares.read + shares.batch) await this.write(batchEvents);
      else await this.write(1);
    }
  }

  stop(): void {
    this.isStopping = true;
  }

  private async write(count: number): Promise<void> {
    const events = Array.from({length: count}, () => this.event());
    const isBatch = count > 1;
    const body = isBatch ? {events} : events[0];
    const answer = await this.untilAnswered('POST', isBatch ? '/v1/events/batch' : '/v1/events', body);
    if (answer?.status === 200) this.acknowledged.push(...events.map(({messageId}) => messageId));
    else this.fail('POST', answer);
  }

  /** Whatever was acknowledged before is there, whoever answers. */
  private async read(): Promise<void> {
    const newest = this.acknowledged.at(-1);
    const answer = await this.untilAnswered('GET', `/v1/events?userId=${this.userId}&limit=${batchEvents}`);
    if (answer?.status !== 200) this.fail('GET', answer);
    else if (newest !== undefined && !answer.text.includes(`"${newest}"`)) this.failures.push(`${newest} is not there`);
  }

  private event(): {event: string; userId: string; messageId: string} {
    this.sent += 1;
    return {event: 'rolled', userId: this.userId, messageId: `${this.userId}-${this.sent}`};
  }

  /** Undefined when there was no answer other than 503 in time. */
  private async untilAnswered(method: string, path: string, json?: unknown): Promise<Answer | undefined> {
    const startMs = performance.now();
    this.requests += 1;
    for (let waitMs = firstPauseMs; ; waitMs = Math.min(pauseMsMax, 2 * waitMs)) {
      const answer: Answer | Lost = await this.http.send(method, path, json);
      const tookMs = performance.now() - startMs;
      if (answer.kind === 'answer' && answer.status !== 503) {
        this.slowestMs = Math.max(this.slowestMs, tookMs);
        return answer;
      }
      if (tookMs > givesUpAfterMs) return undefined;
      this.retries += 1;
      await pause(waitMs);
    }
  }

  private fail(method: string, answer: Answer | undefined): void {
    this.failures.push(`${method}: ${answer === undefined ? 'no answer' : `${answer.status} ${answer.text}`}`);
  }
}
