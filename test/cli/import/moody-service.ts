// A stand-in for the service that misbehaves on demand: it judges events by a small rule, remembers what it acknowledged,
// and answers some requests the way overloaded, restarting or half-broken servers do.

import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';

export interface SentEvent {
  readonly event?: unknown;
  readonly userId?: string;
  readonly messageId?: string;
  readonly [field: string]: unknown;
}

/** How one batch request is treated. */
export type Mood =
  | 'well'
  /** 503 with nothing said about single events. */
  | 'overloaded'
  | 'rate_limited'
  /** Stores the batch and cuts the connection before the answer. */
  | 'stores_and_hangs_up'
  | 'hangs_up'
  /** Stores the events at even indexes and lists the others as unavailable. */
  | 'takes_half'
  | 'revoked_key'
  | 'nonsense';

const hangUp = 'hang up';
type Reply = [status: number, body: object] | typeof hangUp;

export const moodyWriteKey = 'sk_write_moody';
export const moodyAdminToken = 'admin-moody';

export class MoodyService {
  /** Moods of the next batch requests, first in, first out; afterwards `well`. */
  readonly moods: Mood[] = [];
  /** Events in the order in which the log took them, duplicates left out. */
  readonly log: SentEvent[] = [];
  readonly batchSizes: number[] = [];
  /** Revokes none. */
  keepsKeys = false;
  readonly keys = new Map<string, {id: string; isRevoked: boolean}>([[moodyWriteKey, {id: 'k0', isRevoked: false}]]);
  /** Called before each batch is answered. */
  onBatch: () => void | Promise<void> = () => {};
  bodyBytesMax = 10 * 1024 * 1024;
  acknowledged = 0;
  readonly #ids = new Set<string>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(): Promise<MoodyService> {
    const service = new MoodyService();
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await this.#reply(request, await readBody(request));
    if (reply === hangUp) request.socket.destroy();
    else {
      const [status, body] = reply;
      const headers = {'content-type': 'application/json', ...(status >= 429 ? {'retry-after': '0'} : {})};
      response.writeHead(status, headers).end(JSON.stringify(body));
    }
  }

  async #reply(request: IncomingMessage, body: string): Promise<Reply> {
    if (request.url === '/healthz') return [200, {status: 'ok'}];
    if (request.url?.startsWith('/admin/v1/key')) return this.#replyKeys(request, body);
    if (request.url !== '/v1/events/batch') return failure(404, 'not_found');
    await this.onBatch();
    const key = this.keys.get((request.headers.authorization ?? '').replace('Bearer ', ''));
    if (key === undefined || key.isRevoked) return failure(401, 'invalid_key');
    if (body.length > this.bodyBytesMax) return failure(413, 'payload_too_large');
    return this.#replyBatch(body);
  }

  #replyBatch(body: string): Reply {
    const {events} = JSON.parse(body) as {events: SentEvent[]};
    this.batchSizes.push(events.length);
    const mood = this.moods.shift() ?? 'well';
    if (mood === 'overloaded') return failure(503, 'unavailable');
    if (mood === 'rate_limited') return failure(429, 'rate_limited');
    if (mood === 'revoked_key') return failure(401, 'invalid_key');
    if (mood === 'nonsense') return [200, {hello: 'world'}];
    if (mood === 'hangs_up') return hangUp;
    // One nested too deep spoils the whole body, as a byte scan before parsing does.
    if (body.includes('[[[[')) return failure(400, 'invalid_json');
    const outcome = this.#store(events, mood === 'takes_half');
    return mood === 'stores_and_hangs_up' ? hangUp : outcome;
  }

  #store(events: readonly SentEvent[], isHalf: boolean): Reply {
    const errors: object[] = [];
    for (const [index, event] of events.entries()) {
      if (typeof event.event !== 'string') {
        errors.push({index, code: 'invalid_event', message: 'event must be a string', field: 'event'});
      } else if (isHalf && index % 2 === 1) {
        errors.push({index, code: 'unavailable', message: 'the log did not take it'});
      } else this.#take(event);
    }
    const received = events.length - errors.length;
    if (isHalf) return [503, {status: 'partial', received, rejected: errors.length, errors}];
    if (received === 0) return [400, {...failure(400, 'invalid_event')[1], status: 'rejected', received, errors}];
    const isPartial = errors.length > 0;
    return [isPartial ? 207 : 200, {status: isPartial ? 'partial' : 'ok', received, rejected: errors.length, errors}];
  }

  #take(event: SentEvent): void {
    this.acknowledged += 1;
    const id = `${event.userId}\n${event.messageId}`;
    if (event.messageId !== undefined && this.#ids.has(id)) return;
    this.#ids.add(id);
    this.log.push(event);
  }

  #replyKeys(request: IncomingMessage, body: string): Reply {
    if (request.headers.authorization !== `Bearer ${moodyAdminToken}`) return failure(401, 'invalid_key');
    if (request.method === 'POST') {
      const id = `k${this.keys.size}`;
      const key = `sk_write_${id}_${(JSON.parse(body) as {name: string}).name}`;
      this.keys.set(key, {id, isRevoked: false});
      return [201, {id, key}];
    }
    if (this.keepsKeys) return failure(503, 'unavailable');
    for (const key of this.keys.values()) if (request.url!.endsWith(`?id=${key.id}`)) key.isRevoked = true;
    return [200, {status: 'revoked'}];
  }
}

function failure(status: number, code: string): [number, {error: object}] {
  return [status, {error: {code, message: `the reason of ${code}`}}];
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}
