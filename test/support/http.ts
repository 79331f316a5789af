// A small HTTP client for tests. Built on node:http because fetch rewrites what these tests are about: it normalises
// `..` in paths, forbids headers, decompresses, and hides the bytes of the answer.

import {Agent, type IncomingHttpHeaders, request} from 'node:http';
import type {Socket} from 'node:net';
import {setTimeout as pause} from 'node:timers/promises';
import {expect} from 'vitest';
import {checkDescribed} from './described.js';
import {patienceMsMax} from './until.js';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; throws when it is none. */
  json<T = Record<string, unknown>>(): T;
}

export interface RequestOptions {
  /** A body that is sent as it is. */
  readonly body?: string | Buffer;
  /** A body that is sent as compact JSON with its content type. */
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

export interface EventAnswer {
  readonly id: string;
  readonly event: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly properties: Record<string, unknown>;
  readonly context?: Record<string, unknown>;
  readonly timestamp: string;
  readonly received_at: string;
  readonly messageId?: string;
}

export interface HistoryAnswer {
  readonly data: EventAnswer[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

export interface ProfileBody {
  readonly id: string;
  readonly traits: Record<string, unknown>;
  readonly created_at: string;
  readonly last_seen: string;
  readonly events: EventAnswer[];
  readonly events_has_more: boolean;
  readonly traits_over_limit?: number;
}

/** A report has 60 s. */
const requestMsMax = 90_000;
/** The service closes a connection that is idle for 8 to 12 s: a request must not meet the close on its way. */
const idleMsMax = 4_000;

/**
 * Speaks to one service with one key; `key` undefined sends no Authorization header. An answer that is not as the
 * service describes itself rejects.
 */
export class Client {
  /** Of all clients of this process. */
  static readonly asked = {inAll: 0, behind: 0};
  private readonly agent = new Agent({keepAlive: true});
  private readonly idleSinceMs = new WeakMap<Socket, number>();

  constructor(
    readonly baseUrl: string,
    readonly key?: string,
  ) {
    this.agent.on('free', (socket: Socket) => this.idleSinceMs.set(socket, performance.now()));
  }

  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.send('GET', path, headers === undefined ? {} : {headers});
  }

  post(path: string, json: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.send('POST', path, headers === undefined ? {json} : {json, headers});
  }

  delete(path: string): Promise<Answer> {
    return this.send('DELETE', path);
  }

  /**
   * The path goes out as it is written; nothing is normalised or encoded.
   * A live read waits 2 s for its partition, which a machine that is busy with other work can exceed: it is asked again,
   * as `Retry-After` says. Nothing was done for it by then.
   */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const endMs = performance.now() + patienceMsMax;
    for (;;) {
      const answer = await this.sendOnce(method, path, options);
      const isBehind = answer.status === 503 && answer.text.includes('the partition is behind its log');
      Client.asked.inAll += 1;
      if (isBehind) Client.asked.behind += 1;
      if (!isBehind || performance.now() > endMs) return answer;
      await pause(Number(answer.headers['retry-after']) * 1_000);
    }
  }

  private sendOnce(method: string, path: string, options: RequestOptions): Promise<Answer> {
    this.dropIdleConnections();
    const {hostname, port} = new URL(this.baseUrl);
    const body = options.json === undefined ? options.body : JSON.stringify(options.json);
    const headers = {
      ...(this.key === undefined ? {} : {authorization: `Bearer ${this.key}`}),
      ...(options.json === undefined ? {} : {'content-type': 'application/json'}),
      ...(body === undefined ? {} : {'content-length': String(Buffer.byteLength(body))}),
      ...options.headers,
    };
    return new Promise((resolve, reject) => {
      const call = request(
        {hostname, port, path, method, headers, agent: this.agent, timeout: requestMsMax},
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            try {
              const answer = answerOf(incoming.statusCode!, incoming.headers, Buffer.concat(chunks));
              checkDescribed({method, path, json: options.json}, answer);
              resolve(answer);
            } catch (error) {
              reject(error as Error);
            }
          });
        },
      );
      call.on('timeout', () => call.destroy(new Error(`${method} ${path}: no answer within ${requestMsMax} ms`)));
      call.on('error', reject);
      call.end(body);
    });
  }

  private dropIdleConnections(): void {
    const staleMs = performance.now() - idleMsMax;
    for (const socket of Object.values(this.agent.freeSockets).flatMap((sockets) => sockets ?? [])) {
      if ((this.idleSinceMs.get(socket) ?? staleMs) <= staleMs) socket.destroy();
    }
  }
}

function answerOf(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Answer {
  const text = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes);
  return {status, headers, text, json: <T>() => JSON.parse(text) as T};
}

/** `a=1&steps[]=x`: form-encoded, in the order given, absent values left out. */
export function query(parameters: Readonly<Record<string, string | number | readonly string[] | undefined>>): string {
  const encoded = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    if (typeof value === 'object') for (const one of value) encoded.append(name, one);
    else encoded.append(name, String(value));
  }
  return encoded.toString();
}

export const userPath = (id: string): string => `/v1/users/${encodeURIComponent(id)}`;

export function expectJson(answer: Answer, status: number): void {
  expect(`${answer.status} ${answer.status === status ? '' : answer.text}`.trim()).toBe(String(status));
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
}

/** The one shape of a refusal: `{"error":{"code","message","field"?}}`. `field` undefined leaves the field open. */
export function expectError(answer: Answer, status: number, code: string, field?: string): void {
  expectJson(answer, status);
  const body = answer.json<{error: {code: string; message: string; field?: string}}>();
  expect(Object.keys(body)).toEqual(['error']);
  expectErrorValue(body.error, code, field);
}

export function expectErrorValue(
  error: {code: string; message: string; field?: string},
  code: string,
  field?: string,
): void {
  const {message, ...rest} = error;
  expect(message).toMatch(/\S/);
  expect(rest).toEqual(
    field === undefined ? {code, ...('field' in rest ? {field: expect.any(String)} : {})} : {code, field},
  );
}
