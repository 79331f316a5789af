// Days that changed after they were complete: counted over random stories, and told over a fake world.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {changedDays, dayCountsOf} from '../../src/alerts/day-counts.js';
import {Revisions} from '../../src/alerts/revisions.js';
import type {ReportQuery} from '../../src/asks/report.js';
import {createLogger} from '../../src/observe.js';
import {messageId, type Trigger} from '../../src/webhooks/trigger.js';
import {MemoryBucket} from '../support/memory-bucket.js';
import {events, type Step, someStory, someTime, tell} from '../support/report-worlds.js';
import {runs} from '../support/runs.js';

const dayMs = 86_400_000;
const may = (day: number): number => Date.UTC(2026, 4, day);

test('counts of days are those of a twin, wherever in time they lie', async () => {
  const farAway = fc
    .constantFrom(0, dayMs, Date.UTC(1985, 3, 1), Date.UTC(1999, 11, 31))
    .map((timeMs): Step => ({do: 'track', event: {user: 'ada', event: 'A', timeMs, properties: {}}}));
  await fc.assert(
    fc.asyncProperty(
      someStory,
      fc.array(farAway, {maxLength: 2}),
      fc.constantFrom(...events),
      someTime,
      async (story, far, event, endMs) => {
        const world = tell([...story, ...far]);
        const endDay = Math.floor(endMs / dayMs);
        const expected = new Map<number, number>();
        for (const {name, timeMs} of world.model.events) {
          const day = Math.floor(timeMs / dayMs);
          if (name === event && day < endDay) expected.set(day, (expected.get(day) ?? 0) + 1);
        }
        const found = await dayCountsOf(event, endDay, (query) => world.ask(query));
        const sorted = (days: ReadonlyMap<number, number>) => [...days].sort(([a], [b]) => a - b);
        expect(sorted(found!)).toEqual(sorted(expected));
      },
    ),
    {numRuns: runs(100)},
  );
});

test('what changed: more, fewer, none any more, and nothing of days that were open', () => {
  const day = may(10) / dayMs;
  const before = new Map([
    [day, 5],
    [day + 1, 2],
    [day + 2, 7],
  ]);
  const after = new Map([
    [day - 1, 1],
    [day, 5],
    [day + 2, 8],
    [day + 3, 9],
  ]);
  expect(changedDays(before, after, day + 3)).toEqual([
    {date: '2026-05-09', before: 0, after: 1},
    {date: '2026-05-11', before: 2, after: 0},
    {date: '2026-05-12', before: 7, after: 8},
  ]);
});

class World {
  readonly bucket = new MemoryBucket();
  readonly sent: {endpoint: string; trigger: Trigger & {data?: unknown}}[] = [];
  subscribed = new Map([['signup', ['wh_1']]]);
  /** Times of `signup`. */
  times: number[] = [];
  newest = 0;
  takesTriggers = true;

  process(): Revisions {
    return new Revisions({
      subscribed: () => this.subscribed,
      bodyOf: async (query) => this.counted(query),
      hasEndpoint: () => true,
      bucket: this.bucket,
      publish: async (endpoint, trigger) => {
        if (!this.takesTriggers) throw new Error('the queue is full');
        this.sent.push({endpoint, trigger});
      },
      messageId: (...parts) => messageId('secret', ...parts),
      logger: createLogger('silent', 'test'),
    });
  }

  private counted(query: ReportQuery): unknown {
    const {edges} = (query as {buckets: {edges: readonly number[]}}).buckets;
    const counts = edges.slice(1).map((end, i) => this.times.filter((at) => at >= edges[i]! && at < end).length);
    return {data: counts.map((count) => ({count}))};
  }

  publish(revisions: Revisions, asOfMs: number): Promise<void> {
    this.newest += 1;
    return revisions.judge({asOfMs, positions: `0:0.${this.newest}`, refreshMs: 0});
  }
}

