// What a set of published snapshots leaves out, by the counts and the moves that they have.

import {describe, expect, test} from 'vitest';
import {arrivedMoves, countedWithout, outdatedIn} from '../../../actors/identity/snapshot-set.js';
import type {ChunkEntry, Manifest, Move, MoveContents, SnapshotIndex} from '../../../actors/manifest.js';
import {UserSet} from '../../../actors/table/user-set.js';

/** The first number of a generation. */
const first = (generation: number): number => generation * 2 ** 32 + 1;
const n = first(1);

interface Counts {
  readonly left?: number;
  readonly settled?: number;
  readonly received?: number;
  readonly generation?: number;
  readonly moves?: readonly Move[];
}

/** A snapshot of one of two partitions; `left` and `settled` are of moves to the other one, `received` of those from it. */
function snapshotOf(partition: number, {left = 0, settled = 0, received = 0, generation = 1, moves = []}: Counts) {
  const ofOther = (number: number): number[] => (partition === 0 ? [0, number] : [number, 0]);
  const counts = {left: ofOther(left), settled: ofOther(settled), received: ofOther(received)};
  const manifest = {partition, position: {generation, sequence: 1}, moves: counts} as unknown as Manifest;
  return {manifest, index: {moves} as unknown as SnapshotIndex};
}

const contents: MoveContents = {cells: [[5, 1, 2]], chunks: [[0, 2]]};
const move = (to: number, number: number, said: MoveContents | null = contents): Move => ({
  to,
  n: number,
  users: [7],
  contents: said,
});

const told: readonly [what: string, home: Counts, destination: Counts, outdated: readonly number[]][] = [
  ['nobody moved', {}, {}, []],
  ['a move is published', {left: n}, {}, []],
  ['it arrived', {left: n}, {received: n}, []],
  ['it is settled', {left: n, settled: n}, {received: n}, []],
  ['later moves left', {left: n + 2, settled: n}, {received: n + 1}, []],
  ['it arrived, and the home has not published it', {}, {received: n}, [0]],
  ['a second one arrived, and the home has published the first', {left: n}, {received: n + 1}, [0]],
  ['it is settled, and the destination has not published it', {left: n, settled: n}, {}, [1]],
  ['the first arrived, and the second is settled', {left: n + 1, settled: n + 1}, {received: n}, [1]],
  ['both have seen more of the other', {left: n, settled: n, received: n}, {}, [1]],
  ['the home forgot it with the tail of its log', {left: n, generation: 2}, {received: n + 1}, []],
  ['what left after such a loss arrived, and is not published', {left: n, generation: 2}, {received: first(2)}, [0]],
  ['it arrived, and what it is is not published', {left: n, moves: [move(1, n, null)]}, {received: n}, [0]],
  ['what it is is not published, and it did not arrive', {left: n, moves: [move(1, n, null)]}, {}, []],
];

describe('snapshots that are older than what another one knows of them', () => {
  test.each(told)('%s', (_, home, destination, outdated) => {
    const set = [snapshotOf(0, home), snapshotOf(1, destination)];
    expect(outdatedIn(set)).toEqual(outdated);
    const mirrored = [snapshotOf(0, mirror(destination)), snapshotOf(1, mirror(home))];
    expect(outdatedIn(mirrored)).toEqual(outdated.map((partition) => 1 - partition));
  });

  test('a partition that has not published yet agrees with all', () => {
    expect(outdatedIn([snapshotOf(0, {left: n, received: n}), undefined])).toEqual([]);
  });
});

/** What is said of the partition 0 is said of 1. */
const mirror = ({moves = [], ...counts}: Counts): Counts => ({
  ...counts,
  moves: moves.map((each) => ({...each, to: 1 - each.to})),
});

test('of the pending moves those arrived that their destinations have', () => {
  const moves = [move(1, n), move(1, n + 1), move(0, n)];
  const home = snapshotOf(0, {left: n + 1, moves});
  expect(arrivedMoves(home, [home, snapshotOf(1, {received: n})])).toEqual([moves[0]]);
  expect(arrivedMoves(home, [home, snapshotOf(1, {received: n + 1})])).toEqual([moves[0], moves[1]]);
  expect(arrivedMoves(home, [home, undefined])).toEqual([]);
});

describe('a snapshot without users who moved', () => {
  const settled = new UserSet();
  settled.add(2);
  const chunks = [0, 1, 2].map((chunk) => ({chunk, leftOut: chunk}) as ChunkEntry);
  const index = {retainedFromDay: 0, erasedUsers: [2, 9], chunks} as unknown as SnapshotIndex;

  test('counts them neither by rows, nor by cells, nor by days', () => {
    const moves: Move[] = [
      {
        to: 1,
        n,
        users: [11, 7],
        contents: {
          cells: [
            [8, 1, 2],
            [5, 3, 1],
          ],
          chunks: [
            [1, 2],
            [2, 1],
          ],
        },
      },
      {to: 0, n, users: [3], contents: {cells: [[8, 1, 4]], chunks: [[1, 4]]}},
    ];
    const {index: counted, leftOut} = countedWithout(index, settled, moves, 0);
    expect(counted.erasedUsers).toEqual([2, 3, 7, 9, 11]);
    expect(counted.chunks.map((entry) => entry.leftOut)).toEqual([0, 7, 3]);
    expect([2, 3, 7, 11].every((user) => leftOut.users.has(user))).toBe(true);
    expect([leftOut.users.count, settled.count]).toEqual([4, 1]);
    expect(leftOut.cells).toEqual({
      hours: Uint32Array.of(5, 8),
      names: Uint32Array.of(3, 1),
      counts: Float64Array.of(-1, -6),
    });
    expect(chunks.map((entry) => entry.leftOut)).toEqual([0, 1, 2]);
  });

  test('is the snapshot where none is pending', () => {
    const {index: counted, leftOut} = countedWithout(index, settled, [], 0);
    expect(counted).toBe(index);
    expect(leftOut.users).toBe(settled);
    expect(leftOut.cells.hours).toHaveLength(0);
  });
});
