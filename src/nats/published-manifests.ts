// The newest published manifests, read through the leader of their bucket: a direct read may be stale.

import type {JetStreamManager} from '@nats-io/jetstream';
import {decodeManifest} from '../../actors/manifest.js';
import type {ManifestSource} from '../report/newest-snapshots.js';
import {hasCode, messageNotFound} from './error-codes.js';
import {bucketStream, bucketSubject} from './topology.js';

export function publishedManifests(jsm: JetStreamManager): ManifestSource {
  const stream = bucketStream('manifests');
  return {
    async lastRevision() {
      return (await jsm.streams.info(stream)).state.last_seq;
    },
    async newest(partition) {
      try {
        const subject = bucketSubject('manifests', `p${partition}`);
        const message = await jsm.streams.getMessage(stream, {last_by_subj: subject});
        return message === null ? undefined : decodeManifest(message.data);
      } catch (error) {
        if (hasCode(error, messageNotFound)) return undefined;
        throw error;
      }
    },
  };
}
