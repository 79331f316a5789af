// Every request of the pages goes through here: the session's cookie, errors as values, and answers that did not change.
//   CL1. A read that came back before is asked for with its ETag: 304 is the answer that is known.
//   CL2. A session that is over leads to the page for signing in, and back to the same address afterwards.
import {signal} from '@preact/signals';
import {dashboardPath} from '../address/base';
import type {Fault} from './fault';

export type {Fault};

export type Answer<Value> =
  | {readonly kind: 'value'; readonly value: Value; readonly headers: Headers; readonly isSame: boolean}
  | {readonly kind: 'fault'; readonly fault: Fault};

/** A list of what people keep. Without a limit it is whole. */
export interface Listed<Item> {
  readonly data: readonly Item[];
}

/** The fault of an answer; undefined for a value. */
export const faultOf = (answer: Answer<unknown>): Fault | undefined =>
  answer.kind === 'fault' ? answer.fault : undefined;

/** The session is over: the app shows the page for signing in. CL2 */
export const isSignedOut = signal(false);

/** The last request got no answer. */
export const isSilent = signal(false);

const known = new Map<string, {readonly etag: string; readonly value: unknown; readonly headers: Headers}>();
const knownMax = 200;

const addressOf = (path: string): string => `${dashboardPath}/api/${path}`;

/**
 * `path` below the dashboard's own routes, such as `v1/boards`. `at`: the position of the snapshots that a list is of; it is no part
 * of the ETag.
 */
export async function read<Value>(path: string, signal?: AbortSignal, at?: string): Promise<Answer<Value>> {
  const before = known.get(path);
  const headers: Record<string, string> = before === undefined ? {} : {'If-None-Match': before.etag};
  const asked = at === undefined ? path : `${path}&at=${at}`;
  const response = await ask(asked, {headers, ...(signal ? {signal} : {})});
  if (!(response instanceof Response)) return response;
  if (response.status === 304 && before !== undefined) {
    return {kind: 'value', value: before.value as Value, headers: response.headers, isSame: true}; // CL1
  }
  const answer = await taken<Value>(response);
  const etag = response.headers.get('ETag');
  if (answer.kind === 'value' && etag !== null) {
    if (known.size >= knownMax) known.delete(known.keys().next().value!);
    known.set(path, {etag, value: answer.value, headers: response.headers});
  }
  return answer;
}

/** `version`: the ETag of what is replaced. */
export async function change<Value>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  version?: string,
): Promise<Answer<Value>> {
  const response = await ask(path, {
    method,
    headers: {
      'X-Millrace': '1',
      ...(body === undefined ? {} : {'Content-Type': 'application/json'}),
      ...(version === undefined ? {} : {'If-Match': version}),
    },
    ...(body === undefined ? {} : {body: JSON.stringify(body)}),
  });
  return response instanceof Response ? taken<Value>(response) : response;
}

/** The answer, or the fault of a service that does not answer. `path` as for `read`. */
export async function ask(
  path: string,
  init: RequestInit,
  address = addressOf(path),
): Promise<Response | {kind: 'fault'; fault: Fault}> {
  try {
    const response = await fetch(address, {
      credentials: 'same-origin',
      redirect: 'error',
      cache: 'no-store',
      ...init,
    });
    isSilent.value = false;
    return response;
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    isSilent.value = true;
    return {
      kind: 'fault',
      fault: {code: 'unreachable', message: 'check your connection, and whether the service runs', status: 0},
    };
  }
}

/** The value or the fault of an answer. */
export async function taken<Value>(response: Response): Promise<Answer<Value>> {
  const body = (await response.json().catch(() => undefined)) as {error?: Partial<Fault>} | undefined;
  // The service answers an unknown id with 200 here: any other status would leave a line in the browser's console.
  if (response.ok && body !== undefined && body.error === undefined) {
    return {kind: 'value', value: body as Value, headers: response.headers, isSame: false};
  }
  const {error, ...more} = body ?? {};
  const {code = 'unreadable', message = `the answer was ${response.status}`, field} = error ?? {};
  if (code === 'not_signed_in') isSignedOut.value = true; // CL2
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return {
    kind: 'fault',
    fault: {
      code,
      message,
      status: response.status,
      ...(field === undefined ? {} : {field}),
      ...(Number.isNaN(retryAfter) ? {} : {retryAfter}),
      ...(Object.keys(more).length === 0 ? {} : {more}),
    },
  };
}
