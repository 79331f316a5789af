// Which epoch a start takes, over a store of manifests in memory.
import {expect, test} from 'vitest';
import {encodeManifest, type Manifest, manifestFormat, type PartRef} from '../../../actors/manifest.js';
import {createLogger} from '../../../src/observe.js';
import {loadRowKernel} from '../../../src/partition/row-kernel.js';
import {Replaced, type StoredManifest} from '../../../src/partition/snapshot/manifest-store.js';
import {noNote} from '../../../src/partition/snapshot/position-note.js';
import {recover} from '../../../src/partition/snapshot/recovery.js';
import {readPublished} from '../../../src/parts/stored-state.js';

/** Takes writes on the newest revision alone. */
class Manifests {
  newest: StoredManifest | undefined;
  /** Called before each write. */
  interfere = async (): Promise<void> => undefined;

  async read(): Promise<StoredManifest | undefined> {
    return this.newest;
  }

  async write(manifest: Manifest, revision: number): Promise<number> {
    await this.interfere();
    if (revision !== (this.newest?.revision ?? 0)) throw new Replaced(0, this.newest!.manifest.epoch);
    this.newest = {manifest, revision: revision + 1};
    return revision + 1;
  }

  async successorOf(epoch: number): Promise<Replaced | undefined> {
    const newest = this.newest?.manifest.epoch ?? 0;
    return newest > epoch ? new Replaced(0, newest) : undefined;
  }
}

const log = {first_seq: 0, last_seq: 0, subjects: {}};

function start(manifests: Manifests, state = log) {
  const seeds = [1, 2, 3] as const;
  const setup = {partition: 0, partitions: 1, seeds, dedupeBytesMax: 64 * 1024, rowKernel: loadRowKernel()};
  const jsm = {streams: {info: async () => ({state})}};
  const sources = {manifests, cache: {}, jsm, note: noNote, log: createLogger('silent', 'test')};
  return recover(setup, sources as never);
}

test('of two first owners each has an epoch of its own, and what fences the first is no snapshot', async () => {
  const manifests = new Manifests();
  const [first, second] = [await start(manifests), await start(manifests)];
  expect([first.epoch, second.epoch, second.revision, second.manifest]).toEqual([1, 2, 2, undefined]);
  expect(second.partition.generation).toBe(1);
  expect(await manifests.successorOf(first.epoch)).toBeInstanceOf(Replaced);
  expect(readPublished(encodeManifest(manifests.newest!.manifest), 0)).toBeUndefined();
});

test('of two that are the first at once, one has the partition', async () => {
  const manifests = new Manifests();
  const starts = await Promise.allSettled([start(manifests), start(manifests)]);
  expect(starts.map(({status}) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(starts.find(({status}) => status === 'rejected')).toMatchObject({reason: expect.any(Replaced)});
});

test('a first owner that publishes while it is taken over holds nobody up: its snapshot is used', async () => {
  const manifests = new Manifests();
  await start(manifests);
  const position = {generation: 1, sequence: 0};
  const index: PartRef = {key: 'p0.1-a.0', revisions: [1], bytes: 1, valueBytes: 1, crcs: [1]};
  manifests.interfere = async () => {
    manifests.interfere = async () => undefined;
    const {manifest, revision} = manifests.newest!;
    await manifests.write({...manifest, position, index}, revision);
  };
  await expect(start(manifests)).rejects.toThrow(); // Its parts are in no store here.
  expect(manifests.newest).toMatchObject({manifest: {format: manifestFormat, epoch: 2, position}, revision: 3});
});

test('manifests that were lost are still missing after a start that found them lost', async () => {
  const manifests = new Manifests();
  const cut = {...log, first_seq: 40, last_seq: 60};
  await expect(start(manifests, cut)).rejects.toThrow('entries between are missing');
  await expect(start(manifests, cut)).rejects.toThrow('entries between are missing');
});
