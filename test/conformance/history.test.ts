// GET /v1/events: filters, order, pages.

import {setTimeout as pause} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import type {HistoryAnswer} from '../support/http.js';
import {until} from '../support/reports.js';
import {freshId, useService} from './service-under-test.js';

const under = useService();

const names = (answer: HistoryAnswer): string[] => answer.data.map((event) => event.event);

/** `count` events e0, e1, ... of one user, a second apart. */
const eventsOf = (userId: string, count: number): Record<string, unknown>[] =>
  Array.from({length: count}, (_, at) => ({
    event: `e${at}`,
    userId,
    timestamp: new Date(Date.UTC(2024, 0, 1) + at * 1_000).toISOString(),
  }));

const newestFirst = (from: number, to: number): string[] =>
  Array.from({length: from - to + 1}, (_, at) => `e${from - at}`);

describe('the answer', () => {
  test('newest first by timestamp; equal milliseconds by arrival, the later one first', async () => {
    const userId = freshId();
    const at = (second: string): string => `2024-01-01T00:00:${second}Z`;
    for (const [event, second] of [
      ['b', '02'],
      ['d1', '04'],
      ['a', '01'],
      ['d2', '04.000'],
      ['c', '03'],
      ['d3', '04.0009'],
    ]) {
      await under.track({event, userId, timestamp: at(second!)});
    }
    expect(names(await under.history({userId}))).toEqual(['d3', 'd2', 'd1', 'c', 'b', 'a']);
  });
});

describe('filters', () => {
  test('userId, anonymousId, event, from and to, alone and together', async () => {
    const [id, event] = [freshId(), freshId('event')];
    await under.track({event, userId: id, timestamp: '2024-01-01T23:59:59.999Z'});
    await under.track({event: 'other', userId: id, timestamp: '2024-01-02T00:00:00Z'});
    await under.track({event, anonymousId: id, timestamp: '2024-01-03'});
    await under.track({event, userId: freshId(), anonymousId: freshId(), timestamp: '2024-01-04'});
    const dates = async (parameters: Record<string, string>): Promise<string[]> =>
      (await under.history(parameters)).data.map((one) => one.timestamp.slice(8, 10));
    expect(await dates({userId: id})).toEqual(['02', '01']);
    expect(await dates({anonymousId: id})).toEqual(['03']);
    expect(await dates({event})).toEqual(['04', '03', '01']);
    expect(await dates({event, userId: id})).toEqual(['01']);
    expect(await dates({userId: id, to: '2024-01-01'})).toEqual(['01']);
    expect(await dates({userId: id, from: '2024-01-02'})).toEqual(['02']);
    expect(await dates({userId: id, to: '2024-01-01T23:59:59.998Z'})).toEqual([]);
    expect(await dates({userId: id, from: '2024-01-01T23:59:59.999Z', to: '2024-01-02T00:00:00.000Z'})).toEqual([
      '02',
      '01',
    ]);
    expect(await dates({event, from: '2024-01-02', to: '2024-01-03'})).toEqual(['03']);
    expect(await dates({event: event.toUpperCase()})).toEqual([]);
  });
});

describe('cursor', () => {
  test('pages do not shift while events arrive, and the limit may change', async () => {
    const userId = freshId();
    await under.trackAll(eventsOf(userId, 50));
    const seen: string[] = [];
    let cursor: string | undefined;
    for (const limit of [7, 1, 20, 3, 1_000]) {
      const page: HistoryAnswer = await under.history({userId, limit, cursor});
      seen.push(...names(page));
      cursor = page.next_cursor ?? undefined;
      await under.trackAll([
        {event: 'newer', userId, timestamp: '2024-06-01'},
        {event: 'older', userId, timestamp: '2023-06-01'},
        {event: 'between', userId, timestamp: '2024-01-01T00:00:20.500Z'},
        {event: 'equal', userId, timestamp: '2024-01-01T00:00:42Z'},
      ]);
    }
    expect(seen).toEqual(newestFirst(49, 0));
    expect(cursor).toBeUndefined();
    expect((await under.history({userId, limit: 1_000})).data).toHaveLength(70);
  });

  test('a cursor goes on after a restart', async () => {
    const userId = freshId();
    await under.trackAll(eventsOf(userId, 20));
    let page = await under.history({userId, limit: 5});
    const seen = names(page);
    await under.restart('stop');
    await under.track({event: 'later', userId, timestamp: '2024-01-01T00:00:01Z'});
    page = await under.history({userId, limit: 5, cursor: page.next_cursor!});
    expect([...seen, ...names(page)]).toEqual(newestFirst(19, 10));
  });
});

describe('under load', () => {
  test('pages that are read while others write hold all of what was there, and nothing that came later', async () => {
    const event = freshId('event');
    let sent = 0;
    const answered: number[] = [];
    let isDone = false;
    const writer = async (): Promise<void> => {
      while (!isDone) {
        const numbers = Array.from({length: 20}, () => sent++);
        const timeOf = (n: number): string =>
          new Date(Date.UTC(2024, 0, 1) + ((n * 7_919) % 1_000) * 1_000).toISOString();
        await under.trackAll(
          numbers.map((n) => ({event, userId: `w-${n % 30}`, timestamp: timeOf(n), properties: {n}})),
        );
        answered.push(...numbers);
        await pause(50); // The readers must come to an end: what is written meanwhile makes their pages more.
      }
    };
    const writers = Promise.all(Array.from({length: 3}, writer));
    await until(
      async () => answered.length,
      (count) => count >= 500,
      '500 events',
    );

    for (let round = 0; round < 3; round++) {
      const before = new Set(answered);
      let page = await under.history({event, limit: 90});
      const after = sent;
      const rows = [...page.data];
      while (page.next_cursor !== null) {
        expect(page.data).toHaveLength(90);
        page = await under.history({event, limit: 90, cursor: page.next_cursor});
        rows.push(...page.data);
      }
      const numbers = new Set(rows.map((row) => Number(row.properties.n)));
      expect(numbers.size).toBe(rows.length);
      expect([...before].filter((n) => !numbers.has(n))).toEqual([]);
      expect([...numbers].filter((n) => n >= after)).toEqual([]);
      const times = rows.map((row) => row.timestamp);
      expect(times).toEqual([...times].sort().reverse());
    }
    isDone = true;
    await writers;
  });
});
