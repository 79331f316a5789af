// The newest published manifests, read through the leader of their bucket: a direct read may be stale.

import {JetStreamApiError, type JetStreamManager} from '@nats-io/jetstream';
import {decodeManifest} from '../../actors/manifest.js';
import type {ManifestSource} from '../report/newest-snapshots.js';
import {bucketStream, bucketSubject} from './topology.js';

const messageNotFoundCode = 10_037;

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
        if (error instanceof JetStreamApiError && error.code === messageNotFoundCode) return undefined;
        throw error;
      }
    },
  };
}
