// Whether a store is whole: every partition's newest manifest, every part that it names, with checksums, and the log after it.
//   A store in which a nats-server before 2.14.5 erased during the copy is not whole: that version overwrites in place.

import {jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {type Manifest, partsOf} from '../../actors/manifest.js';
import {IndexReader} from '../parts/stored-index.js';
import {StoredParts} from '../parts/stored-parts.js';
import {partValues} from './part-values.js';
import {publishedManifests} from './published-manifests.js';
import {logStream, readDeployment} from './topology.js';

export interface CheckedPartition {
  readonly partition: number;
  /** Position of the newest snapshot; null without one. */
  readonly snapshot: Manifest['position'] | null;
  /** Newest sequence of the log. */
  readonly lastSequence: number;
}

/** @throws Error that names what is missing or damaged. */
export async function checkStore(nc: NatsConnection): Promise<CheckedPartition[]> {
  const deployment = await readDeployment(nc);
  if (deployment === undefined) throw new Error('the record of the deployment is missing');
  const jsm = await jetstreamManager(nc, {checkAPI: false});
  const manifests = publishedManifests(jsm);
  const parts = new StoredParts(partValues(jsm));
  const checked: CheckedPartition[] = [];
  for (let partition = 0; partition < deployment.partitions; partition++) {
    const manifest = await manifests.newest(partition);
    const {state: log} = await jsm.streams.info(logStream(partition));
    if (manifest !== undefined) {
      const index = await new IndexReader().read(manifest.index, (ref) => parts.read(ref));
      for (const ref of partsOf(index)) await parts.read(ref);
      const {sequence} = manifest.position;
      if (log.first_seq > sequence + 1 || log.last_seq < sequence)
        throw new Error(
          `partition ${partition}: the log has the sequences ${log.first_seq} to ${log.last_seq}, but the snapshot ends at ${sequence}`,
        );
    }
    checked.push({partition, snapshot: manifest?.position ?? null, lastSequence: log.last_seq});
  }
  return checked;
}
