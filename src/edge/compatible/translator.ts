// What a vendor's file says about its calls, and the readings that vendors share.
import {isoText} from '../../../actors/calendar.js';
import type {NativeCall} from '../../ingest/mixed-entries.js';
import type {Refusal} from '../../ingest/refusals.js';
import {isJsonObject} from '../../ingest/validate.js';

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

export interface Translator {
  /** Field of a body with the list of its calls; a body without a list is one call. */
  readonly listName: string;
  /** Kinds of calls, for counts. */
  readonly kinds: readonly string[];
  /** Fields of a body, beside the list, that have a use or belong to the envelope. */
  readonly bodyFields: ReadonlySet<string>;
  /** The key in a body or a call, as it was sent. */
  readonly keyOf: (field: (name: string) => unknown) => unknown;
  readonly translate: (call: Call, request: CallRequest) => Translation | Refusal;
}

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
  for (const name in fields) if (fields[name] !== undefined && fields[name] !== null) present[name] = fields[name];
  return present;
}

/** `more` where `properties` have no value of that name. What is no object is left to the validator. */
export function withMore(properties: unknown, more: Call): unknown {
  if (properties !== undefined && properties !== null && !isJsonObject(properties)) return properties;
  const known = properties ?? {};
  const missing = Object.entries(fieldsOf(more)).filter(([name]) => !Object.hasOwn(known, name));
  return missing.length === 0 ? properties : {...known, ...Object.fromEntries(missing)};
}
