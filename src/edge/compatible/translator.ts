// What a vendor's file says about its calls, and the readings that vendors share.
import {isoText} from '../../../actors/calendar.js';
import {messageIdCharsMax} from '../../../actors/limits.js';
import type {NativeCall} from '../../ingest/mixed-entries.js';
import type {Refusal} from '../../ingest/refusals.js';
import {isJsonObject} from '../../ingest/validate.js';
import type {RefusalForm} from '../failure.js';

/** One call of a library, as JSON.parse returned it. */
export type Call = {readonly [field: string]: unknown};

/** What a route says about the calls of its requests. It is sent to the worker for large bodies. */
export interface CallForm {
  /** Name in `translators.ts`. */
  readonly vendor: string;
  /** Kind of every call, where the path names it. */
  readonly kind?: string;
  /** Calls of the past: `sentAt` says nothing about them. */
  readonly isImport?: true;
}

/** Who sent calls that name nobody. It is sent to the worker for large bodies. */
export interface Nameless {
  /** See `visitorOf`; undefined: the service has no salt for it now. */
  readonly visitor: Uint8Array | undefined;
  /** The key in the head of the request, as it was sent; undefined: it is in the body. */
  readonly key: string | undefined;
}

/** What surrounds a call. */
export interface CallRequest extends Omit<CallForm, 'vendor'> {
  /** Fields of the body beside the list of calls. */
  readonly fields: ReadonlyMap<string, unknown>;
}

/** What a call becomes. */
export interface Translation {
  /** Its kind, one of the translator's. */
  readonly kind: string;
  readonly native: readonly NativeCall[];
  /** Fields that have no place here. */
  readonly ignored: readonly string[];
}

/** What a translator may say in the answer to a request. */
export interface TakenRequest {
  /** Kind of every call, where the path names it. */
  readonly kind: string | undefined;
  /** Of its query, and of a form beside the calls; form-encoded. */
  readonly parameters: string;
  /** Calls that were not refused. */
  readonly callCount: number;
  /** Bytes of the body, decompressed. */
  readonly bodyBytes: number;
  /** Time of the answer, epoch ms. */
  readonly nowMs: number;
}

export interface LibraryAnswer {
  readonly status: string;
  /** JSON, unless it says otherwise. */
  readonly contentType?: string;
  readonly body: string;
}

export interface Translator {
  /** Field of a body with the list of its calls; a body without a list, or of a vendor without such a field, is one call. */
  readonly listName?: string;
  /** Kinds of calls, for counts. */
  readonly kinds: readonly string[];
  /** Fields of a body, beside the list, that have a use or belong to the envelope. */
  readonly bodyFields: ReadonlySet<string>;
  /** An event that names nobody is of a visitor (src/keys/visitor-id.ts). */
  readonly hasVisitors?: true;
  /** The key in a body or a call, as it was sent. */
  readonly keyOf: (field: (name: string) => unknown) => unknown;
  readonly translate: (call: Call, request: CallRequest) => Translation | Refusal;
  /** Fields that a body of its libraries has: where vendors share a path, they tell whose it is. */
  readonly marks?: readonly string[];
  /** The answer once all valid calls are on disk. */
  readonly taken: (request: TakenRequest) => LibraryAnswer;
  /** Absent: refusals are those of the API (docs/api/errors.md). */
  readonly refusalForm?: RefusalForm;
}

/** An answer of 200 with this JSON. */
export const answerOf = (body: string): LibraryAnswer => ({status: '200 OK', body});

/** The first value that is there: neither absent, null nor an empty text. */
export function given(...values: readonly unknown[]): unknown {
  return values.find((value) => value !== undefined && value !== null && value !== '');
}

/** An id as a text; undefined: absent. An integer that a double may have changed stays a number, which no id may be. */
export function idOf(...values: readonly unknown[]): unknown {
  const id = given(...values);
  return Number.isSafeInteger(id) ? String(id) : id;
}

const secondsMax = 1e11;

