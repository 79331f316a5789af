// Rests of work that no caller waits for, with a clock that is driven by hand.
import {expect, test} from 'vitest';
import {Throttle} from '../../src/partition/throttle.js';

/** Works for so long before each pause; tells how long it rested after each. */
async function rests(throttle: Throttle, clock: HandClock, worksMs: readonly number[]): Promise<number[]> {
  const slicer = throttle.slicer();
  const all: number[] = [];
  for (const ms of worksMs) {
    const before = clock.restedMs;
    clock.workedMs += ms;
    await slicer.pause();
    all.push(clock.restedMs - before);
  }
  return all;
}

class HandClock {
  workedMs = 0;
  restedMs = 0;
  /** By which a rest is longer than it was to be. */
  lateMs = 0;
  readonly busyMs = (): number => this.workedMs;
  readonly nowMs = (): number => this.workedMs + this.restedMs;
  readonly pause = async (ms: number): Promise<void> => {
    this.restedMs += ms + this.lateMs;
  };
  turns = 0;
  readonly nextTurn = async (): Promise<void> => {
    this.turns += 1;
  };
}

test('throttle: a rest is twice as long as the work before it, and short work adds up', async () => {
  const clock = new HandClock();
  expect(await rests(new Throttle(() => 1_000, clock), clock, [3, 0.5, 0.25, 0.25, 0, 1])).toEqual([6, 0, 0, 2, 0, 2]);
});

test('throttle: a single rest is bounded, and so are all rests of one piece of work', async () => {
  const clock = new HandClock();
  const throttle = new Throttle(() => 25, clock);
  expect(await rests(throttle, clock, [300, 4, 300, 300, 300])).toEqual([10, 8, 10, 0, 0]);
  expect(clock.turns).toBe(2); // Without a rest the thread's other work has its turn all the same.
  expect(await rests(throttle, clock, [300])).toEqual([10]);
  clock.lateMs = 20; // The thread has other work.
  expect(await rests(throttle, clock, [300, 300])).toEqual([30, 0]);
});

test('throttle: nothing rests while somebody waits, whatever becomes of what they wait for', async () => {
  const clock = new HandClock();
  const throttle = new Throttle(() => 1_000, clock);
  let end = () => {};
  const waiting = throttle.expedite(new Promise<void>((resolve) => (end = resolve)));
  const failed = throttle.expedite(Promise.reject(new Error('the store is gone')));
  await expect(failed).rejects.toThrow('the store is gone');
  expect(await rests(throttle, clock, [5, 0.5, 5])).toEqual([0, 0, 0]);
  expect(clock.turns).toBe(2);
  end();
  await waiting;
  expect(await rests(throttle, clock, [5])).toEqual([10]);
});

test('throttle: what the server did is rested for, too, within a bound and unless somebody waits', async () => {
  const clock = new HandClock();
  const throttle = new Throttle(() => 0, clock);
  const restsOf = async (worksMs: readonly number[]): Promise<number[]> => {
    const all: number[] = [];
    for (const ms of worksMs) {
      const before = clock.restedMs;
      await throttle.rest(ms);
      all.push(clock.restedMs - before);
    }
    return all;
  };
  expect(await restsOf([10, 3, 300])).toEqual([20, 6, 50]);
  let end = () => {};
  const waiting = throttle.expedite(new Promise<void>((resolve) => (end = resolve)));
  expect(throttle.isLifted).toBe(true);
  expect(await restsOf([10, 10])).toEqual([0, 0]);
  end();
  await waiting;
  expect(throttle.isLifted).toBe(false);
  expect(await restsOf([10])).toEqual([20]);
});
