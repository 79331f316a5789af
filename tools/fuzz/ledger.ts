// Events that the service took, by its own answers: afterwards each must be stored that often.
//   L1. An event that was answered as taken is stored; with a message id once, however often it was sent.
//   L2. An event whose request got no answer may be stored or not, as often as it was sent.
//   L3. Nothing else is stored. Deleted users, the victims of deletions, and all who are named in a request of a library of another
//       service are left out on both sides; so are visitors, whom the service names.
//   L4. An event with an anonymousId alone belongs to the user that was named beside it, if only one was, was taken and was not
//       deleted.
//   L5. Otherwise its user depends on the order of requests that were sent at once or had no answer: events with such an
//       anonymousId alone are left out.
import {brotliDecompressSync, gunzipSync, inflateSync} from 'node:zlib';
import type {FuzzAnswer, Outcome} from './connection.js';
import type {HostileRequest} from './request.js';
import {isLibraryPath, victimPrefix} from './templates.js';

interface SentEvent {
  readonly event?: unknown;
  readonly userId?: unknown;
  readonly anonymousId?: unknown;
  readonly messageId?: unknown;
  /** Set as history shows it. */
  readonly joined?: true;
}

/** Least and greatest number of times that an event may be stored. */
export interface Bounds {
  min: number;
  max: number;
}

interface BatchAnswer {
  readonly status?: string;
  readonly received?: number;
  readonly errors?: readonly {readonly index: number; readonly code: string}[];
  readonly id?: string;
  readonly userId?: string;
  readonly deletion?: object;
}

export class Ledger {
  readonly events = new Map<string, Bounds>();
  readonly deletedUsers = new Set<string>();
  /** Users that any request named beside an anonymousId. */
  private readonly namedWith = new Map<string, Set<string>>();
  /** AnonymousIds of which a request with a user was taken. */
  private readonly joined = new Set<string>();
  /** Events answered as taken, copies included. */
  accepted = 0;

  note(request: HostileRequest, outcome: Outcome): void {
    if (request.method === 'DELETE' && request.path.startsWith('/v1/users/')) this.noteDeletion(request.path);
    if (request.method === 'GET' && isLibraryPath(request.path))
      for (const id of idsInText(request.query)) this.deletedUsers.add(id); // L3
    const isPost = request.method === 'POST' || request.mangleHead !== undefined;
    if (!isPost || request.body === undefined) return;
    if (isLibraryPath(request.path)) {
      for (const id of idsInText(request.body.toString())) this.deletedUsers.add(id); // L3
      return;
    }
    for (const {userId, anonymousId} of sentEvents(request, request.body)) {
      if (isText(userId) && isText(anonymousId)) this.noteNaming(userId, anonymousId);
    }
    if (outcome.kind === 'answer') this.noteAnswer(request, request.body, outcome);
    else for (const event of sentEvents(request, request.body)) this.add(event, {min: 0, max: 1});
  }

  private noteNaming(userId: string, anonymousId: string): void {
    const users = this.namedWith.get(anonymousId);
    if (users === undefined) this.namedWith.set(anonymousId, new Set([userId]));
    else users.add(userId);
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
    if (status !== 503 && answer.received === undefined) {
      if (answer.userId !== undefined) for (const identify of sentEvents(request, body)) this.noteJoined(identify);
      return; // An identify, or a read.
    }
    const refusedIndexes = new Map(answer.errors?.map(({index, code}) => [index, code]));
    const isUnknown = status === 503 && answer.received === undefined;
    for (const [index, event] of sentEvents(request, body).entries()) {
      const code = isUnknown ? 'unavailable' : refusedIndexes.get(index);
      if (code === undefined) this.accept(event);
      else if (code === 'unavailable') this.add(event, {min: 0, max: 1});
    }
  }

  private noteJoined({userId, anonymousId}: SentEvent): void {
    if (isText(userId) && isText(anonymousId)) this.joined.add(anonymousId);
  }

  private accept(event: SentEvent): void {
    this.accepted += 1;
    this.noteJoined(event);
    this.add(event, {min: 1, max: 1});
  }

  private add(event: SentEvent, bounds: Bounds): void {
    const key = keyOf(event);
    if (key === undefined) return;
    merge(this.events, key, bounds);
  }

  /** Expected events by the user that has them once all have joined. L4 */
  expected(): Map<string, Bounds> {
    const expected = new Map<string, Bounds>();
    for (const [key, bounds] of this.events) {
      const [kind, id, ...rest] = JSON.parse(key) as string[];
      const owner = kind === 'a' ? this.ownerOf(id!) : undefined;
      merge(expected, owner === undefined ? key : JSON.stringify(['u', owner, ...rest]), bounds);
    }
    return expected;
  }

  /** The user of an anonymousId; undefined: none, or an unknown one. L4 */
  private ownerOf(anonymousId: string): string | undefined {
    const [user, ...others] = this.namedWith.get(anonymousId) ?? [];
    const isSure = others.length === 0 && this.joined.has(anonymousId) && !this.isDeleted(anonymousId);
    return isSure ? user : undefined;
  }

  private isDeleted = (id: string): boolean =>
    id.startsWith(victimPrefix) || visitorId.test(id) || this.deletedUsers.has(id);

  /** An event with both ids belongs to the userId alone: it stays when the other one is deleted. */
  isLeftOut(event: SentEvent): boolean {
    const {userId, anonymousId, messageId, joined} = event;
    const id = isText(userId) ? userId : anonymousId;
    if (isText(id) && this.isDeleted(id)) return true;
    if (!isText(anonymousId) || !this.namedWith.has(anonymousId)) return false;
    const owner = this.ownerOf(anonymousId);
    if (isText(userId) && joined !== true) return false;
    if (owner !== undefined) return this.isDeleted(owner);
    // The user may have sent the same messageId, too: then it is there once, whoever came first.
    return joined !== true || !(isText(messageId) && this.events.has(keyOf(event) ?? '')); // L5
  }
}

function merge(events: Map<string, Bounds>, key: string, {min, max}: Bounds): void {
  const known = events.get(key);
  const hasMessageId = (JSON.parse(key) as (string | null)[])[2] !== null;
  if (known === undefined) events.set(key, {min, max});
  else if (hasMessageId)
    known.min = Math.max(known.min, min); // L1
  else {
    known.min += min;
    known.max += max;
  }
}

const visitorId = /^v_[\w-]{22}$/;

/** All that may be an id in the body of a library, whatever its form. */
function idsInText(body: string): string[] {
  const data = new URLSearchParams(body).get('data') ?? '';
  const texts = [body, data, Buffer.from(data.replaceAll(' ', '+'), 'base64').toString()];
  return texts.flatMap((text) =>
    [
      ...text.matchAll(
        /"(?:userId|anonymousId|previousId|id|profileId|\$?distinct_id|\$device_id|\$anon_distinct_id|alias|user_id|device_id)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/g,
      ),
    ].flatMap(([, id]) => {
      const value = jsonOf(id!);
      // To some vendors the prefix is none.
      return value === undefined ? [] : [String(value), String(value).replace(/^\$device:/, '')];
    }),
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // The service does not read it either.
    throw error;
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
