import {afterEach, expect, test, vi} from 'vitest';
import {ConditionVariable} from '../../src/pacing/condition-variable.js';

afterEach(() => void vi.useRealTimers());

test('what is so already is not waited for', async () => {
  const condition = new ConditionVariable();
  expect(await condition.until(() => true, 0)).toBe(true);
  expect(condition.waiting).toBe(0);
});

test('each caller waits for its own condition, until its own time is up', async () => {
  vi.useFakeTimers();
  const condition = new ConditionVariable();
  let reached = 0;
  const told: string[] = [];
  const wait = async (sequence: number, waitMs: number): Promise<void> => {
    const isReached = await condition.until(() => reached >= sequence, waitMs);
    told.push(`${sequence}: ${isReached}`);
  };
  const all = [wait(3, 1_000), wait(1, 1_000), wait(2, 20), wait(4, Number.POSITIVE_INFINITY)];
  reached = 1;
  condition.notify();
  await vi.advanceTimersByTimeAsync(10);
  expect([told, condition.waiting]).toEqual([['1: true'], 3]);
  await vi.advanceTimersByTimeAsync(10);
  expect(told).toEqual(['1: true', '2: false']);
  reached = 3;
  condition.notify();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(told).toEqual(['1: true', '2: false', '3: true']);
  reached = 4;
  condition.notify();
  await Promise.all(all);
  expect([told.at(-1), condition.waiting, vi.getTimerCount()]).toEqual(['4: true', 0, 0]);
});

test('what a condition takes is gone for those that came later', async () => {
  const condition = new ConditionVariable();
  let free = 0;
  const take = (): boolean => {
    if (free === 0) return false;
    free -= 1;
    return true;
  };
  const told: number[] = [];
  const all = [1, 2, 3].map((caller) => condition.until(take, 60_000).then(() => told.push(caller)));
  free = 2;
  condition.notify();
  await Promise.all([all[0], all[1]]);
  expect([told, condition.waiting]).toEqual([[1, 2], 1]);
  free = 1;
  condition.notify();
  await all[2];
});
