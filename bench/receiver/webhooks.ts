// Webhooks of a service under test, by its API.

import {HttpClient} from '../../tools/http-client.js';
import {type BenchService, secretKey} from '../machine/service.js';

/** What the service needs to post to this machine without TLS. */
export const receiverEnv = {WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1', WEBHOOK_ALLOW_HTTP: '1'};

export interface Webhook {
  readonly id: string;
  readonly secret: string;
}

export class Webhooks {
  readonly #client: HttpClient;

  constructor({baseUrl}: Pick<BenchService, 'baseUrl'>) {
    this.#client = new HttpClient(baseUrl, {key: secretKey, connectionsMax: 1});
  }

  /** Creates a webhook that receives every event, at most `batchEvents` in a request. */
  create(url: string, batchEvents: number): Promise<Webhook> {
    const batch = {events: batchEvents, ms: 0};
    return this.#call('POST', '/v1/webhooks', {kind: 'webhook', url, types: [{type: 'event.tracked'}], batch});
  }

  /** While it is paused everything waits. */
  async pause({id}: Webhook, paused: boolean): Promise<void> {
    await this.#call('PATCH', `/v1/webhooks/${id}`, {paused});
  }

  /** Runs the work while there is such a webhook. */
  async during<T>(url: string, batchEvents: number, work: (webhook: Webhook) => Promise<T>): Promise<T> {
    const webhook = await this.create(url, batchEvents);
    try {
      return await work(webhook);
    } finally {
      await this.#call('DELETE', `/v1/webhooks/${webhook.id}`);
    }
  }

  async #call<Answer>(method: string, path: string, json?: object): Promise<Answer> {
    const answer = await this.#client.send(method, path, {json});
    if (answer.status >= 300) throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
    return answer.json<Answer & Record<string, unknown>>();
  }

  stop(): void {
    this.#client.close();
  }
}
