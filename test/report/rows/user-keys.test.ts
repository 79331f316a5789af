// Ids of users out of the blocks of a published users table.
import {expect, test} from 'vitest';
import {wtf8} from '../../../actors/bytes/bytes.js';
import {internedBlockEntries} from '../../../actors/table/interned.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import {userKeys} from '../../../src/report/operators/user-keys.js';
import {PartScan} from '../../../src/report/part-scan.js';
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
