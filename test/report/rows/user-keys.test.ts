// Ids of users out of the blocks of a published users table.
import {expect, test} from 'vitest';
import {wtf8} from '../../../actors/bytes/bytes.js';
import type {PartRef} from '../../../actors/manifest.js';
import {internedBlockEntries} from '../../../actors/table/interned.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import {PartScan} from '../../../src/report/part-scan.js';
import {userKeys} from '../../../src/report/rows/user-keys.js';
import {MemoryParts, TestPartition} from '../../support/snapshot.js';

const parts = new MemoryParts();
const partition = new TestPartition(parts);
const count = 3 * internedBlockEntries;
for (let i = 0; i < count; i++) {
  const key = wtf8(`${i % 3 === 0 ? 'u' : i % 3 === 1 ? 'a' : 'm'}id ${i} ü`);
  partition.users.intern(key, 0, key.length);
}
partition.users.remove(5);
const snapshot = partition.publish();
const scan = new PartScan(new PartsCache(parts, 1 << 20));

test('users by index, in the order asked; nothing of one who was erased', async () => {
  const last = count - 1;
  expect(await userKeys(scan, snapshot, [last, 0, 5, 1, 0])).toEqual([
    {kind: 'anonymous', id: `id ${last} ü`},
    {kind: 'user', id: 'id 0 ü'},
    undefined,
    {kind: 'anonymous', id: 'id 1 ü'},
    {kind: 'user', id: 'id 0 ü'},
  ]);
});

test('only blocks that have one of them are read', async () => {
  const read: string[] = [];
  const noting = {
    viewLoader: (parts: readonly PartRef[], view: (bytes: Uint8Array<ArrayBuffer>) => unknown) => {
      const load = scan.viewLoader(parts, view);
      return (part: PartRef) => {
        read.push(part.key);
        return load(part);
      };
    },
    pauseIfDue: () => undefined,
  };
  expect(await userKeys(noting as unknown as PartScan, snapshot, [3, 4_095, 2 * internedBlockEntries])).toHaveLength(3);
  const {blocks} = snapshot.index.users;
  expect(read).toEqual([blocks[0]!.key, blocks[2]!.key]);
  expect(await userKeys(scan, snapshot, [])).toEqual([]);
});
