// One answer for all who ask together or within a moment.
import {expect, test} from 'vitest';
import {SharedAnswer} from '../../src/edge/http/shared-answer.js';

test('who asks while it is made, or within its time, gets the same; who comes later gets another', async () => {
  let nowMs = 0;
  let made = 0;
  const shared = new SharedAnswer(
    250,
    () => nowMs,
    async () => ++made,
  );
  const first = shared.get();
  nowMs = 1_000;
  expect(await Promise.all([first, shared.get()])).toEqual([1, 1]);
  nowMs = 1_250;
  expect(await shared.get()).toBe(1);
  nowMs = 1_251;
  expect(await shared.get()).toBe(2);
});

test('one that failed is not kept', async () => {
  let made = 0;
  const shared = new SharedAnswer(
    250,
    () => 0,
    async () => {
      made += 1;
      if (made === 1) throw new Error('on purpose');
      return made;
    },
  );
  await expect(shared.get()).rejects.toThrow('on purpose');
  expect(await shared.get()).toBe(2);
});
