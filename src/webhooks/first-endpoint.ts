// The wait for the first endpoint of a deployment. Until then there is nothing to deliver, so no deliver thread runs.
//   FE1. No delivery is lost by the wait. The edge writes where the events of a new endpoint begin (cursor.ts), and triggers wait
//        in OUT.
//   FE2. A deleted endpoint counts: the deliver thread deletes what it left (delivery-worker.ts DE1).

import {isDefinitionId} from '../kept/definition.js';
import type {KeyBucket} from '../keys/key-bucket.js';

/** `bucket`: of hooks. Resolves once the deployment has an endpoint, or has had one. Rejects with a `BucketFault`. */
export function firstEndpoint(bucket: Pick<KeyBucket, 'watch'>): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (names: readonly string[]): void => {
      if (names.some((name) => isDefinitionId('wh', name))) resolve();
    };
    const watching = bucket.watch({
      returned: () => {},
      all: (entries, unreadable = []) => look([...entries.map(({name}) => name), ...unreadable]),
      changed: ({name}) => look([name]),
    });
    watching.catch(reject);
  });
}
