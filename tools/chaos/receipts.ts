// The receipts of deletions, as soon as a client can have them: asked for all the time, while the service is killed, too.

import {setTimeout as delay} from 'node:timers/promises';
import {Http} from './http.js';
import type {Receipt} from './told-messages.js';
import {Truth} from './truth.js';

const askAgainMs = 100;

export class Receipts {
  readonly all: Receipt[] = [];
  private readonly truth: Truth;
  private readonly http: Http;
  private readonly known = new Set<string>();
  private isStopping = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(journalPath: string, port: number, key: string) {
    this.truth = new Truth(journalPath);
    this.http = new Http(port, key);
  }

  start(): void {
    this.ended = this.run();
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.ended;
    this.http.close();
    this.truth.close();
  }

  /** Deletions that were acknowledged and have no receipt yet. */
  open(): {readonly deletionId: string; readonly userId: string; readonly n: number}[] {
    this.truth.catchUp();
    return [...this.truth.fates.values()].flatMap(({thing, deletionId}) =>
      thing.kind !== 'deletion' || deletionId === undefined || this.known.has(deletionId)
        ? []
        : [{deletionId, userId: thing.userId, n: thing.n}],
    );
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      for (const deletion of this.open()) {
        const answer = await this.http.send('GET', `/v1/deletions/${deletion.deletionId}`);
        if (answer.kind === 'lost' || answer.status !== 200) break;
        const {status} = (JSON.parse(answer.text) as {deletion: {status: string}}).deletion;
        if (status !== 'completed') continue;
        this.known.add(deletion.deletionId);
        this.all.push({...deletion, atMs: Date.now()});
      }
      await delay(askAgainMs);
    }
  }
}
