// The newest published manifests, read through the leader of their bucket, as a direct read may be stale; and notices of new
// ones, so that readers need not ask.
//   PM1. A notice is a hint, which may be lost. The newest manifest is what the bucket has, or what threads of this process have
//        counted in shared memory if they alone write to it; they hand it over, too.

import type {JetStreamManager, StoredMsg} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {DamagedState} from '../parts/damage.js';
import {readPublished} from '../parts/stored-state.js';
import type {CountedPublications, ManifestSource} from '../report/published/newest-snapshots.js';
import {newestMessage, UnreadableMessage} from './newest-message.js';
import {bucketStream, bucketSubject} from './topology.js';

const noticeSubject = 'published.manifest';

/** Tells every report role, once a manifest is in the bucket. */
export function announceManifest(nc: NatsConnection): void {
  if (!nc.isClosed()) nc.publish(noticeSubject);
}

/** Calls `hear` at a notice. PM1 */
export function onAnnounced(nc: NatsConnection, hear: () => void): void {
  nc.subscribe(noticeSubject, {callback: hear});
}

/** `publications`: given if threads of this process alone write manifests. */
export function publishedManifests(jsm: JetStreamManager, publications?: CountedPublications): ManifestSource {
  const stream = bucketStream('manifests');
  return {
    publications,
    async lastRevision() {
      return (await jsm.streams.info(stream)).state.last_seq;
    },
    async newest(partition) {
      const message = await newestManifestMessage(jsm, partition);
      return message && readPublished(message.data, partition);
    },
  };
}

/** The stored newest manifest; undefined before the first take-over. @throws DamagedState */
export async function newestManifestMessage(jsm: JetStreamManager, partition: number): Promise<StoredMsg | undefined> {
  try {
    return await newestMessage(jsm, bucketStream('manifests'), bucketSubject('manifests', `p${partition}`));
  } catch (cause) {
    if (cause instanceof UnreadableMessage) throw new DamagedState(partition, 'its newest manifest', {cause});
    throw cause;
  }
}
