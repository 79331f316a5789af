// Versions of what clients edit (what people keep, hidden names, options of keys), and changes of definitions that depend on the
// version that a client read.
//   IM1. A version is a hash of what clients edit, and of whether it is paused or disabled. What the service measures is no part of it,
//        nor are secrets. Every process derives the same one, also after a bucket lost its last changes.
//   IM2. With If-Match a change is made to one of these versions alone. Without it, to whatever there is.
import {createHash} from 'node:crypto';
import type {Definition} from '../../kept/definition.js';
import type {Definitions} from '../../kept/kept-store.js';
import {type Failure, type Header, invalidRequest, RequestFailure} from '../failure.js';
import type {Exchange} from '../http/exchange.js';

/** 132 bits in base64url. */
const versionChars = 22;

/** `edited`: in an order that never changes. IM1 */
export const versionOf = (edited: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(edited)).digest('base64url').slice(0, versionChars);

export const etagOf = (version: string): Header => ['ETag', `"${version}"`];

const tag = '(?:W/)?"[!#-~]*"';
const tagListPattern = new RegExp(`^[\\t ,]*(?:${tag}[\\t ]*(?:,[\\t ,]*|$))+$`);
const opaqueTags = /"[!#-~]*"/g;

/**
 * The tags of an If-Match without `W/`: a proxy that compresses may have made a tag a weak one, it counts as the same. Empty elements
 * of the list are ignored (RFC 9110, 5.6.1). Undefined: the text is no list of tags.
 */
export const tagsOf = (text: string): ReadonlySet<string> | undefined =>
  tagListPattern.test(text) ? new Set(text.match(opaqueTags)) : undefined;

const noTag = invalidRequest('If-Match must be the ETag of the answer that was read, in its quotes, or *', 'If-Match');

/** Whether the client means a version; undefined: any. IM2 */
type MeantVersion = ((version: string) => boolean) | undefined;

/** @throws RequestFailure */
export function meantVersion({ifMatch}: Pick<Exchange, 'ifMatch'>): MeantVersion {
  const text = ifMatch?.trim();
  if (text === undefined || text === '*') return undefined;
  const tags = tagsOf(text);
  if (tags === undefined) throw new RequestFailure(noTag);
  return (version) => tags.has(`"${version}"`);
}

/** Whether the client has what has this tag (RFC 9110, 13.1.2): `If-None-Match` is `*`, or a list with the tag. */
export const isHeld = ({ifNoneMatch = ''}: Pick<Exchange, 'ifNoneMatch'>, [, etag]: Header): boolean =>
  ifNoneMatch.trim() === '*' || tagsOf(ifNoneMatch)?.has(etag) === true;

/** `isOutdated`: the definition has another version than the client means, and was left as it is. */
export interface Meant<Held> {
  readonly definition: Held;
  readonly isOutdated: boolean;
}

/** As `Definitions.change`, if the client means the version. */
export async function changeMeant<Held extends Definition>(
  definitions: Definitions<Held>,
  id: string,
  isMeant: ((definition: Held) => boolean) | undefined,
  edit: (definition: Held) => Held,
): Promise<Meant<Held> | undefined> {
  if (isMeant !== undefined) await definitions.readAnew(id); // The client may have it from another process.
  let isOutdated = false;
  const definition = await definitions.change(id, (known) => {
    isOutdated = isMeant?.(known) === false;
    return isOutdated ? known : edit(known);
  });
  return definition && {definition, isOutdated};
}

/** As `Definitions.remove`, if the client means the version. */
export async function removeMeant<Held extends Definition>(
  definitions: Definitions<Held>,
  id: string,
  isMeant: ((definition: Held) => boolean) | undefined,
): Promise<Meant<Held> | undefined> {
  if (isMeant !== undefined) await definitions.readAnew(id);
  let isOutdated = false;
  const definition = await definitions.remove(id, (known) => {
    isOutdated = isMeant?.(known) === false;
    return !isOutdated;
  });
  return definition && {definition, isOutdated};
}

export const changedSinceRead = (noun: string): Failure => ({
  code: 'changed_meanwhile',
  message: `the ${noun} was changed since the version that If-Match names: nothing was changed now`,
});
