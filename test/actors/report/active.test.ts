// Metric and interval of docs/api/reports/active.md, told as stories; random ones are in against-model.test.ts.

import {describe, expect, test} from 'vitest';
import type {Interval} from '../../../actors/calendar.js';
import type {ActiveMetric} from '../../../src/asks/active-users.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import {Evaluation} from '../../../src/report/evaluate.js';
import {MemoryParts, TestPartition} from '../../support/snapshot.js';

async function activeOf(
  story: readonly (readonly [user: string, time: string])[],
  metric: ActiveMetric,
  interval: Interval,
  from: string,
  to: string,
): Promise<string> {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  for (const [user, time] of story) partition.append({user, event: 'seen', timeMs: Date.parse(time)});
  const query = {report: 'active', metric, interval, fromMs: Date.parse(from), toMs: Date.parse(to)} as const;
  return new Evaluation(new PartsCache(parts, 1 << 20), 1 << 20).answer(query, [partition.publish()]);
}

const counts = (text: string): number[] => (JSON.parse(text) as {data: {count: number}[]}).data.map((d) => d.count);
const total = (text: string): number => (JSON.parse(text) as {total: number}).total;

describe('active users', () => {
  test('an answer has every field, in the order of docs/api/reports/active.md', async () => {
    const story = [['ada', '2024-05-01T10:00:00Z']] as const;
    const text = await activeOf(story, 'dau', 'day', '2024-05-01T00:00:00Z', '2024-05-02T23:59:59.999Z');
    expect(text).toBe(
      '{"metric":"dau","interval":"day","data":[{"date":"2024-05-01","count":1},{"date":"2024-05-02","count":0}],"total":1}',
    );
  });

  test('hourly dau: the last 24 hours to the end of each hour, also from before `from`', async () => {
    const story = [
      ['ada', '2024-05-01T00:30:00Z'],
      ['bob', '2024-05-01T23:30:00Z'],
    ] as const;
    const text = await activeOf(story, 'dau', 'hour', '2024-05-01T22:00:00Z', '2024-05-02T01:59:59.999Z');
    expect(counts(text)).toEqual([1, 2, 1, 1]);
    expect(total(text)).toBe(1);
  });

  test('daily wau: seven days that end with each day', async () => {
    const story = [['ada', '2024-05-01T12:00:00Z']] as const;
    const text = await activeOf(story, 'wau', 'day', '2024-05-06T00:00:00Z', '2024-05-09T23:59:59.999Z');
    expect(counts(text)).toEqual([1, 1, 0, 0]);
    expect(total(text)).toBe(0);
  });

  test('weekly wau: the calendar week inside [from, to]', async () => {
    const story = [
      ['ada', '2024-05-06T00:00:00Z'],
      ['bob', '2024-05-07T00:00:00Z'],
      ['ada', '2024-05-13T00:00:00Z'],
    ] as const;
    const text = await activeOf(story, 'wau', 'week', '2024-05-06T00:00:00.001Z', '2024-05-13T00:00:00Z');
    expect(counts(text)).toEqual([1, 1]);
    expect(total(text)).toBe(2);
  });

  test('weekly mau: thirty days that end with each week', async () => {
    const story = [['ada', '2024-05-04T23:59:59.999Z']] as const;
    // Weeks end on 2 June (thirty days from 4 May on) and 9 June.
    const text = await activeOf(story, 'mau', 'week', '2024-05-27T00:00:00Z', '2024-06-09T23:59:59.999Z');
    expect(counts(text)).toEqual([1, 0]);
    const before = [['ada', '2024-05-03T23:59:59.999Z']] as const;
    expect(counts(await activeOf(before, 'mau', 'week', '2024-05-27T00:00:00Z', '2024-06-02T00:00:00Z'))).toEqual([0]);
  });

  test('nothing after `to` counts, though the bucket goes on', async () => {
    const story = [
      ['ada', '2024-05-01T10:00:00.000Z'],
      ['bob', '2024-05-01T10:00:00.001Z'],
    ] as const;
    for (const interval of ['hour', 'day', 'week', 'month'] as const) {
      const text = await activeOf(story, 'mau', interval, '2024-05-01T10:00:00Z', '2024-05-01T10:00:00Z');
      expect([interval, counts(text), total(text)]).toEqual([interval, [1], 1]);
    }
  });

  test('dau by month counts a user once a month', async () => {
    const story = [
      ['ada', '2024-01-31T23:59:59.999Z'],
      ['ada', '2024-02-01T00:00:00Z'],
      ['ada', '2024-02-29T00:00:00Z'],
      ['bob', '2024-02-29T00:00:00Z'],
    ] as const;
    const text = await activeOf(story, 'dau', 'month', '2024-01-01T00:00:00Z', '2024-02-29T23:59:59.999Z');
    expect(counts(text)).toEqual([1, 2]);
    expect(total(text)).toBe(2);
  });
});