/** A time as native calls have it; undefined: absent. */
export function timeOf(...values: readonly unknown[]): unknown {
  const time = given(...values);
  if (typeof time !== 'number') return time;
  const timeMs = Math.round(Math.abs(time) > secondsMax ? time : time * 1_000);
  return Math.abs(timeMs) <= dateMsMax ? isoText(timeMs) : time;
}

/** The last time that a date can be, ECMA-262. */
const dateMsMax = 8.64e15;

/** The fields that have a value: an absent field is not there. */
export function fieldsOf(fields: Call): Call {
  const present: Record<string, unknown> = {};
  for (const name in fields) {
    if (name === '__proto__') return fields; // The validator refuses it.
    if (fields[name] !== undefined && fields[name] !== null) present[name] = fields[name];
  }
  return present;
}

/** The object that a field has, or none. */
export const objectOf = (value: unknown): Call => (isJsonObject(value) ? value : noFields);
const noFields: Call = {};

/** Whether a field has something: neither absent nor an empty object. What is no object counts: the validator refuses it. */
export const hasSome = (value: unknown): boolean =>
  given(value) !== undefined && !(isJsonObject(value) && Object.keys(value).length === 0);

/** Traits that are set once: `null` sets none. */
export const onceOf = (traits: unknown): unknown => (isJsonObject(traits) ? fieldsOf(traits) : traits);

/** `fields` without those of these names. What is no object is left to the validator. */
export function without(fields: unknown, names: ReadonlySet<string>): unknown {
  if (!isJsonObject(fields)) return fields;
  const left: Record<string, unknown> = {};
  for (const name in fields) {
    if (name === '__proto__') return fields; // The validator refuses it.
    if (!names.has(name)) left[name] = fields[name];
  }
  return left;
}

/** Names of fields without a use that have a value, each after `prefix`. */
export function namesWithoutUse(fields: Call, used: ReadonlySet<string>, prefix = ''): readonly string[] {
  let ignored: string[] | undefined;
  for (const name in fields) {
    if (used.has(name) || given(fields[name]) === undefined) continue;
    ignored ??= [];
    ignored.push(prefix + name);
  }
  return ignored ?? nothing;
}
const nothing: readonly string[] = [];

/** Message id of the entry number `at` of its kind that a call becomes: with that of the first it would be its copy. */
export function messageIdOf(messageId: unknown, at: number): unknown {
  if (at === 0 || typeof messageId !== 'string') return messageId;
  const id = `${messageId}/${at + 1}`;
  return id.length <= messageIdCharsMax ? id : undefined;
}

export const eventOf = (value: Call): NativeCall => ({kind: 'event', value: fieldsOf(value)});
export const identifyOf = (value: Call): NativeCall => ({kind: 'identify', value: fieldsOf(value)});

/** What a library knows about the page and itself, in the words of `context` (docs/clients.md). */
export interface WebFields {
  readonly url?: unknown;
  readonly path?: unknown;
  readonly title?: unknown;
  readonly referrer?: unknown;
  readonly library?: unknown;
  readonly version?: unknown;
}

/** The context with these fields; undefined: there are none. */
export function webContext({url, path, title, referrer, library, version}: WebFields): Call | undefined {
  const page = textsOf({path: path ?? pathOf(url), url, title, referrer});
  const ofLibrary = textsOf({name: library, version});
  if (page === undefined) return ofLibrary && {library: ofLibrary};
  return {page, ...(ofLibrary && {library: ofLibrary})};
}

function textsOf(fields: Call): Call | undefined {
  const texts: Record<string, unknown> = {};
  for (const name in fields) if (typeof fields[name] === 'string' && fields[name] !== '') texts[name] = fields[name];
  return Object.keys(texts).length === 0 ? undefined : texts;
}

const pathOf = (url: unknown): string | undefined =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url).pathname : undefined;

/** `more` where `properties` have no value of that name. What is no object is left to the validator. */
export function withMore(properties: unknown, more: Call): unknown {
  if (properties !== undefined && properties !== null && !isJsonObject(properties)) return properties;
  const known = properties ?? {};
  const missing = Object.entries(fieldsOf(more)).filter(([name]) => !Object.hasOwn(known, name));
  return missing.length === 0 ? properties : {...known, ...Object.fromEntries(missing)};
}
