// Keys of a deployment's hashes: of fingerprints of message ids, and of users in records of deletions and changes.
import {createHash} from 'node:crypto';

/** `deploymentSecret`: of the record of the deployment (src/nats/topology.ts). */
export function seedsOf(deploymentSecret: string): readonly [number, number, number] {
  const digest = createHash('sha256').update(`fingerprints ${deploymentSecret}`).digest();
  return [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8)];
}
