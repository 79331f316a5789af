// The client of tests: the client of the tools (tools/http-client.ts), and each answer is compared with the OpenAPI description.

import {setTimeout as pause} from 'node:timers/promises';
import {expect} from 'vitest';
import type {Meta} from '../../src/edge/answers/report-meta.js';
import {type HttpAnswer, HttpClient, type HttpRequest} from '../../tools/http-client.js';
import {withoutMeta} from '../../tools/report-meta.js';
import {checkDescribed} from './described.js';
import {patienceMsMax} from './until.js';

export type Answer = HttpAnswer;
export type RequestOptions = HttpRequest;

export interface EventAnswer {
  readonly id: string;
  readonly event: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly joined?: true;
  readonly joins?: false;
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
  readonly anonymous_ids?: readonly string[];
}

/**
 * An answer without `meta`, which is checked here: it says what the headers do. Tests then compare what a report is about, and read
 * the headers.
 */
function checkedMeta(answer: Answer): Answer {
  const {headers, text} = answer;
  if (headers['report-next-by'] === undefined || answer.status !== 200 || !/json/.test(String(headers['content-type'])))
    return answer;
  const {incomplete_from, hint, skipped: _, ...others} = answer.json<{meta: Meta}>().meta;
  const said = {...others, incomplete_from: incomplete_from ?? undefined, hint: hint ?? undefined};
  expect(said).toEqual({
    as_of: headers['report-as-of'],
    log_position: headers['report-log-position'],
    next_by: headers['report-next-by'],
    incomplete_from: headers['report-incomplete-from'],
    retained_from: headers['report-retained-from'],
    hint: headers['report-hint'],
  });
  const own = withoutMeta(text);
  return {...answer, text: own, bytes: Buffer.from(own), json: <T>() => JSON.parse(own) as T};
}

/** Speaks to one service with one key. An answer that is not as the service describes itself rejects. */
export class Client {
  /** Requests of all clients of this process, and those whose partition was behind its log. */
  static readonly asked = {inAll: 0, behind: 0};
  private readonly client: HttpClient;

  /** `key` undefined: no Authorization header. */
  constructor(
    readonly baseUrl: string,
    readonly key?: string,
  ) {
    this.client = new HttpClient(baseUrl, {key});
  }

  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.send('GET', path, {headers});
  }

  post(path: string, json: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.send('POST', path, {json, headers});
  }

  delete(path: string): Promise<Answer> {
    return this.send('DELETE', path);
  }

  /**
   * A live read waits 2 s for its partition, which a machine that is busy with other work can exceed: it is asked again, as
   * `Retry-After` says. The service has done nothing for it by then.
   */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const endMs = performance.now() + patienceMsMax;
    for (;;) {
      const answer = await this.client.send(method, path, options);
      if (/charset|^$/.test(answer.headers['content-type'] ?? ''))
        new TextDecoder('utf-8', {fatal: true}).decode(answer.bytes);
      checkDescribed({method, path, json: options.json}, answer);
      const isBehind = answer.status === 503 && answer.text.includes('the partition is behind its log');
      Client.asked.inAll += 1;
      if (isBehind) Client.asked.behind += 1;
      if (!isBehind || performance.now() > endMs) return method === 'GET' ? checkedMeta(answer) : answer;
      await pause(Number(answer.headers['retry-after']) * 1_000);
    }
  }
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
