// The events that the service took, by its own answers: afterwards each must be stored that often.
//   L1. An event that was answered as taken is stored; with a message id once, however often it was sent.
//   L2. An event whose request got no answer may be stored or not, as often as it was sent.
//   L3. Nothing else is stored. Deleted users, and the victims of deletions, are left out on both sides.
//   L4. An event of an anonymous user that any request named beside a userId is there under either of both, or deleted with the
//       known user: what was sent with such an anonymousId alone is left out as well.
import {brotliDecompressSync, gunzipSync, inflateSync} from 'node:zlib';
import type {FuzzAnswer, Outcome} from './connection.js';
import type {HostileRequest} from './request.js';
import {victimPrefix} from './templates.js';

interface SentEvent {
  readonly event?: unknown;
  readonly userId?: unknown;
  readonly anonymousId?: unknown;
  readonly messageId?: unknown;
  /** As history shows it. */
  readonly joined?: true;
}

/** How often an event may be stored. */
export interface Bounds {
  min: number;
  max: number;
}

interface BatchAnswer {
  readonly status?: string;
  readonly received?: number;
  readonly errors?: readonly {readonly index: number; readonly code: string}[];
  readonly id?: string;
  readonly deletion?: object;
}

export class Ledger {
  readonly events = new Map<string, Bounds>();
  readonly deletedUsers = new Set<string>();
  private readonly devices = new Set<string>();
  /** Events answered as taken, copies included. */
  accepted = 0;

  note(request: HostileRequest, outcome: Outcome): void {
    if (request.method === 'DELETE' && request.path.startsWith('/v1/users/')) this.noteDeletion(request.path);
    const isPost = request.method === 'POST' || request.mangleHead !== undefined;
    if (!isPost || request.body === undefined) return;
    for (const {userId, anonymousId} of sentEvents(request, request.body)) {
      if (isText(userId) && isText(anonymousId)) this.devices.add(anonymousId); // L4
    }
    if (outcome.kind === 'answer') this.noteAnswer(request, request.body, outcome);
    else for (const event of sentEvents(request, request.body)) this.add(event, {min: 0, max: 1});
  }

  private noteDeletion(path: string): void {
    try {
      this.deletedUsers.add(decodeURIComponent(path.slice('/v1/users/'.length)));
    } catch (error) {
      if (!(error instanceof URIError)) throw error; // A malformed escape names no user.
    }
  }

  private noteAnswer(request: HostileRequest, body: Buffer, {status, body: answered}: FuzzAnswer): void {
    if (status !== 200 && status !== 207 && status !== 503) return;
    const answer = JSON.parse(answered.toString('utf8')) as BatchAnswer;
    if (status !== 503 && answer.received === undefined) return; // An identify, or a read.
    const refusedIndexes = new Map(answer.errors?.map(({index, code}) => [index, code]));
    const isUnknown = status === 503 && answer.received === undefined;
    for (const [index, event] of sentEvents(request, body).entries()) {
      const code = isUnknown ? 'unavailable' : refusedIndexes.get(index);
      if (code === undefined) this.accept(event);
      else if (code === 'unavailable') this.add(event, {min: 0, max: 1});
    }
  }

  private accept(event: SentEvent): void {
    this.accepted += 1;
    this.add(event, {min: 1, max: 1});
  }

  private add(event: SentEvent, bounds: Bounds): void {
    const key = keyOf(event);
    if (key === undefined) return;
    const known = this.events.get(key);
    if (known === undefined) this.events.set(key, {...bounds});
    else if (isText(event.messageId))
      known.min = Math.max(known.min, bounds.min); // L1
    else {
      known.min += bounds.min;
      known.max += bounds.max;
    }
  }

  /** An event with both ids belongs to the userId alone: it stays when the other one is deleted. */
  isLeftOut(event: SentEvent): boolean {
    const {userId, anonymousId, messageId, joined} = event;
    const isDevice = !isText(userId) && isText(anonymousId) && this.devices.has(anonymousId);
    // The user may have sent the same messageId, too: then it is there once, whoever came first.
    const isJoined = joined === true && !(isText(messageId) && this.events.has(keyOf(event) ?? ''));
    if (isDevice || isJoined) return true; // L4
    const id = isText(userId) ? userId : anonymousId;
    return isText(id) && (id.startsWith(victimPrefix) || this.deletedUsers.has(id));
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Identity of an event: with a message id its user and that id. Undefined: no event that could be stored. */
export function keyOf({event, userId, anonymousId, messageId}: SentEvent): string | undefined {
  const user = isText(userId) ? ['u', userId] : isText(anonymousId) ? ['a', anonymousId] : undefined;
  if (user === undefined || !isText(event)) return undefined;
  return JSON.stringify(isText(messageId) ? [...user, messageId] : [...user, null, event]);
}

/** The events of a body as the service must read them; none if it can take none. */
function sentEvents(request: HostileRequest, body: Buffer): SentEvent[] {
  try {
    const value = JSON.parse(plain(request, body).toString('utf8')) as {events?: unknown};
    if (value === null || typeof value !== 'object') return [];
    const isBatch = request.path.includes('batch') || (Array.isArray(value.events) && !('event' in value));
    const events = isBatch ? value.events : [value];
    return Array.isArray(events) ? events.map((event: unknown) => (event ?? {}) as SentEvent) : [];
  } catch (error) {
    // No JSON, or nothing that inflates: the service may not take it, and the comparison finds it if it does.
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return [];
    throw error;
  }
}

function plain({headers}: HostileRequest, body: Buffer): Buffer {
  const encoding = headers.find(([name]) => name === 'Content-Encoding')?.[1].toLowerCase();
  const options = {maxOutputLength: 16 << 20};
  if (encoding === 'gzip') return gunzipSync(body, options);
  if (encoding === 'deflate') return inflateSync(body, options);
  return encoding === 'br' ? brotliDecompressSync(body, options) : body;
}
