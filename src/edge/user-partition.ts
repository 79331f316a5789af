// The one partition in which a user lives.
import {wtf8} from '../../actors/codec/bytes.js';
import {partitionOf} from '../../actors/hash.js';
import type {UserRef} from '../asks.js';

/** Must agree with `partitionOfEntry` (actors/codec/entries.ts): the key is the kind's letter and the id. */
export function partitionOfUser({kind, id}: UserRef, partitionCount: number): number {
  const key = wtf8((kind === 'user' ? 'u' : 'a') + id);
  return partitionOf(key, 0, key.length, partitionCount);
}
