import {expect, test} from 'vitest';
import {MessageIdSet} from '../../../src/cli/import/message-id-set.js';

test('message ids are told apart by user and id, through every growth', () => {
  const set = new MessageIdSet();
  for (let n = 0; n < 20_000; n++) {
    expect(set.has(`u:${n % 7}`, `m${n}`)).toBe(false);
    set.add(`u:${n % 7}`, `m${n}`);
  }
  for (let n = 0; n < 20_000; n++) {
    expect(set.has(`u:${n % 7}`, `m${n}`)).toBe(true);
    expect(set.has(`u:${(n + 1) % 7}`, `m${n}`)).toBe(false);
  }
  expect(set.isFull).toBe(false);
});

test('past its bound the set remembers no more, and says so', () => {
  const set = new MessageIdSet(2);
  for (const id of ['a', 'b', 'a']) set.add('u', id);
  expect(set.isFull).toBe(false);
  set.add('u', 'c');
  expect([set.isFull, set.has('u', 'a'), set.has('u', 'c')]).toEqual([true, true, false]);
});
