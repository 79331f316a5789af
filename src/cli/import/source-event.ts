// What one line of the file means: an event to send, a blank, or a refusal that needs no server.
//   E1. The bytes of a line travel as they are: re-writing the JSON would round numbers and drop what we do not know.
//   E2. The service alone judges events. Here only what would spoil a whole batch is refused: broken JSON, a line without end.
//      Its clock has nothing to do with the import: a `sentAt` of the line is without effect.
//   E3. The same line of the same file always gets the same messageId, so that importing twice counts once.

import {isUtf8} from 'node:buffer';
import {hash} from 'node:crypto';
import {jsonOrUndefined} from '../../json.js';
import {type Line, lineBytesMax} from './lines.js';

/** The service's words for a refused event (docs/api.md, Errors); `message` is for people. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

export interface SourceEvent {
  readonly line: number;
  /** Name space and id of the user: what has the same key must arrive in the order of the file. */
  readonly userKey: string;
  /** The file's own `messageId`; null when it was derived (E3), because then it cannot repeat. */
  readonly messageId: string | null;
  /** JSON text, `messageId` included. */
  readonly json: Buffer;
}

export type LineMeaning =
  | {readonly kind: 'blank'}
  | {readonly kind: 'event'; readonly event: SourceEvent}
  | {readonly kind: 'refused'; readonly refusal: Refusal};

const blank: LineMeaning = {kind: 'blank'};
const closingBrace = 0x7d;

export function readLine(line: Line, fileHead: string): LineMeaning {
  if (line.bytes === null) return refused('event_too_large', `the line is longer than ${lineBytesMax} bytes`);
  if (!isUtf8(line.bytes)) return refused('invalid_json', 'the line is not valid UTF-8');
  const text = line.bytes.toString('utf8').trim();
  if (text === '') return blank;
  const parsed = jsonOrUndefined(text);
  if (parsed === undefined) return refused('invalid_json', 'the line is not valid JSON');
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return refused('invalid_event', 'the line is not a JSON object');
  }
  return {kind: 'event', event: toSourceEvent(line.number, text, parsed as Record<string, unknown>, fileHead)};
}

function toSourceEvent(line: number, text: string, parsed: Record<string, unknown>, fileHead: string): SourceEvent {
  const userKey = userKeyOf(parsed);
  const own = parsed.messageId;
  // A null counts as absent (docs/api.md), and of equal keys the last one wins.
  const unsent = parsed.sentAt === undefined || parsed.sentAt === null ? [] : ['"sentAt":null'];
  // What is no text either goes as it is: the service refuses it and names the field.
  if (own !== undefined && own !== null) {
    return {line, userKey, messageId: typeof own === 'string' ? own : null, json: withMembers(text, unsent, false)};
  }
  const hasTime = parsed.timestamp !== undefined && parsed.timestamp !== null;
  const id = derivedMessageId(line, text, hasTime ? '' : fileHead);
  return {
    line,
    userKey,
    messageId: null,
    json: withMembers(text, [...unsent, `"messageId":"${id}"`], Object.keys(parsed).length === 0),
  };
}

function userKeyOf(parsed: Record<string, unknown>): string {
  if (typeof parsed.userId === 'string') return `u:${parsed.userId}`;
  return typeof parsed.anonymousId === 'string' ? `a:${parsed.anonymousId}` : '';
}

/**
 * 128 bits of SHA-256 over line number, content and, for a line without a time of its own, the head of the file.
 * An event with its time is told by itself and its place: mending another line or appending to the file must not make
 * all of them count again. Without a time equal lines of different files are common, and the head tells the files apart.
 */
function derivedMessageId(line: number, text: string, fileHead: string): string {
  return `import-${hash('sha256', `${fileHead}\n${line}\n${text}`, 'base64url').slice(0, 22)}`;
}

/** Last, because of equal keys the last one wins: a `"messageId":null` further left stays without effect. */
function withMembers(text: string, members: readonly string[], isEmpty: boolean): Buffer {
  const end = text.length - 1;
  if (text.charCodeAt(end) !== closingBrace) throw new Error('an object ends in a brace');
  if (members.length === 0) return Buffer.from(text);
  return Buffer.from(`${text.slice(0, end)}${isEmpty ? '' : ','}${members.join()}}`);
}

function refused(code: string, message: string): LineMeaning {
  return {kind: 'refused', refusal: {code, message}};
}
