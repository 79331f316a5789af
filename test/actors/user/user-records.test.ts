import fc from 'fast-check';
import {expect, test} from 'vitest';
import {
  noIds,
  UserBlockReader,
  UserBlockWriter,
  type UserRecord,
  withoutRecords,
} from '../../../actors/user/user-records.js';
import {runs} from '../../support/runs.js';

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

test('a block without some records is the block of the others', () => {
  const record = fc.record({
    user: fc.oneof(fc.nat(20), fc.nat(100_000)),
    createdMs: fc.nat(),
    lastEventMs: fc.option(fc.nat(), {nil: undefined}),
    lastIdentifyMs: fc.option(fc.nat(), {nil: undefined}),
    traits: fc.constantFrom(undefined, {
      json: '{"a":1,"b":2}',
      setMs: [1_000, 1_007],
      isSecret: [true, false],
      overLimit: 200,
    }),
    identifyIds: fc.constantFrom(noIds, Uint32Array.of(7, 1, 2, 3)),
    chunks: fc.constantFrom([], [0, 1, 70_000]),
  });
  const blockOf = (records: readonly UserRecord[]) => {
    const writer = new UserBlockWriter();
    for (const one of records) writer.add(one);
    return writer.isEmpty ? undefined : writer.finish();
  };
  const records = fc.uniqueArray(record, {minLength: 1, maxLength: 30, selector: ({user}) => user});
  fc.assert(
    fc.property(records, fc.func(fc.boolean()), (unordered, isGone) => {
      const all = [...unordered].sort((a, b) => a.user - b.user);
      const gone = all.filter(({user}) => isGone(user));
      const left = withoutRecords(
        blockOf(all)!.payload,
        gone.map(({user}) => user),
      );
      expect(left).toEqual(blockOf(all.filter((one) => !gone.includes(one))));
    }),
    {numRuns: runs(200)},
  );
});
