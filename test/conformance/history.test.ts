// GET /v1/events: filters, order, pages.

import {setTimeout as pause} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {Client, expectError, expectJson, type HistoryAnswer, type ProfileBody, query} from '../support/http.js';
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
  test('nothing yet: an empty page', async () => {
    expect(await under.history({userId: freshId()})).toEqual({data: [], has_more: false, next_cursor: null});
  });

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

  test('all users together stand in the one order too, and every id is unique', async () => {
    const event = freshId('event');
    const timestamp = '2024-02-02T02:02:02.222Z';
    const events = Array.from({length: 60}, (_, at) => ({event, userId: freshId(), timestamp, properties: {at}}));
    for (const part of [events.slice(0, 20), events.slice(20, 40), events.slice(40)]) await under.trackAll(part);
    const {data} = await under.history({event});
    const places = data.map((one) => one.id.split('-').map(Number) as [number, number]);
    expect(new Set(data.map((one) => one.id)).size).toBe(60);
    expect(places).toEqual([...places].sort((a, b) => b[0] - a[0] || b[1] - a[1]));
    for (const partition of new Set(places.map(([p]) => p))) {
      const arrivals = data.filter((one) => one.id.startsWith(`${partition}-`)).map((one) => Number(one.properties.at));
      expect(arrivals).toEqual([...arrivals].sort((a, b) => b - a));
    }
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

describe('limit', () => {
  test('100 unless told, from 1 to 1,000', async () => {
    const userId = freshId();
    await under.trackAll(eventsOf(userId, 1_000));
    await under.trackAll([{event: 'oldest', userId, timestamp: '2023-01-01'}]);
    expect(names(await under.history({userId}))).toEqual(newestFirst(999, 900));
    expect(names(await under.history({userId, limit: 1}))).toEqual(['e999']);
    const most = await under.history({userId, limit: 1_000});
    expect([most.data.length, most.has_more]).toEqual([1_000, true]);
    const rest = await under.history({userId, limit: 1_000, cursor: most.next_cursor!});
    expect([names(rest), rest.has_more, rest.next_cursor]).toEqual([['oldest'], false, null]);
  });

  test('a page that ends exactly at the end says so', async () => {
    const userId = freshId();
    await under.trackAll(eventsOf(userId, 4));
    expect(await under.history({userId, limit: 4})).toMatchObject({has_more: false, next_cursor: null});
    const first = await under.history({userId, limit: 2});
    expect(first.has_more).toBe(true);
    expect(await under.history({userId, limit: 2, cursor: first.next_cursor!})).toMatchObject({has_more: false});
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

  test('equal milliseconds are cut anywhere without loss or repetition', async () => {
    const event = freshId('event');
    await under.trackAll(Array.from({length: 30}, () => ({event, userId: freshId(), timestamp: '2024-01-01'})));
    const whole = (await under.history({event})).data.map((one) => one.id);
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page: HistoryAnswer = await under.history({event, limit: 4, cursor});
      paged.push(...page.data.map((one) => one.id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(paged).toEqual(whole);
    expect(whole).toHaveLength(30);
  });

  test('a deletion between two pages takes its events out of the rest, and pages stay full', async () => {
    const [event, gone] = [freshId('event'), freshId()];
    const events = Array.from({length: 20}, (_, at) => ({
      event,
      userId: at % 2 === 0 ? gone : freshId(),
      timestamp: new Date(Date.UTC(2024, 0, 1, 0, at)).toISOString(),
      properties: {at},
    }));
    await under.trackAll(events);
    const first = await under.history({event, limit: 4});
    expect(first.data.map((one) => one.properties.at)).toEqual([19, 18, 17, 16]);
    // 202 where the disk is slow: no answer knows the user any more then, either.
    expect([200, 202]).toContain((await under.read.delete(`/v1/users/${gone}`)).status);
    const second = await under.history({event, limit: 4, cursor: first.next_cursor!});
    expect(second.data.map((one) => one.properties.at)).toEqual([15, 13, 11, 9]);
    const third = await under.history({event, limit: 100, cursor: second.next_cursor!});
    expect(third.data.map((one) => one.properties.at)).toEqual([7, 5, 3, 1]);
    expect(third.has_more).toBe(false);
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

  test('a bad cursor, a changed one and one of other filters are invalid_cursor', async () => {
    const userId = freshId();
    await under.trackAll(eventsOf(userId, 3));
    const filters = {userId, from: '2024-01-01'};
    const {next_cursor: cursor} = await under.history({...filters, limit: 1});
    const ask = (parameters: Record<string, string | number | undefined>) =>
      under.read.get(`/v1/events?${query(parameters)}`);
    const middle = Math.floor(cursor!.length / 2);
    const other = cursor![middle] === 'A' ? 'B' : 'A';
    const changed = `${cursor!.slice(0, middle)}${other}${cursor!.slice(middle + 1)}`;
    for (const bad of [
      'x',
      'null',
      '{}',
      'AAAA',
      `${cursor}x`,
      cursor!.slice(0, -2),
      cursor!.slice(1),
      changed,
      'é☂',
    ]) {
      expectError(await ask({...filters, cursor: bad}), 400, 'invalid_cursor');
    }
    const foreign: Record<string, string | undefined>[] = [
      {userId},
      {userId: freshId(), from: '2024-01-01'},
      {anonymousId: userId, from: '2024-01-01'},
      {userId, from: '2024-01-02'},
      {...filters, event: 'e1'},
      {...filters, to: '2024-02-01'},
      {},
    ];
    for (const parameters of foreign) expectError(await ask({...parameters, cursor: cursor!}), 400, 'invalid_cursor');
    expectJson(await ask({...filters, cursor: cursor!, limit: 2}), 200);
  });
});

describe('under load', () => {
  /** Writes events of one user one after the other, and looks for each as soon as it is answered. */
  async function writeAndRead(userId: string, count: number): Promise<void> {
    const write = new Client(under.service.baseUrl, under.service.writeKey);
    const read = new Client(under.service.baseUrl, under.service.secretKey);
    for (let n = 1; n <= count; n++) {
      expectJson(await write.post('/v1/events', {event: `e${n}`, userId, timestamp: new Date(n).toISOString()}), 200);
      const path = n % 2 === 0 ? `/v1/events?${query({userId, limit: 1})}` : `/v1/users/${userId}`;
      const body = (await read.get(path)).json<Partial<HistoryAnswer & ProfileBody>>();
      expect((body.data ?? body.events)![0], path).toMatchObject({event: `e${n}`});
    }
  }

  test('every client sees its own event in the next read', async () => {
    await Promise.all(Array.from({length: 16}, () => writeAndRead(freshId(), 20)));
  });

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
