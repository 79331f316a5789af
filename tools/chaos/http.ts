// HTTP to a service that may be killed. A request without an answer is a value here, not an exception: chaos is about those.

import {type HttpAnswer, HttpClient} from '../http-client.js';

export interface Answer extends HttpAnswer {
  readonly kind: 'answer';
}

/** `why`: the code of the socket's error. */
export interface Lost {
  readonly kind: 'lost';
  readonly why: string;
}

// Longer than every deadline of the service: a request that takes this long is a fault, and shows as `ETIMEDOUT`.
const silentMsMax = 40_000;

export class Http {
  private readonly client: HttpClient;

  constructor(port: number, key: string) {
    this.client = new HttpClient(`http://127.0.0.1:${port}`, {key, silentMsMax});
  }

  async send(method: string, path: string, json?: unknown): Promise<Answer | Lost> {
    try {
      return {kind: 'answer', ...(await this.client.send(method, path, {json}))};
    } catch (error) {
      const {code} = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      return {kind: 'lost', why: code};
    }
  }

  close(): void {
    this.client.close();
  }
}
