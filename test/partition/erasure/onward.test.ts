// Deletions that go on to other partitions.
import {expect, test} from 'vitest';
import {Deletions} from '../../../actors/deletions.js';
import type {Partition} from '../../../actors/partition.js';
import {OnwardDeletions} from '../../../src/partition/erasure/onward.js';
import type {DestinationLog, Erasing} from '../../../src/partition/log/log-writer.js';

test('every log has the time at which all events of a name were to be deleted', async () => {
  const deletions = new Deletions();
  deletions.apply({
    ...{id: 'del_1', userHash: 'ab', isOfName: true, receivedMs: 1_700_000_000_000, deviceHashes: []},
    ...{position: {generation: 1, sequence: 5}, eventsDeleted: 3, completed: null, expiresLogicalMs: 10},
    ...{onward: {key: 'nsignup', partitions: [2, 0]}, stepsLeft: 2},
  });
  const appended: {readonly partition: number; readonly entry: Erasing}[] = [];
  const logOf = (partition: number) => {
    const erase = async ([entry]: readonly Erasing[]) => appended.push({partition, entry: entry!});
    return {erase} as unknown as DestinationLog;
  };
  const onward = new OnwardDeletions({
    partition: {deletions} as unknown as Partition,
    ...{whenAppended: async () => true, logOf, forgetLinks: () => undefined, wentOn: () => undefined},
    ...{isLive: () => true, onFatal: (error) => expect.fail(error.message)},
  });
  onward.wake();
  await onward.idle();
  const entry = {key: Buffer.from('nsignup'), id: 'del_1', onward: [0], receivedMs: 1_700_000_000_000};
  expect(appended.map(({partition, entry: one}) => ({partition, ...one, key: Buffer.from(one.key)}))).toEqual([
    {partition: 2, ...entry},
  ]);
  expect(deletions.get('del_1')).not.toHaveProperty('onward');
});
