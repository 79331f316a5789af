// The reference of a user that goes out: in events of webhooks and in the list of changes, so that a receiver can delete what it
// has of a user when the deletion is told, though nobody stores the id.
//   It is a keyed hash of the partition's own hash of the user (Partition.userHash): whoever has ids, but not the secret, cannot
//   find out whose it is.
import {createHmac, type Hmac, hkdfSync} from 'node:crypto';

/** Makes references. Equal for a user on each machine of a deployment, and for ever. */
export type UserRefs = (userHash: string) => string;

/** `deploymentSecret`: of the record of the deployment (src/nats/topology.ts). */
export function userRefs(deploymentSecret: string): UserRefs {
  const key = Buffer.from(hkdfSync('sha256', deploymentSecret, '', 'millrace user references', 32));
  const hmac = (): Hmac => createHmac('sha256', key);
  return (userHash) => hmac().update(userHash).digest('base64url');
}
