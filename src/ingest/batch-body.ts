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
  /** JSON of each event, unchecked (BB3); undefined: `events` is no array. */
  readonly events: readonly Buffer[] | undefined;
  /** Undefined: absent. */
  readonly sentAt: unknown;
  /** Names of other fields. */
  readonly ignored: ReadonlySet<string>;
}

/** What is wrong with a body. */
export type NoBatchBody = {readonly kind: 'not_json'} | {readonly kind: 'no_object' | 'too_many' | 'too_many_fields'};

export function readBatchBody(bytes: Buffer): BatchBody | NoBatchBody {
  if (!isUtf8(bytes)) return {kind: 'not_json'};
  const members = new ObjectMembers(bytes);
  if (members.peek() !== token.openBrace) return {kind: isJson(bytes) ? 'no_object' : 'not_json'};
  const ignored = new Set<string>();
  let events: Buffer[] | undefined;
  let sentAt: unknown;
  let isTooLong = false;
  let fields = 0;
  const isObject = members.takeAll((key) => {
    fields += 1;
    if (fields > objectKeysMax) return false;
    if (key === 'events' && events?.every(isJson) === false) return false; // Named twice: the last one counts, the first is read by nobody.
    if (key === 'events' && members.take(token.openBracket)) {
      events = takeEvents(members);
      isTooLong = events !== undefined && events.length > batchEventsMax;
      return events !== undefined && !isTooLong;
    }
    const raw = members.takeRaw();
    const value = raw.length > parsedBytesMax ? (isJson(raw) ? long : undefined) : parseJson(raw);
    if (key === 'events') events = undefined;
    else if (key === 'sentAt') sentAt = value;
    else ignored.add(key);
    return value !== undefined;
  });
  if (isTooLong) return {kind: 'too_many'}; // BB1
  if (fields > objectKeysMax) return {kind: 'too_many_fields'};
  if (!isObject || members.peek() !== undefined) return {kind: 'not_json'};
  return {kind: 'body', events, sentAt, ignored};
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
