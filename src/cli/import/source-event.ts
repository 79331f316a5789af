// Meaning of one line of the file: entries to send, nothing, or a refusal that needs no server.
//   E1. The bytes of an event are sent unchanged: serialising the JSON again would round numbers and drop unknown fields.
//   E2. Only the service judges events. The import refuses only lines that would spoil a whole batch: broken JSON, a line that
//       is too long. A line's `sentAt` has no effect: its clock is not that of the import.
//   E3. A line of a file always gets the same messageId, so that a repeated import counts once.
//   E4. Lines of an export are taken back: a `profile` becomes an identify call with its traits, as of `created_at`, so that the
//       user is as old as before and newer traits win. The `end` of an export is no event.
//   E5. A line of another service's export is translated (vendor-formats.ts): it becomes several entries, one, or none. What
//       E1 says does not hold for it: it is written as JSON again.

import {isUtf8} from 'node:buffer';
import {hash} from 'node:crypto';
import {parseTimestamp} from '../../../actors/log/timestamp.js';
import {jsonOrUndefined} from '../../json.js';
import {type Line, lineBytesMax} from './line.js';
import {translateLine, type VendorFormat} from './vendor-formats.js';

/** A refused event in the service's words (docs/api/errors.md); `message` is for people. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

export interface SourceEvent {
  /** The request that takes the line: one of many events in a batch, or a call of its own. */
  readonly call: 'event' | 'identify';
  readonly line: number;
  /** Name space and id of the user: events with the same key must arrive in the order of the file. */
  readonly userKey: string;
  /** The file's own `messageId`; null when it was derived (E3) and therefore cannot repeat. */
  readonly messageId: string | null;
  /** JSON text, `messageId` included. */
  readonly json: Buffer;
  /** Of an identify call that joins nobody; absent: its place among the others matters, or is not known not to. */
  readonly traits?: TraitsAtTime;
}

/** Traits count by their time, whatever the order in which they arrive. */
export interface TraitsAtTime {
  /** Equal for calls that set the same traits of the same user. */
  readonly key: string;
  readonly timeMs: number;
}

export type LineMeaning =
  | {readonly kind: 'blank'}
  /** Accepted once all entries are. `call`: its kind, in the words of its service. */
  | {
      readonly kind: 'sent';
      readonly call: string;
      readonly entries: readonly SourceEvent[];
      readonly ignored: readonly string[];
    }
  /** A call that has no place here. E5 */
  | {readonly kind: 'left_out'; readonly call: string; readonly ignored: readonly string[]}
  | {readonly kind: 'refused'; readonly refusal: Refusal};

const blank: LineMeaning = {kind: 'blank'};
const closingBrace = 0x7d;

/** `format`: of another service's export; absent: lines are as `POST /v1/events` takes them, or of our export. */
export function readLine(line: Line, fileHead: string, format?: VendorFormat): LineMeaning {
  if (line.fault !== undefined) return refused('invalid_csv', line.fault);
  if (line.bytes === null) return refused('event_too_large', `the line is longer than ${lineBytesMax} bytes`);
  if (!isUtf8(line.bytes)) return refused('invalid_json', 'the line is not valid UTF-8');
  const text = line.bytes.toString('utf8').trim();
  if (text === '') return blank;
  const parsed = jsonOrUndefined(text);
  if (parsed === undefined) return refused('invalid_json', 'the line is not valid JSON');
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return refused('invalid_event', 'the line is not a JSON object');
  }
  const members = parsed as Record<string, unknown>;
  if (format !== undefined) return vendorLine(line.number, text, members, format);
  if (members.end === true && !('event' in members)) return blank; // E4
  if (isObject(members.profile) && !('event' in members)) return profileLine(line.number, text, members.profile);
  return sent(toSourceEvent(line.number, text, members, fileHead));
}

const nothingIgnored: readonly string[] = [];
const sent = (entry: SourceEvent): LineMeaning => ({
  kind: 'sent',
  call: entry.call,
  entries: [entry],
  ignored: nothingIgnored,
});

