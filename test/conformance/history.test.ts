// GET /v1/events: filters, order, pages.

import {describe, expect, test} from 'vitest';
import type {HistoryAnswer} from '../support/http.js';
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

test('events are listed newest first by timestamp; equal milliseconds by arrival, the later one first', async () => {
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

test('conditions: pages that hold what meets them, in order, without gaps, also beyond the events that a page judges at once', async () => {
  const userId = freshId();
  const of = (at: number): Record<string, unknown> => ({
    n: at,
    plan: at % 3 === 0 ? 'pro' : 'free',
    deep: {tag: `t${at}`},
  });
  const sent = eventsOf(userId, 700).map((event, at) => ({
    ...event,
    properties: of(at),
    context: {locale: `l${at % 7}`},
  }));
  expect((await under.write.post('/v1/events/batch', {events: sent})).status).toBe(200);
  const all = async (...where: string[]): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = new URLSearchParams({userId, limit: '40'});
      for (const one of where) query.append('where', one);
      if (cursor !== '') query.set('cursor', cursor);
      const page = (await under.read.get(`/v1/events?${query}`)).json<HistoryAnswer>();
      expect(page.data.length).toBeLessThanOrEqual(40);
      found.push(...names(page));
      cursor = page.next_cursor;
    }
    return found;
  };
  const meant = (is: (at: number) => boolean): string[] =>
    Array.from({length: 700}, (_, at) => 699 - at).flatMap((at) => (is(at) ? [`e${at}`] : []));
  expect(await all('plan eq pro')).toEqual(meant((at) => at % 3 === 0));
  expect(await all('plan eq pro', 'n lt 50', 'context.locale eq l3')).toEqual(
    meant((at) => at % 3 === 0 && at < 50 && at % 7 === 3),
  );
  expect(await all('deep.tag eq t5')).toEqual(['e5']);
  expect(await all('plan unset')).toEqual([]);
});

test('filters: userId, anonymousId, event, from and to, alone and together', async () => {
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
