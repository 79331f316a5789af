// Reads GET /v1/events page by page; retries while the service is limited, busy or restarting.
import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../clock.js';
import {AdminFault} from '../admin-client.js';
import type {HistoryEvent} from './stored-pairs.js';

const pageEventsMax = 1_000;
const answerMsMax = 30_000;
const giveUpMs = 5 * 60_000;
const pauseMs = 1_000;

export interface HistoryRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface Page {
  readonly data: readonly HistoryEvent[];
  readonly next_cursor: string | null;
}

export class HistoryPages {
  constructor(
    private readonly baseUrl: string,
    private readonly key: string,
  ) {}

  /** Events, newest first. @throws AdminFault when the service refuses, or does not answer for minutes. */
  async *events({from, to}: HistoryRange): AsyncGenerator<HistoryEvent> {
    const query = new URLSearchParams({limit: String(pageEventsMax)});
    if (from !== undefined) query.set('from', from);
    if (to !== undefined) query.set('to', to);
    for (;;) {
      const {data, next_cursor} = await this.page(`/v1/events?${query}`);
      yield* data;
      if (next_cursor === null) return;
      query.set('cursor', next_cursor);
    }
  }

  private async page(path: string): Promise<Page> {
    const deadlineMs = monotonicMs() + giveUpMs;
    for (;;) {
      const answer = await this.ask(path);
      if (typeof answer !== 'string' && answer.ok) return (await answer.json()) as Page;
      const isPassing = typeof answer === 'string' || answer.status === 429 || answer.status === 503;
      if (!isPassing || monotonicMs() > deadlineMs) {
        const reason = typeof answer === 'string' ? answer : `${answer.status}: ${await answer.text()}`;
        throw new AdminFault(`The history cannot be read (${reason}).`);
      }
      const waitS = typeof answer === 'string' ? Number.NaN : Number(answer.headers.get('retry-after') ?? Number.NaN);
      await pause(waitS > 0 ? waitS * 1_000 : pauseMs);
    }
  }

  /** A text is the reason of a missing answer. */
  private async ask(path: string): Promise<Response | string> {
    try {
      return await fetch(this.baseUrl + path, {
        headers: {authorization: `Bearer ${this.key}`},
        signal: AbortSignal.timeout(answerMsMax),
      });
    } catch (error) {
      return (error as Error).message;
    }
  }
}
