// Moves by number: each arrives once, whole and in order; what is settled counts no more; an erased user leaves its move.
import {expect, test} from 'vitest';
import {jsonOf} from '../../../actors/actor.js';
import {Moves, type MovesState} from '../../../actors/identity/moves.js';
import {hourMs} from '../../../actors/limits.js';
import {KeptState} from '../../support/kept-state.js';

const message = (byte: number): Uint8Array => Uint8Array.of(byte);
const first = 2 ** 32 + 1;

/** Moves of which some pieces are missing. */
const arrivingIn = (moves: Moves) => jsonOf<MovesState>(moves.freeze().at(-1)!.payload!).arriving;

test('numbers go up by destination, and begin higher with each generation', () => {
  const moves = new Moves(3);
  moves.leave(1, [7], 1);
  moves.leave(2, [8], 1);
  moves.leave(1, [9], 1);
  moves.leave(1, [10], 2);
  expect(moves.pending.map(({to, n}) => [to, n])).toEqual([
    [1, first],
    [2, first],
    [1, first + 1],
    [1, 2 * 2 ** 32 + 1],
  ]);
});

test('a move arrives once and in order, the first of a later generation too', () => {
  const moves = new Moves(2);
  const arrive = (n: number) =>
    moves.apply({arrival: {from: 1, n, piece: 0, pieces: 1}, bytes: message(1)}) !== undefined;
  expect([first + 1, first, first, first + 2, first + 1].map(arrive)).toEqual([false, true, false, false, true]);
  const later = 3 * 2 ** 32 + 1;
  expect([later + 1, later, first + 2].map(arrive)).toEqual([false, true, false]);
  expect(moves.receivedFrom(1)).toBe(later);
});

test('a move of several messages arrives as a whole, however often they come', () => {
  const moves = new Moves(2);
  const arrive = (piece: number, n = first) =>
    moves.apply({arrival: {from: 0, n, piece, pieces: 3}, bytes: message(piece)});
  expect([arrive(1), arrive(0), arrive(2), arrive(0), arrive(1)]).toEqual(new Array(5).fill(undefined));
  expect(moves.receivedFrom(0)).toBe(0);
  expect(arrive(2)).toEqual([0, 1, 2].map(message));
  expect(moves.receivedFrom(0)).toBe(first);
  expect(arrive(0)).toBeUndefined();
});

test('a move that is lost is given up with those before it; what follows is next', () => {
  const moves = new Moves(2);
  const arrive = (n: number, pieces: number) =>
    moves.apply({arrival: {from: 1, n, piece: 0, pieces}, bytes: message(1)});
  arrive(first, 2);
  expect([arrive(first + 4, 1), arrive(first + 3, 0), arrive(first + 2, 0)]).toEqual([undefined, [], []]);
  expect([moves.receivedFrom(1), arrivingIn(moves)]).toEqual([first + 3, []]);
  expect(arrive(first + 4, 1)).toEqual([message(1)]);
});

test('a start goes on with the messages of a move that was not whole, each of which is put once (J4)', async () => {
  const moves = new Moves(1);
  const kept = new KeptState();
  const arrive = (to: Moves, piece: number) =>
    to.apply({arrival: {from: 0, n: first, piece, pieces: 3}, bytes: message(piece)});
  const puts = async (of: Moves) => (await kept.snapshot(of)).length;
  arrive(moves, 0);
  expect(await puts(moves)).toBe(1);
  arrive(moves, 1);
  expect(await puts(moves)).toBe(1);
  const restarted = await kept.restored(new Moves(1));
  expect(await puts(restarted)).toBe(0);
  for (const one of [moves, restarted]) expect(arrive(one, 2)).toEqual([0, 1, 2].map(message));
  await kept.snapshot(restarted);
  expect(kept.parts('moves.arriving.0')).toEqual([]);
});

test('users who left are put when they are others', async () => {
  const moves = new Moves(2);
  const kept = new KeptState();
  moves.leave(1, [3, 40], 1);
  expect(await kept.snapshot(moves)).toHaveLength(0);
  moves.settle(1, first);
  expect(await kept.snapshot(moves)).toHaveLength(1);
  const restarted = await kept.restored(new Moves(2));
  expect([...restarted.leftOut.members()]).toEqual([3, 40]);
  expect(await kept.snapshot(restarted)).toHaveLength(0);
});

test('what the destination has is settled, up to its number and no further', () => {
  const moves = new Moves(2);
  for (const user of [3, 4, 5]) moves.leave(1, [user], 1);
  expect(moves.settle(1, first + 1).map(({users}) => users)).toEqual([[3], [4]]);
  expect(moves.settle(1, first + 1)).toEqual([]);
  expect([3, 4, 5].map((user) => moves.leftOut.has(user))).toEqual([true, true, false]);
  expect(moves.pending.map(({users}) => users)).toEqual([[5]]);
  expect(moves.counts).toEqual({left: [0, first + 2], settled: [0, first + 1], received: [0, 0]});
});

test('a destination that knows of later moves than are remembered gets higher numbers', () => {
  const moves = new Moves(2);
  moves.settle(1, first + 9);
  moves.leave(1, [1], 1);
  expect(moves.pending[0]?.n).toBe(first + 10);
});

test('the move of a user is found without a look through the users of others', () => {
  const moves = new Moves(2);
  let looks = 0;
  const watched = (users: number[]): number[] =>
    new Proxy(users, {
      get: (target, key) => {
        looks += 1;
        return Reflect.get(target, key) as unknown;
      },
    });
  for (let user = 0; user < 100; user += 2) moves.leave(1, watched([user, user + 1]), 1);
  const restarted = new Moves(2);
  restarted.restore('moves', 0, {json: {counts: moves.counts, pending: moves.pending, candidates: [], arriving: []}});
  looks = 0;
  const found = Array.from({length: 101}, (_, user) => moves.moveOf(user)?.n);
  expect(found).toEqual([...Array.from({length: 100}, (_, user) => first + (user >> 1)), undefined]);
  expect(looks).toBe(0);
  expect(restarted.moveOf(99)?.n).toBe(first + 49);
  moves.settle(1, first + 48);
  expect([97, 98].map((user) => moves.moveOf(user)?.n)).toEqual([undefined, first + 49]);
  moves.erase(98, []);
  expect([98, 99].map((user) => moves.moveOf(user)?.n)).toEqual([undefined, first + 49]);
});

test('an erased user leaves its move and the cells of it', () => {
  const moves = new Moves(2);
  moves.leave(1, [3, 4], 1);
  moves.pending[0]!.contents = {
    cells: [
      [10, 0, 2],
      [11, 0, 1],
    ],
    chunks: [[0, 3]],
  };
  moves.erase(9, []);
  expect(moves.pending[0]).toMatchObject({users: [3, 4]});
  const rows = [10, 11].map((hour) => ({timeMs: hour * hourMs + 5, name: 0, chunk: 0, ordinal: hour}));
  moves.erase(3, rows);
  expect(moves.pending[0]).toMatchObject({users: [4], contents: {cells: [[10, 0, 1]], chunks: [[0, 1]]}});
});