/** E5. Of the entries of one line the first has the line's own messageId: a line repeats another one once. */
function vendorLine(line: number, text: string, members: Record<string, unknown>, format: VendorFormat): LineMeaning {
  const translation = translateLine(text, members, format);
  if ('code' in translation) return {kind: 'refused', refusal: translation};
  const {kind: call, native, ignored} = translation;
  if (native.length === 0) return {kind: 'left_out', call, ignored};
  // An event with both ids joins them: the traits of its line need not.
  const joining = native.find(({kind, value}) => kind === 'event' && value.anonymousId !== undefined)?.value;
  const entries = native.map(({kind, value}, at): SourceEvent => {
    const {messageId: own, anonymousId, ...rest} = value;
    const messageId = own ?? derivedMessageId(line, text, at === 0 ? '' : String(at)); // E3
    const joins =
      anonymousId !== undefined &&
      (kind === 'event' || anonymousId !== joining?.anonymousId || rest.userId !== joining.userId);
    return {
      call: kind,
      line,
      userKey: userKeyOf(value),
      messageId: at === 0 && typeof own === 'string' ? own : null,
      json: Buffer.from(JSON.stringify({...rest, ...(joins && {anonymousId}), messageId})),
      ...(kind === 'identify' && !joins && {traits: traitsAtTime(rest)}),
    };
  });
  return {kind: 'sent', call, entries, ignored};
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An identify call. The service judges its fields. E2, E4 */
function profileLine(line: number, text: string, profile: Record<string, unknown>): LineMeaning {
  const {id, traits, created_at: timestamp} = profile;
  if (profile.kind === 'anonymous') return blank; // Traits are of known users alone; the events name the anonymous one.
  const messageId = derivedMessageId(line, text, '');
  const json = Buffer.from(JSON.stringify({userId: id, traits, timestamp, messageId}));
  return sent({call: 'identify', line, userKey: userKeyOf({userId: id}), messageId: null, json});
}

function toSourceEvent(line: number, text: string, parsed: Record<string, unknown>, fileHead: string): SourceEvent {
  const userKey = userKeyOf(parsed);
  const own = parsed.messageId;
  // A null counts as absent (docs/api/events.md); of equal keys the last one counts.
  const unsent = parsed.sentAt === undefined || parsed.sentAt === null ? [] : ['"sentAt":null'];
  // A value that is no text is sent, too: the service refuses it and names the field.
  if (own !== undefined && own !== null) {
    return {
      call: 'event',
      line,
      userKey,
      messageId: typeof own === 'string' ? own : null,
      json: withMembers(text, unsent, false),
    };
  }
  const hasTime = parsed.timestamp !== undefined && parsed.timestamp !== null;
  const id = derivedMessageId(line, text, hasTime ? '' : fileHead);
  return {
    call: 'event',
    line,
    userKey,
    messageId: null,
    json: withMembers(text, [...unsent, `"messageId":"${id}"`], Object.keys(parsed).length === 0),
  };
}

const traitsAtTime = ({userId, traits, traitsOnce, timestamp}: {readonly [field: string]: unknown}): TraitsAtTime => ({
  key: JSON.stringify([userId, traits, traitsOnce]),
  timeMs: parseTimestamp(String(timestamp)),
});

function userKeyOf(parsed: {readonly [field: string]: unknown}): string {
  if (typeof parsed.userId === 'string') return `u:${parsed.userId}`;
  return typeof parsed.anonymousId === 'string' ? `a:${parsed.anonymousId}` : '';
}

/**
 * 128 bits of SHA-256 over line number, content and, for a line without a time of its own, the head of the file. An event with
 * a time is identified by itself and its line number, so that an edit of another line, or an appended line, does not make all
 * events count again. Without a time equal lines of different files are common, and the head tells the files apart.
 */
function derivedMessageId(line: number, text: string, fileHead: string): string {
  return `import-${hash('sha256', `${fileHead}\n${line}\n${text}`, 'base64url').slice(0, 22)}`;
}

/** Appends members at the end: of equal keys the last one counts, so an earlier `"messageId":null` has no effect. */
function withMembers(text: string, members: readonly string[], isEmpty: boolean): Buffer {
  const end = text.length - 1;
  if (text.charCodeAt(end) !== closingBrace) throw new Error('an object ends in a brace');
  if (members.length === 0) return Buffer.from(text);
  return Buffer.from(`${text.slice(0, end)}${isEmpty ? '' : ','}${members.join()}}`);
}

function refused(code: string, message: string): LineMeaning {
  return {kind: 'refused', refusal: {code, message}};
}
