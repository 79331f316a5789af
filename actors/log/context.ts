// The context of an event, in pieces: what reports ask by has a pair of its own among the event's properties, so that it gets a column;
// the rest is one JSON text (grammar: entries.ts).
//   CX1. A member with one of these paths never stands in the rest, whatever its value: an event without the pair has no such member.
//   CX2. The pieces make the context that was sent, but for the order of its members.
import {wtf8} from '../bytes/bytes.js';
import {assert} from '../invariant.js';
import {contextMembersMax} from '../limits.js';
import type {Json} from './json.js';

/** First byte of the keys of the context: one that occurs in no UTF-8 and no WTF-8. The rest has it alone, a member its path behind it. */
export const contextKeyByte = 0xff;
export const contextKey = Uint8Array.of(contextKeyByte);

/** Paths of members with a pair: what web analytics is asked by (docs/api/events.md, Pages). */
export const contextMembers: readonly string[] = [
  'page.path',
  'referrer.host',
  'campaign.source',
  'campaign.medium',
  'campaign.name',
  'campaign.term',
  'campaign.content',
  'browser.name',
  'browser.version',
  'os.name',
  'device.type',
  'bot',
  'location.country',
  'locale',
  'session.start',
  'library.name',
];

assert(contextMembers.length === contextMembersMax, 'an entry has room for all pairs of a context');

/** Key of the pair of each member, by its path. */
export const contextMemberKeys: ReadonlyMap<string, Uint8Array> = new Map(
  contextMembers.map((path) => [path, Uint8Array.of(contextKeyByte, ...wtf8(path))]),
);

/** An object of the context, as the client sent it. */
export type Context = {readonly [key: string]: Json};

/** Keys of the members inside an object of the context, by their names; of one that is no object, the key alone. */
const memberKeysOf = new Map<string, Uint8Array | Map<string, Uint8Array>>();
for (const [path, key] of contextMemberKeys) {
  const [head = '', name] = path.split('.');
  if (name === undefined) memberKeysOf.set(head, key);
  else {
    const inside = (memberKeysOf.get(head) ?? new Map<string, Uint8Array>()) as Map<string, Uint8Array>;
    memberKeysOf.set(head, inside.set(name, key));
  }
}

/** Key and value of the pair of each member. */
export type Members = readonly (readonly [key: Uint8Array, value: Json])[];
type MemberList = (readonly [key: Uint8Array, value: Json])[];

export interface ContextPieces {
  /** Undefined: there is none. */
  readonly rest: Context | undefined;
  readonly members: Members;
}

const isObject = (value: Json | undefined): value is {[key: string]: Json} =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** CX1. An empty context is a rest without members. `context` has no key `__proto__`: validation refuses it. */
export function splitContext(context: Context): ContextPieces {
  const members: MemberList = [];
  let rest: Record<string, Json> | undefined;
  for (const name in context) {
    const value = context[name];
    const keys = memberKeysOf.get(name);
    const left =
      keys === undefined
        ? value
        : keys instanceof Uint8Array
          ? taken(members, keys, value)
          : isObject(value)
            ? splitMembers(value, keys, members)
            : value;
    if (left !== undefined) (rest ??= {})[name] = left;
  }
  return {members, rest: members.length === 0 ? (rest ?? {}) : rest};
}

function taken(members: MemberList, key: Uint8Array, value: Json): undefined {
  members.push([key, value]);
}

/** What is left of an object of the context; undefined: all of it has pairs. */
function splitMembers(value: Context, keys: ReadonlyMap<string, Uint8Array>, members: MemberList): Json | undefined {
  const before = members.length;
  let left: Record<string, Json> | undefined;
  for (const name in value) {
    const key = keys.get(name);
    if (key === undefined) (left ??= {})[name] = value[name];
    else members.push([key, value[name]]);
  }
  return members.length === before ? value : left;
}

/** Compact JSON of the context. `restJson`: of the rest, if there is one; `members`: path and value of each. CX2 */
export function joinContext(restJson: string | undefined, members: readonly (readonly [string, Json])[]): string {
  if (members.length === 0 && restJson !== undefined) return restJson;
  const context = JSON.parse(restJson ?? '{}') as {[key: string]: Json};
  for (const [path, value] of members) {
    const [head = '', name] = path.split('.');
    if (name === undefined) context[head] = value;
    else {
      const inside = context[head];
      if (isObject(inside)) inside[name] = value;
      else context[head] = {[name]: value};
    }
  }
  return JSON.stringify(context);
}
