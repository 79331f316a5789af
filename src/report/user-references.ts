// References of users in answers (src/user-ref.ts), for a role that knows their keys, or hashes of these.
import {wtf8} from '../../actors/bytes/bytes.js';
import {userHashOf} from '../../actors/identity/user-hash.js';
import {nameKey} from '../../actors/log/entries.js';
import type {UserRef} from '../asks/users.js';
import {seedsOf} from '../deployment-seeds.js';
import {userRefs} from '../user-ref.js';

export interface UserReferences {
  ofHash(userHash: string): string;
  ofUser(user: UserRef): string;
  /** Reference of an event name. */
  ofName(name: string): string;
}

export function userReferences(deploymentSecret: string): UserReferences {
  const ofHash = userRefs(deploymentSecret);
  return referencesBy(ofHash, seedsOf(deploymentSecret));
}

/** `seeds`: as partitions hash with. */
export function referencesBy(
  ofHash: (userHash: string) => string,
  seeds: readonly [number, number, number],
): UserReferences {
  return {
    ofHash,
    ofUser: ({kind, id}) => {
      const key = wtf8((kind === 'user' ? 'u' : 'a') + id);
      return ofHash(userHashOf(seeds, key, 0, key.length));
    },
    ofName: (name) => {
      const key = nameKey(name);
      return ofHash(userHashOf(seeds, key, 0, key.length));
    },
  };
}
