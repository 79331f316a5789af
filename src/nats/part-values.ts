// Values of parts, read back from their bucket by revision.

import type {JetStreamManager} from '@nats-io/jetstream';
import type {PartValues} from '../parts/stored-parts.js';
import {hasCode, messageNotFound} from './error-codes.js';
import {bucketStream} from './topology.js';

/** Any replica answers a direct get; one that is behind does not know the value yet, so a miss is asked of the leader. */
export function partValues(jsm: JetStreamManager): PartValues {
  const stream = bucketStream('parts');
  return {
    async read(revision) {
      const message = (await jsm.direct.getMessage(stream, {seq: revision})) ?? (await readFromLeader(jsm, revision));
      return message?.data;
    },
  };
}

async function readFromLeader(jsm: JetStreamManager, revision: number) {
  try {
    return (await jsm.streams.getMessage(bucketStream('parts'), {seq: revision})) ?? undefined;
  } catch (error) {
    if (hasCode(error, messageNotFound)) return undefined;
    throw error;
  }
}
