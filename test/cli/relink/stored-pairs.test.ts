// What the history says of joins, as a table of its events.
import {expect, test} from 'vitest';
import {type HistoryEvent, StoredPairs} from '../../../src/cli/relink/stored-pairs.js';

/** `id userId:anonymousId second-of-time second-of-receipt`; `+`: joined; `!`: joins no ids. */
function stored(...lines: string[]): StoredPairs {
  const pairs = new StoredPairs();
  for (const line of lines) {
    const [id, ids, time, receipt] = line.replace(/[+!]/, '').split(' ') as [string, string, string, string];
    const [userId, anonymousId] = ids.split(':') as [string, string?];
    const event: HistoryEvent = {
      id,
      userId: userId || null,
      anonymousId: anonymousId ?? null,
      timestamp: `2026-05-01T00:00:0${time}.000Z`,
      received_at: `2026-05-02T00:00:0${receipt}.000Z`,
      ...(line.startsWith('+') ? {joined: true} : {}),
      ...(line.startsWith('!') ? {joins: false} : {}),
    };
    pairs.take(event);
  }
  return pairs;
}

test('the pairs of events with both ids: of two users of one anonymousId the one that was stored first comes first', () => {
  const pairs = stored(
    '1-0 ada:a 5 9',
    '1-1 bob:a 4 3',
    '2-0 :a 3 1',
    '1-2 ada:a 2 8',
    '1-4 bob:a 1 9',
    '2-1 ada 1 1',
    '+2-2 cyd:b 0 1',
    '!1-3 eve:a 0 0',
  );
  expect([...pairs.pairs()]).toEqual([
    {userId: 'bob', anonymousId: 'a'},
    {userId: 'ada', anonymousId: 'a'},
  ]);
  expect([pairs.events, pairs.count, pairs.doubles]).toEqual([8, 2, []]);
});

test('an event that is listed twice in one millisecond counts twice', () => {
  const {doubles} = stored('1-0 ada 5 5', '+2-7 ada:a 4 4', '2-7 :a 4 4', '2-7 :a 3 3');
  expect(doubles).toEqual([{id: '2-7', timestamp: '2026-05-01T00:00:04.000Z'}]);
});
