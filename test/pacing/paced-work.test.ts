// Background work in pieces, by a clock of its own.
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {PacedWork} from '../../src/pacing/paced-work.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class World {
  /** Times at which pieces began. */
  readonly begun: number[] = [];
  readonly failures: string[] = [];
  /** What the next pieces return; then undefined. */
  pauses: (number | undefined)[] = [];
  pieceMs = 0;
  isAllowed = true;
  private readonly startMs = Date.now();
  readonly paced = new PacedWork({
    work: async () => {
      this.begun.push(Date.now() - this.startMs);
      await new Promise((resolve) => setTimeout(resolve, this.pieceMs));
      const pause = this.pauses.shift();
      if (Number.isNaN(pause)) throw new Error('failed');
      return pause;
    },
    isAllowed: () => this.isAllowed,
    onFailed: (error) => this.failures.push(error.message),
  });
}

test('a piece runs when it is woken, and again after the pause that it chose; a wake brings none forward', async () => {
  const world = new World();
  world.pieceMs = 10;
  world.pauses = [50, undefined];
  world.paced.wake(10);
  world.paced.wake();
  await vi.advanceTimersByTimeAsync(30);
  world.paced.wake();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(world.begun).toEqual([10, 70]);
});

test('a wake during a piece is followed by another piece, after the shortest pause of such wakes', async () => {
  const world = new World();
  world.pieceMs = 10;
  world.paced.wake();
  await vi.advanceTimersByTimeAsync(5);
  for (const afterMs of [300, 20, 70]) world.paced.wake(afterMs);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(world.begun).toEqual([0, 30]);
});

test('a failure is told, and the next piece waits for a wake; one that may not begin is dropped', async () => {
  const world = new World();
  world.pauses = [Number.NaN];
  world.paced.wake();
  await vi.advanceTimersByTimeAsync(10);
  world.isAllowed = false;
  world.paced.wake();
  await vi.advanceTimersByTimeAsync(10);
  expect([world.failures, world.begun, world.paced.isBusy]).toEqual([['failed'], [0], false]);
  world.isAllowed = true;
  world.paced.wake();
  await vi.advanceTimersByTimeAsync(10);
  expect(world.begun).toHaveLength(2);
});

test('it is idle once no piece is under way or woken; a stop ends what is due', async () => {
  const world = new World();
  world.pieceMs = 10;
  world.pauses = [undefined, 100];
  let begun = 0;
  world.paced.wake();
  await vi.advanceTimersByTimeAsync(5);
  world.paced.wake();
  const idle = world.paced.idle().then(() => {
    begun = world.begun.length;
  });
  await vi.advanceTimersByTimeAsync(50);
  await idle;
  expect([begun, world.paced.isBusy]).toEqual([2, false]);
  world.paced.stop();
  world.paced.wake();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(world.begun).toHaveLength(2);
});
