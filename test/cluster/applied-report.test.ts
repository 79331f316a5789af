// What a process tells of how far it has folded, and what edges believe.
import {expect, test} from 'vitest';
import {AppliedReporter, appliedIn} from '../../src/cluster/applied-report.js';

test('a process tells how far its threads are, and nothing while nothing is folded', () => {
  const threads = [
    {partitions: [0, 2], appliedSequences: new Int32Array(3)},
    {partitions: [1], appliedSequences: new Int32Array(3)},
  ];
  const sent: unknown[] = [];
  let id = 'm1';
  const reporter = new AppliedReporter(
    threads,
    () => id,
    (message) => sent.push(appliedIn(message, 3)),
  );
  const told = (): unknown[] => {
    reporter.tell();
    return sent.splice(0);
  };
  const rows = (a: number, b: number, c: number): unknown => [
    [
      [0, a],
      [2, b],
    ],
    [[1, c]],
  ];
  expect(told()).toEqual([{member: 'm1', threads: rows(0, 0, 0)}]);
  expect(told()).toEqual([]);
  Atomics.store(threads[0]!.appliedSequences, 2, 2 ** 31 + 5);
  expect(told()).toEqual([{member: 'm1', threads: rows(0, -(2 ** 31) + 5, 0)}]);
  threads[1]!.partitions.pop();
  expect(told()).toEqual([
    {
      member: 'm1',
      threads: [
        [
          [0, 0],
          [2, -(2 ** 31) + 5],
        ],
        [],
      ],
    },
  ]);
  id = 'm2';
  expect(told()).toMatchObject([{member: 'm2'}]);
  expect(told()).toEqual([]);
});

test.each([
  '',
  '{',
  'null',
  '7',
  '[]',
  '{"member":"m"}',
  '{"threads":[]}',
  '{"member":1,"threads":[]}',
  '{"member":"m","threads":{}}',
  '{"member":"m","threads":[7]}',
  '{"member":"m","threads":[[[0]]]}',
  '{"member":"m","threads":[[[0,1,2]]]}',
  '{"member":"m","threads":[[[3,1]]]}',
  '{"member":"m","threads":[[[-1,1]]]}',
  '{"member":"m","threads":[[[0,"1"]]]}',
  '{"member":"m","threads":[[[0.5,1]]]}',
  '{"member":"m","threads":[[[0,null]]]}',
  '{"member":"m","threads":[[[0,1]],[[0,null]]]}',
])('garbage is ignored: %s', (message) => {
  expect(appliedIn(message, 3)).toBeUndefined();
});
