// Sends things and journals it: the line before the request, the line after the answer.

import {Http} from './http.js';
import type {Journal, Outcome, Thing} from './journal.js';
import {readAnswer} from './outcomes.js';

export interface Keys {
  readonly write: string;
  readonly secret: string;
}

/** Result of one request: an outcome per thing, and their position in the log. */
export interface Sent {
  readonly outcomes: readonly Outcome[];
  readonly logPosition: string | undefined;
}

interface Edge {
  readonly write: Http;
  readonly secret: Http;
}

/** Each request goes to the next edge. */
export class Sender {
  private readonly edges: readonly Edge[];
  private sent = 0;

  constructor(
    private readonly journal: Journal,
    ports: readonly number[],
    keys: Keys,
  ) {
    this.edges = ports.map((port) => ({write: new Http(port, keys.write), secret: new Http(port, keys.secret)}));
  }

  /** A request of several things may have events alone. */
  async send(things: readonly Thing[]): Promise<Sent> {
    const request = this.journal.nextRequest();
    this.journal.write({line: 'send', request, things: things.map(({n}) => n)});
    const answer = await this.request(things);
    const reading = readAnswer(things, answer);
    const how = answer.kind === 'lost' ? {lost: answer.why} : {status: answer.status};
    this.journal.write({line: 'answer', request, ...how, ...reading});
    const position = answer.kind === 'lost' ? undefined : answer.headers['log-position'];
    return {outcomes: reading.outcomes, logPosition: typeof position === 'string' ? position : undefined};
  }

  private request(things: readonly Thing[]) {
    const [first] = things;
    const {write, secret} = this.edges[this.sent++ % this.edges.length]!;
    if (things.length > 1) {
      return write.send('POST', '/v1/events/batch', {events: things.map((thing) => bodyOf(thing))});
    }
    if (first!.kind === 'deletion') return secret.send('DELETE', `/v1/users/${encodeURIComponent(first!.userId)}`);
    const path = first!.kind === 'event' ? '/v1/events' : '/v1/users/identify';
    return write.send('POST', path, bodyOf(first!));
  }

  close(): void {
    for (const {write, secret} of this.edges) {
      write.close();
      secret.close();
    }
  }
}

function bodyOf(thing: Thing): object {
  if (thing.kind === 'event') return thing.body;
  if (thing.kind === 'identify') return {userId: thing.userId, traits: thing.traits};
  throw new Error('a deletion has no body');
}
