// A clock that is looked at once a turn of the loop.
import {setImmediate as turnEnd} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {onceATurn} from '../../src/edge/http/turn.js';

test('a clock stands still within a turn, and goes on in the next', async () => {
  let ms = 0;
  const clock = onceATurn(() => ++ms);
  expect([clock(), clock()]).toEqual([1, 1]);
  await Promise.resolve();
  expect(clock()).toBe(1);
  await turnEnd();
  expect([clock(), clock()]).toEqual([2, 2]);
});
