// The newest refusals, in memory that is bounded.
import {expect, test} from 'vitest';
import {RejectedEvents} from '../../src/edge/admission/rejected-events.js';

test('the newest 10,000 are kept, newest first, and can be told by their code', () => {
  let nowMs = 0;
  const rejected = new RejectedEvents(() => nowMs++);
  for (let i = 0; i < 25_000; i++) {
    const code = i % 5 === 0 ? 'invalid_json' : 'invalid_event';
    rejected.add(code, `key_${i % 3}`, {index: i % 1_000, event: `event ${i}`, field: 'userId'});
  }
  const all = [...rejected.newest()];
  expect(all.map(({event}) => event)).toEqual(Array.from({length: 10_000}, (_, i) => `event ${24_999 - i}`));
  expect(all[0]).toEqual({
    atMs: 25_000,
    code: 'invalid_event',
    field: 'userId',
    index: 999,
    event: 'event 24999',
    keyId: 'key_0',
  });
  const unreadable = [...rejected.newest('invalid_json')];
  expect([unreadable.length, unreadable[0]!.event]).toEqual([2_000, 'event 24995']);
});

test('no text of a client is kept but a name, and what says nothing of what was sent is not kept', () => {
  const rejected = new RejectedEvents(() => 7);
  rejected.add('invalid_request', 'key_1', {field: 'a parameter that somebody made up'});
  for (const code of ['rate_limited', 'unavailable', 'invalid_key', 'not_found'] as const)
    rejected.add(code, 'key_1', {});
  expect([...rejected.newest()]).toEqual([
    {atMs: 7, code: 'invalid_request', field: null, index: null, event: null, keyId: 'key_1'},
  ]);
});
