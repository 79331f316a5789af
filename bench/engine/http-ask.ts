// Asks over one kept-alive connection and takes the time: `fetch` alone would add a millisecond to every answer.

import {Agent, request} from 'node:http';
import {monotonicMs} from '../../src/clock.js';
import {secretKey} from '../machine/service.js';
import type {Target} from '../machine/target.js';

export interface Asked {
  readonly body: unknown;
  /** From the first byte sent to the last one received, without parsing. */
  readonly elapsedMs: number;
}

export class HttpAsker {
  readonly #agent = new Agent({keepAlive: true, maxSockets: 1, noDelay: true});

  constructor(private readonly target: Target) {}

  /** Anything but 200 fails. */
  async ask(path: string): Promise<Asked> {
    const startMs = monotonicMs();
    const {status, text} = await this.call('GET', path);
    const elapsedMs = monotonicMs() - startMs;
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${text.slice(0, 500)}`);
    return {body: JSON.parse(text), elapsedMs};
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Whatever the answer is. */
  call(method: 'GET' | 'DELETE', path: string): Promise<{readonly status: number; readonly text: string}> {
    const {host, port} = this.target;
    const headers = {authorization: `Bearer ${secretKey}`};
    return new Promise((resolve, reject) => {
      const asking = request({method, host, port, path, headers, agent: this.#agent}, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('end', () => resolve({status: answer.statusCode!, text: Buffer.concat(pieces).toString('utf8')}));
        answer.on('error', reject);
      });
      asking.on('error', reject);
      asking.end();
    });
  }
}
