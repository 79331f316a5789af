// Asks the service with its secret key, and measures the time.

import {monotonicMs} from '../../src/clock.js';
import {type HttpAnswer, HttpClient} from '../../tools/http-client.js';
import {secretKey} from '../machine/service.js';

export interface Asked {
  readonly body: unknown;
  /** Ms from the first byte sent to the last one received, without parsing. */
  readonly elapsedMs: number;
}

/** An answer that was not 200. */
export class AnswerFault extends Error {
  constructor(
    path: string,
    readonly status: number,
    text: string,
  ) {
    super(`${path} was answered ${status}: ${text.slice(0, 500)}`);
  }
}

export class HttpAsker {
  readonly #client: HttpClient;

  constructor(baseUrl: string, connectionsMax = 1) {
    this.#client = new HttpClient(baseUrl, {key: secretKey, connectionsMax});
  }

  /** @throws AnswerFault unless the answer is 200. */
  async ask(path: string): Promise<Asked> {
    const startMs = monotonicMs();
    const {status, text} = await this.call('GET', path);
    const elapsedMs = monotonicMs() - startMs;
    if (status !== 200) throw new AnswerFault(path, status, text);
    return {body: JSON.parse(text), elapsedMs};
  }

  close(): void {
    this.#client.close();
  }

  /** Resolves with any answer. */
  call(method: 'GET' | 'DELETE', path: string): Promise<HttpAnswer> {
    return this.#client.send(method, path);
  }
}
