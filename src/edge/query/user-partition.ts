// The partition of a user.
import {wtf8} from '../../../actors/bytes/bytes.js';
import {partitionOf} from '../../../actors/bytes/hash.js';
import type {UserRef} from '../../asks/users.js';

/** Must agree with `partitionOfEntry` (actors/log/entries.ts): the key is the kind's letter and the id. */
export function partitionOfUser({kind, id}: UserRef, partitionCount: number): number {
  const key = wtf8((kind === 'user' ? 'u' : 'a') + id);
  return partitionOf(key, 0, key.length, partitionCount);
}
