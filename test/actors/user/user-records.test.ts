import {expect, test} from 'vitest';
import {noIds, UserBlockReader, UserBlockWriter} from '../../../actors/user/user-records.js';

test('users of a block are found one after the other, whether those between are in it or not', () => {
  const writer = new UserBlockWriter();
  for (const user of [3, 9, 12])
    writer.add({
      user,
      createdMs: user,
      lastEventMs: undefined,
      lastIdentifyMs: undefined,
      traits: undefined,
      identifyIds: noIds,
      chunks: [],
    });
  const reader = new UserBlockReader(writer.finish().payload);
  expect([2, 5, 9, 10, 12, 13].map((user) => reader.find(user)?.createdMs)).toEqual([
    undefined,
    undefined,
    9,
    undefined,
    12,
    undefined,
  ]);
});
