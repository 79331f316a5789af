// The fields of a batch body, found in its bytes: 9 kB of gzip may hold three million events, and JSON.parse of all at once takes
// seconds of CPU, most of it for collecting garbage.
//   BB1. Events are counted while they are found: one above `batchEventsMax` ends the walk, and what follows is not read. So does one
//        field above `objectKeysMax`.
//   BB2. Each event is parsed by itself (batch.ts), and what it left is garbage before the next one.
//   BB3. A body is JSON if and only if it is for JSON.parse: this walk checks what stands around events, JSON.parse each event.
//   BB4. A value that is ignored is checked and not parsed, unless it is so short that parsing is faster.
import {isUtf8} from 'node:buffer';
import {batchEventsMax, objectKeysMax} from '../../actors/limits.js';
import {token} from './json-scanner.js';
import {isJson} from './json-syntax.js';
import {parseJson} from './json-text.js';
import {ObjectMembers} from './object-members.js';

/** Longer values are checked without being parsed. BB4 */
const parsedBytesMax = 4 * 1024;

export interface BatchBody {
  readonly kind: 'body';
  /** JSON of each event, unchecked (BB3); undefined: the list is no array. */
  readonly events: readonly Buffer[] | undefined;
  /** The other fields, by name. The value of a long one is unknown. */
  readonly fields: ReadonlyMap<string, unknown>;
}

/** What is wrong with a body. */
export type NoBatchBody = {readonly kind: 'not_json'} | {readonly kind: 'no_object' | 'too_many' | 'too_many_fields'};

/** `listName`: the field with the events. */
export function readBatchBody(bytes: Buffer, listName = 'events'): BatchBody | NoBatchBody {
  if (!isUtf8(bytes)) return {kind: 'not_json'};
  const members = new ObjectMembers(bytes);
  if (members.peek() !== token.openBrace) return {kind: isJson(bytes) ? 'no_object' : 'not_json'};
  const fields = new Map<string, unknown>();
  let events: Buffer[] | undefined;
  let isTooLong = false;
  let fieldCount = 0;
  const isObject = members.takeAll((key) => {
    fieldCount += 1;
    if (fieldCount > objectKeysMax) return false;
    if (key === listName && events?.every(isJson) === false) return false; // Named twice: the last one counts, the first is read by nobody.
    if (key === listName && members.take(token.openBracket)) {
      events = takeEvents(members);
      isTooLong = events !== undefined && events.length > batchEventsMax;
      return events !== undefined && !isTooLong;
    }
    const raw = members.takeRaw();
    const value = raw.length > parsedBytesMax ? (isJson(raw) ? long : undefined) : parseJson(raw);
    if (key === listName) events = undefined;
    else fields.set(key, value);
    return value !== undefined;
  });
  if (isTooLong) return {kind: 'too_many'}; // BB1
  if (fieldCount > objectKeysMax) return {kind: 'too_many_fields'};
  if (!isObject || members.peek() !== undefined) return {kind: 'not_json'};
  return {kind: 'body', events, fields};
}

/** Reads a body that is an array of events, and has no other field. */
export function readListBody(bytes: Buffer): BatchBody | NoBatchBody {
  if (!isUtf8(bytes)) return {kind: 'not_json'};
  const members = new ObjectMembers(bytes);
  if (!members.take(token.openBracket)) return {kind: 'not_json'};
  const events = takeEvents(members);
  if (events !== undefined && events.length > batchEventsMax) return {kind: 'too_many'}; // BB1
  return events === undefined || members.peek() !== undefined
    ? {kind: 'not_json'}
    : {kind: 'body', events, fields: new Map()};
}

/** Stands for a value that was not parsed: no field of a batch accepts it. */
const long: object = {};

/** Takes the rest of an array, up to one event more than a batch may have. Undefined: it is not JSON. */
function takeEvents(members: ObjectMembers): Buffer[] | undefined {
  const events: Buffer[] = [];
  if (members.take(token.closeBracket)) return events;
  do events.push(members.takeRaw());
  while (events.length <= batchEventsMax && members.take(token.comma));
  return events.length > batchEventsMax || members.take(token.closeBracket) ? events : undefined;
}
