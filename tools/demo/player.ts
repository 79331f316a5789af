// Plays entries of a shop into a service, over the public HTTP API: events in batches, identifies one by one.
//   PL1. A request without a 200 is sent again unchanged: every entry has a messageId, so a second copy is harmless.
//   PL2. A refusal is a bug of the shop, and ends the play.
//   PL3. A request without success for `patienceMs` ends the play.

import type {HttpAnswer} from '../../src/cli/import/batch-answer.js';
import {createPoster, type HttpPoster} from '../../src/cli/import/http-post.js';
import {monotonicMs} from '../../src/clock.js';
import type {ShopEntry} from '../shop/entry.js';

const batchEvents = 1_000;
/** Batches under way at once. */
const lanes = 3;
const identifiesAtOnce = 8;
const patienceMs = 60_000;
const againMs = 250;

/** The service refused the shop's entries, or takes nothing: a sentence for the operator. */
export class PlayFault extends Error {}

export interface PlayerOptions {
  readonly baseUrl: string;
  /** A write key. */
  readonly key: string;
  /** Rejects when the play must end. */
  readonly sleep: (ms: number) => Promise<void>;
}

export class Player {
  /** Events and identifies that were answered 200. */
  played = 0;
  private readonly batches: HttpPoster;
  private readonly identifies: HttpPoster;
  private readonly sleep: PlayerOptions['sleep'];

  constructor({baseUrl, key, sleep}: PlayerOptions) {
    this.batches = createPoster(new URL(`${baseUrl}/v1/events/batch`), key, lanes);
    this.identifies = createPoster(new URL(`${baseUrl}/v1/users/identify`), key, lanes * identifiesAtOnce);
    this.sleep = sleep;
  }

  /** Resolves when all entries are answered 200. Reads an entry when it can be sent. */
  async play(entries: Iterator<ShopEntry, void, void>): Promise<void> {
    await Promise.all(Array.from({length: lanes}, () => this.lane(entries)));
  }

  /** Ends the connections, and requests that wait for answers. */
  close(): void {
    this.batches.close();
    this.identifies.close();
  }

  private async lane(entries: Iterator<ShopEntry, void, void>): Promise<void> {
    for (let some = take(entries, batchEvents); some.length > 0; some = take(entries, batchEvents)) {
      const events = some.filter(({kind}) => kind === 'event').map(({json}) => json);
      const identifies = some.filter(({kind}) => kind === 'identify').map(({json}) => json);
      await Promise.all([
        events.length === 0 ? undefined : this.send(this.batches, `{"events":[${events.join(',')}]}`),
        this.sendIdentifies(identifies),
      ]);
      this.played += some.length;
    }
  }

  private async sendIdentifies(bodies: readonly string[]): Promise<void> {
    for (let at = 0; at < bodies.length; at += identifiesAtOnce)
      await Promise.all(bodies.slice(at, at + identifiesAtOnce).map((body) => this.send(this.identifies, body)));
  }

  /** Sends until the answer is 200. PL1 */
  private async send(poster: HttpPoster, body: string): Promise<void> {
    const bytes = Buffer.from(body);
    const endMs = monotonicMs() + patienceMs;
    for (;;) {
      const answer = await poster.post(bytes).catch((error: Error) => error);
      if (!(answer instanceof Error) && answer.status === 200) return;
      if (!isForLater(answer)) throw new PlayFault(`the service refused what the shop sent: ${toldBy(answer)}`); // PL2
      if (monotonicMs() > endMs) throw new PlayFault(`the service took nothing for a minute: ${toldBy(answer)}`); // PL3
      const secondsAsked = answer instanceof Error ? 0 : (answer.retryAfterSeconds ?? 0);
      await this.sleep(Math.max(againMs, secondsAsked * 1_000));
    }
  }
}

/** No answer, too many requests, or a service that cannot take it now: a retry may help. */
const isForLater = (answer: HttpAnswer | Error): boolean =>
  answer instanceof Error || answer.status === 429 || answer.status >= 500;

const toldBy = (answer: HttpAnswer | Error): string =>
  answer instanceof Error ? answer.message : `${answer.status} ${answer.body.slice(0, 300)}`;

function take(entries: Iterator<ShopEntry, void, void>, max: number): ShopEntry[] {
  const some: ShopEntry[] = [];
  while (some.length < max) {
    const next = entries.next();
    if (next.done) break;
    some.push(next.value);
  }
  return some;
}
