// What the report role believes to be the newest, while it is being read.
import {expect, test} from 'vitest';
import type {Manifest} from '../../../actors/manifest.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import {NewestSnapshots} from '../../../src/report/published/newest-snapshots.js';
import {MemoryParts, TestPartition} from '../../support/snapshot.js';
import {until} from '../../support/until.js';

for (const isCounted of [true, false]) {
  test(`what was being read when a part was missing is read once more (${isCounted ? 'counted' : 'asked of NATS'})`, async () => {
    const parts = new MemoryParts();
    const {manifest} = new TestPartition(parts).append({user: 'ada', event: 'A', timeMs: 1}).publish(5);
    let fetches = 0;
    let release = (): void => undefined;
    let held: Promise<void> | undefined = new Promise((resolve) => {
      release = resolve;
    });
    const source = {
      lastRevision: async () => 1,
      publications: isCounted ? {count: () => 1, takeHanded: () => undefined} : undefined,
      newest: async (): Promise<Manifest> => {
        fetches += 1;
        if (fetches === 1) await held;
        return manifest;
      },
    };
    const newest = new NewestSnapshots(source, new PartsCache(parts, 1 << 20), 1);
    const reading = newest.read();
    await until('the manifest is being read', () => fetches === 1);
    expect(await newest.nameNow({...manifest.index, key: 'gone'})).toBe(false);
    release();
    held = undefined;
    await reading;
    const before = fetches;
    await newest.read();
    expect(fetches - before).toBe(1);
    await newest.read();
    expect(fetches - before, 'once').toBe(1);
  });
}

for (const isCounted of [true, false]) {
  test(`after a lost connection manifests are read again, even if as many are there (${isCounted ? 'counted' : 'asked of NATS'})`, async () => {
    const parts = new MemoryParts();
    const partition = new TestPartition(parts);
    const [lost, again] = [5, 6].map((asOfMs) =>
      partition.append({user: 'ada', event: 'A', timeMs: 1}).publish(asOfMs),
    );
    let published = lost!.manifest;
    const source = {
      lastRevision: async () => 1,
      publications: isCounted ? {count: () => 1, takeHanded: () => undefined} : undefined,
      newest: async (): Promise<Manifest> => published,
    };
    const newest = new NewestSnapshots(source, new PartsCache(parts, 1 << 20), 1);
    const asOfMs = async () => (await newest.read()).map((snapshot) => snapshot?.manifest.asOfMs);
    expect(await asOfMs()).toEqual([5]);
    published = again!.manifest;
    expect(await asOfMs(), 'believed').toEqual([5]);
    const reading = newest.read();
    newest.doubt();
    await reading;
    expect(await asOfMs()).toEqual([6]);
  });
}

test('parts that the newest snapshot does not name any more leave the cache, the others stay', async () => {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  for (const user of ['ada', 'bob']) partition.append({user, event: 'A', timeMs: 1}).cutChunk();
  const snapshots = [partition.publish(5), partition.erase('bob').publish(6)];
  let revision = 0;
  const source = {
    lastRevision: async () => revision,
    newest: async (): Promise<Manifest> => snapshots[revision]!.manifest,
  };
  const cache = new PartsCache(parts, 1 << 20);
  const newest = new NewestSnapshots(source, cache, 1);
  await newest.read();
  const [ada, bob] = snapshots[0]!.index.chunks;
  for (const chunk of [ada!, bob!]) await cache.rows.load(chunk);
  revision = 1;
  await newest.read();
  expect([ada!, bob!].map(({rows}) => cache.rows.held({rows}) !== undefined)).toEqual([true, false]);
});
