// Who writes the manifest of a partition, in a real nats-server.
import {jetstream, jetstreamManager} from '@nats-io/jetstream';
import {afterEach, expect, test} from 'vitest';
import type {Manifest} from '../../../actors/manifest.js';
import {connectNats} from '../../../src/nats/client/connection.js';
import {ManifestStore} from '../../../src/partition/snapshot/manifest-store.js';
import {startTestNats} from '../../support/nats.js';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const manifest: Manifest = {
  partition: 0,
  position: {generation: 1, sequence: 10},
  mark: 'x 1',
  epoch: 3,
  asOfMs: 1,
  index: {key: 'p0.1-a.0', revisions: [1], bytes: 1, valueBytes: 524_288, crcs: [1]},
  previous: null,
} as unknown as Manifest;

async function link() {
  const {nats, stop} = await startTestNats(1);
  cleanUps.push(stop);
  const nc = await connectNats(nats.address, 'test');
  cleanUps.push(() => nc.close());
  return {js: jetstream(nc), jsm: await jetstreamManager(nc)};
}

test('of two that take a partition over at once, with the very same words, one does', async () => {
  const {js, jsm} = await link();
  const [one, two] = [new ManifestStore(js, jsm, 0), new ManifestStore(js, jsm, 0)];
  const revision = await one.write(manifest, 0);
  const outcomes = await Promise.allSettled([one, two].map((each) => each.write({...manifest, epoch: 4}, revision)));
  expect(outcomes.map(({status}) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('who had no answer finds its own words', async () => {
  const {js, jsm} = await link();
  let tries = 0;
  const lossy = {
    async publish(...message: Parameters<typeof js.publish>) {
      tries += 1;
      const ack = await js.publish(...message);
      if (tries === 1) throw new Error('the ack was lost');
      return ack;
    },
  };
  const store = new ManifestStore(lossy as unknown as typeof js, jsm, 0);
  expect([await store.write(manifest, 0), tries]).toEqual([1, 2]);
});
