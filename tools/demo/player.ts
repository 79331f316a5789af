// Plays entries of a shop into a service, over the public HTTP API: events in batches, identifies one by one.
//   PL1. A request without a 200 is sent again unchanged, to the next edge if there are several: every entry has a messageId, so a
//        second copy is harmless.
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
/** So many that every partition of a demo has one. */
const someUsers = 24;
const patienceMs = 60_000;
const againMs = 250;

/** The service refused the shop's entries, or takes nothing: a sentence for the operator. */
export class PlayFault extends Error {}

export interface PlayerOptions {
  /** One for each edge. */
  readonly baseUrls: readonly string[];
  /** A write key. */
  readonly key: string;
  /** Rejects when the play must end. */
  readonly sleep: (ms: number) => Promise<void>;
}

export class Player {
  /** Events and identifies that were answered 200. */
  played = 0;
  /** Of these, events. */
  events = 0;
  /** Longest time until a request was answered 200, all its tries together. A caller may set it back. */
  slowestMs = 0;
  /** Of the first users who were identified. */
  readonly someUserIds: string[] = [];
  private readonly batches: readonly HttpPoster[];
  private readonly identifies: readonly HttpPoster[];
  private readonly sleep: PlayerOptions['sleep'];
  /** Number of the edge that is asked now, plus failures. */
  private turn = 0;

  constructor({baseUrls, key, sleep}: PlayerOptions) {
    const posters = (path: string, connections: number): HttpPoster[] =>
      baseUrls.map((baseUrl) => createPoster(new URL(baseUrl + path), key, connections));
    this.batches = posters('/v1/events/batch', lanes);
    this.identifies = posters('/v1/users/identify', lanes * identifiesAtOnce);
    this.sleep = sleep;
  }

  /** Resolves when all entries are answered 200. Reads an entry when it can be sent. */
  async play(entries: Iterator<ShopEntry, void, void>): Promise<void> {
    await Promise.all(Array.from({length: lanes}, () => this.lane(entries)));
  }

  /** Ends the connections, and requests that wait for answers. */
  close(): void {
    for (const poster of [...this.batches, ...this.identifies]) poster.close();
  }

  private async lane(entries: Iterator<ShopEntry, void, void>): Promise<void> {
    for (let some = take(entries, batchEvents); some.length > 0; some = take(entries, batchEvents)) {
      const events = some.filter(({kind}) => kind === 'event').map(({json}) => json);
      const identifies = some.filter(({kind}) => kind === 'identify').map(({json}) => json);
      await Promise.all([
        events.length === 0 ? undefined : this.send(this.batches, `{"events":[${events.join(',')}]}`),
        this.sendIdentifies(identifies),
      ]);
      for (const body of identifies.slice(0, Math.max(0, someUsers - this.someUserIds.length)))
        this.someUserIds.push((JSON.parse(body) as {userId: string}).userId);
      this.played += some.length;
      this.events += events.length;
    }
  }

  private async sendIdentifies(bodies: readonly string[]): Promise<void> {
    for (let at = 0; at < bodies.length; at += identifiesAtOnce)
      await Promise.all(bodies.slice(at, at + identifiesAtOnce).map((body) => this.send(this.identifies, body)));
  }

  /** Sends until the answer is 200. PL1 */
  private async send(edges: readonly HttpPoster[], body: string): Promise<void> {
    const bytes = Buffer.from(body);
    const startMs = monotonicMs();
    for (let tries = 1; ; tries++) {
      const {turn} = this;
      const answer = await edges[turn % edges.length]!.post(bytes).catch((error: Error) => error);
      const ms = monotonicMs() - startMs;
      if (!(answer instanceof Error) && answer.status === 200) {
        this.slowestMs = Math.max(this.slowestMs, ms);
        return;
      }
      if (!isForLater(answer)) throw new PlayFault(`the service refused what the shop sent: ${toldBy(answer)}`); // PL2
      if (ms > patienceMs) throw new PlayFault(`the service took nothing for a minute: ${toldBy(answer)}`); // PL3
      if (this.turn === turn) this.turn++; // Of requests that fail together, one turns to the next edge.
      if (tries % edges.length !== 0) continue;
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
