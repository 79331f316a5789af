// References to users that leave the service: webhook events and the list of changes have them, so that a receiver can delete
// its data of a user when it is notified of a deletion, although no id is stored.
//   A reference is a keyed hash of the partition's own hash of the user (Partition.userHash): without the secret nobody can
//   match it to an id.
import {createHmac, type Hmac, hkdfSync} from 'node:crypto';

/** Makes references. A user has the same one on each machine of a deployment, at all times. */
export type UserRefs = (userHash: string) => string;

/** References that are kept: some 2 MB. */
const keptMax = 16_384;

/** `deploymentSecret`: from the deployment's record (src/nats/topology.ts). */
export function userRefs(deploymentSecret: string): UserRefs {
  const key = Buffer.from(hkdfSync('sha256', deploymentSecret, '', 'millrace user references', 32));
  const hmac = (): Hmac => createHmac('sha256', key);
  return (userHash) => hmac().update(userHash).digest('base64url');
}

/** The same references, of which the newest are kept: one takes longer to make than all else that a batch does with an event. */
export function keptRefs(refs: UserRefs): UserRefs {
  const kept = new Map<string, string>();
  return (userHash) => {
    let ref = kept.get(userHash);
    if (ref !== undefined) return ref;
    ref = refs(userHash);
    if (kept.size >= keptMax) kept.delete(kept.keys().next().value!);
    kept.set(userHash, ref);
    return ref;
  };
}