describe('report.revised', () => {
  test('is one message for each publication, of days that were complete in the one before', async () => {
    const world = new World();
    const revisions = world.process();
    world.times = [may(1), may(1), may(2)];
    await world.publish(revisions, may(2) + 1);
    world.times = [...world.times, may(2) + 2]; // Its day is open.
    await world.publish(revisions, may(2) + 3);
    await world.publish(revisions, may(3) + 1);
    expect(world.sent).toEqual([]);
    world.times = [may(1), may(2), may(2) + 1, may(2) + 2, may(3) + 2]; // One was erased, one came late.
    await world.publish(revisions, may(3) + 3);
    await world.publish(revisions, may(3) + 4);
    expect(world.sent).toEqual([
      {
        endpoint: 'wh_1',
        trigger: {
          v: 1,
          id: messageId('secret', 'revised', 'signup', '0:0.4', '0'),
          type: 'report.revised',
          timestampMs: may(3) + 3,
          data: {
            event: 'signup',
            interval: 'day',
            days: [
              {date: '2026-05-01', before: 2, after: 1},
              {date: '2026-05-02', before: 2, after: 3},
            ],
            report_log_position: '0:0.4',
            text: 'Days of "signup" changed after they were complete: 2026-05-01 from 2 to 1, 2026-05-02 from 2 to 3.',
          },
        },
      },
    ]);
  });

  test('compares with what was published before a restart, and queues what was not queued', async () => {
    const world = new World();
    world.times = [may(1), may(1)];
    await world.publish(world.process(), may(2));
    world.times = [may(1)];
    world.takesTriggers = false;
    await world.publish(world.process(), may(2) + 1);
    expect(world.sent).toEqual([]);
    world.takesTriggers = true;
    await world.publish(world.process(), may(2) + 2);
    expect(world.sent.map(({trigger}) => trigger.id)).toEqual([messageId('secret', 'revised', 'signup', '0:0.2', '0')]);
  });

  test('begins anew with an event that nobody named for a while', async () => {
    const world = new World();
    const revisions = world.process();
    world.times = [may(1)];
    await world.publish(revisions, may(2));
    world.subscribed = new Map();
    await world.publish(revisions, may(2) + 1);
    world.times = [];
    world.subscribed = new Map([['signup', ['wh_1']]]);
    await world.publish(revisions, may(2) + 2);
    await world.publish(revisions, may(2) + 3);
    expect(world.sent).toEqual([]);
  });

  test('forgets an event that nobody names any more, in the same process and after a restart', async () => {
    const world = new World();
    const revisions = world.process();
    const events = ['signup', 'order'];
    world.subscribed = new Map(events.map((event) => [event, ['wh_1']]));
    await world.publish(revisions, may(2));
    expect(world.bucket.entries.size).toBe(2);
    world.subscribed = new Map([['order', ['wh_1']]]);
    await world.publish(revisions, may(2) + 1);
    expect(world.bucket.entries.size).toBe(1);
    world.subscribed = new Map();
    expect(revisions.isNeeded).toBe(true); // One more pass.
    const next = world.process();
    expect(next.isNeeded).toBe(false);
    await next.sweep();
    expect(world.bucket.entries.size).toBe(0);
    await world.publish(revisions, may(2) + 2);
    expect(revisions.isNeeded).toBe(false);
  });

  test('tells very many days in several messages', async () => {
    const world = new World();
    const revisions = world.process();
    world.times = Array.from({length: 1_100}, (_, day) => may(1) - day * dayMs);
    await world.publish(revisions, may(2));
    world.times = [];
    await world.publish(revisions, may(2) + 1);
    const lengths = world.sent.map(({trigger}) => (trigger.data as {days: unknown[]}).days.length);
    expect(lengths).toEqual([500, 500, 100]);
    expect(new Set(world.sent.map(({trigger}) => trigger.id)).size).toBe(3);
    expect((world.sent[2]!.trigger.data as {text: string}).text).toMatch(/ from 1 to 0, and 90 more\.$/);
  });
});
