// Alerts of users who stall, over a fake world: published deadlines, a bucket and a queue that fail where a story says so.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Alert, StalledRule} from '../../src/alerts/definition.js';
import {pagesMax, Stalls, usersOfPage} from '../../src/alerts/stalls.js';
import type {FollowedQuestion} from '../../src/asks/question/funnel.js';
import type {ReportQuery} from '../../src/asks/report.js';
import type {Stall, StallPage, StallPlace} from '../../src/asks/stalled.js';
import {createLogger} from '../../src/observe.js';
import type {EndpointKind} from '../../src/webhooks/endpoint.js';
import {messageId, type Trigger} from '../../src/webhooks/trigger.js';
import {MemoryBucket} from '../support/memory-bucket.js';
import {runs} from '../support/runs.js';

const minuteMs = 60_000;
const rule: StalledRule = {kind: 'stalled', funnel: 'fn_1', step: 1, minutes: 30};

const checkout: FollowedQuestion = {
  report: 'funnel',
  steps: [{event: 'cart', where: ['plan eq pro']}, {event: 'buy'}, {event: 'rate'}],
  window: '5s',
  where: ['a set'],
};

class World {
  readonly sent: {endpoint: string; trigger: Trigger}[] = [];
  readonly asked: ReportQuery[] = [];
  readonly bucket = new MemoryBucket();
  alerts: Alert[] = [
    {v: 1, id: 'al_1', createdMs: 0, name: 'Cart left', rule, for: 1, endpoints: ['wh_1', 'wh_2'], isPaused: false},
  ];
  readonly endpoints: Record<string, EndpointKind> = {wh_1: 'webhook', wh_2: 'webhook', wh_3: 'slack'};
  hasFunnel = true;
  /** All of the story; a publication has those up to its time. */
  stalls: Stall[] = [];
  nowMs = 0;
  published = 0;
  isGone = false;
  /** Triggers that the queue takes before it is away. */
  takes = Number.POSITIVE_INFINITY;

  process(): Stalls {
    return new Stalls({
      alerts: () => this.alerts,
      endpoint: (id) => (this.endpoints[id] === undefined ? undefined : {id, kind: this.endpoints[id]}),
      subscribers: (names) => (names.includes('Checkout') ? [{id: 'wh_2', kind: 'webhook'}] : []),
      funnel: () => (this.hasFunnel ? {name: 'Checkout', question: checkout} : undefined),
      bodyOf: async (query) => {
        this.asked.push(query);
        return this.isGone ? undefined : this.page(query as Extract<ReportQuery, {report: 'stalled'}>);
      },
      bucket: this.bucket,
      publish: async (endpoint, trigger) => {
        if (this.takes === 0) throw new Error('the queue is away');
        this.takes -= 1;
        this.sent.push({endpoint, trigger});
      },
      messageId: (...parts) => messageId('secret', ...parts),
      logger: createLogger('silent', 'test'),
    });
  }

  private page({from, untilMs, limit}: {from: StallPlace; untilMs: number; limit: number}): StallPage {
    const placed = (one: StallPlace): number => one.deadlineMs * 1e6 + one.partition * 1e5 + one.user;
    const found = this.stalls
      .filter((one) => one.deadlineMs <= untilMs && placed(one) >= placed(from))
      .sort((a, b) => placed(a) - placed(b));
    return {data: found.slice(0, limit), has_more: found.length > limit};
  }

  stall(user: number, minute: number): Stall {
    const deadlineMs = minute * minuteMs;
    const reachedMs = deadlineMs - rule.minutes * minuteMs;
    const stall = {deadlineMs, partition: user % 2, user, generation: 1, enteredMs: reachedMs, reachedMs};
    this.stalls.push(stall);
    return stall;
  }

  async publish(stalls: Stalls, minute: number): Promise<void> {
    this.nowMs = minute * minuteMs;
    this.published += 1;
    await stalls.judge({asOfMs: this.nowMs, positions: `0:0.${this.published}`, refreshMs: minuteMs});
  }

  /** `endpoint user` of what was sent. */
  get told(): string[] {
    return this.sent.map(({endpoint, trigger}) => `${endpoint} ${'of' in trigger ? trigger.of.user : '?'}`);
  }

  get record() {
    return JSON.parse(this.bucket.entries.get('st.al_1')!.text) as {state: string; value: number; from: StallPlace};
  }
}

test('each user is told once their deadline is published, to each webhook, by numbers alone', async () => {
  const world = new World();
  world.stall(7, 40);
  const stalls = world.process();
  await world.publish(stalls, 50);
  world.stall(8, 60);
  await world.publish(stalls, 55);
  expect(world.told).toEqual([]);
  await world.publish(stalls, 60);
  await world.publish(stalls, 70);
  expect(world.told).toEqual(['wh_1 8', 'wh_2 8']);
  expect(world.sent[0]!.trigger).toEqual({
    v: 1,
    id: expect.stringMatching(/^msg_[0-9A-Za-z]{27}$/),
    type: 'funnel.stalled',
    timestampMs: 60 * minuteMs,
    of: {
      partition: 0,
      generation: 1,
      user: 8,
      funnel: 'fn_1',
      alert: 'al_1',
      reached: 1,
      reachedMs: 30 * minuteMs,
      enteredMs: 30 * minuteMs,
    },
  });
  const isSet = {property: 'a', op: 'set', values: []};
  expect(world.asked[0]).toMatchObject({
    report: 'stalled',
    steps: [
      {event: 'cart', where: [isSet, {property: 'plan', op: 'eq', values: ['pro']}]},
      {event: 'buy', where: [isSet]},
    ],
    windowMs: 5_000,
    withinMs: 30 * minuteMs,
    untilMs: 55 * minuteMs,
  });
  expect(world.record).toMatchObject({state: 'ok', value: 1});
});

test('by default those who subscribe are told, and a chat never', async () => {
  const world = new World();
  const [alert] = world.alerts as [Alert];
  const {endpoints: _, ...unaddressed} = alert;
  world.alerts = [unaddressed, {...alert, id: 'al_2', endpoints: ['wh_3', 'wh_9']}];
  const stalls = world.process();
  await world.publish(stalls, 1);
  world.stall(7, 2);
  await world.publish(stalls, 3);
  expect(world.told).toEqual(['wh_2 7']);
});

test('what passes while it is paused, without its funnel, or under another rule is told to nobody', async () => {
  const world = new World();
  const stalls = world.process();
  const [alert] = world.alerts as [Alert];
  await world.publish(stalls, 1);
  world.alerts = [{...alert, isPaused: true}];
  world.stall(1, 2);
  await world.publish(stalls, 3);
  world.alerts = [alert];
  world.hasFunnel = false;
  world.stall(2, 4);
  await world.publish(stalls, 5);
  world.hasFunnel = true;
  world.alerts = [{...alert, rule: {...rule, minutes: 60}}];
  world.stall(3, 6);
  await world.publish(stalls, 7);
  world.stall(4, 8);
  await world.publish(stalls, 9);
  expect(world.told).toEqual(['wh_1 4', 'wh_2 4']);
  world.alerts = [];
  await world.publish(stalls, 10);
  expect(world.bucket.entries.has('st.al_1')).toBe(false);
});

test('an entry that stalls at a second step, after an edit of the alert, is another message; at the same step it is the same one', async () => {
  const world = new World();
  const stalls = world.process();
  const [alert] = world.alerts as [Alert];
  world.alerts = [{...alert, endpoints: ['wh_1']}];
  const edited = (change: Partial<StalledRule>): void => {
    world.alerts = [{...world.alerts[0]!, rule: {...(world.alerts[0]!.rule as StalledRule), ...change}}];
  };
  const found = async (minute: number): Promise<string> => {
    await world.publish(stalls, minute);
    world.stalls = [{...world.stall(8, minute + 1), enteredMs: 0}];
    await world.publish(stalls, minute + 2);
    return world.sent.at(-1)!.trigger.id;
  };
  const first = await found(10);
  edited({step: 2});
  const second = await found(20);
  edited({step: 1, minutes: 90});
  const third = await found(30);
  expect(world.told).toEqual(['wh_1 8', 'wh_1 8', 'wh_1 8']);
  expect([second === first, third === first]).toEqual([false, true]);
});

test('what one publication has no room for is told behind the next', async () => {
  const world = new World();
  const stalls = world.process();
  await world.publish(stalls, 1);
  const most = usersOfPage * pagesMax;
  // All of them at once, as of an import.
  for (let user = 0; user < most + 5; user++) world.stall(user, 2);
  await world.publish(stalls, 3);
  expect([world.sent.length, world.asked.length]).toEqual([2 * most, pagesMax]);
  await world.publish(stalls, 4);
  expect(new Set(world.told).size).toBe(2 * (most + 5));
  expect(world.sent.length).toBe(2 * (most + 5));
  expect(world.record.value).toBe(most + 5);
});

const someStep = fc.oneof(
  {weight: 6, arbitrary: fc.record({do: fc.constant('stall' as const), inMinutes: fc.integer({min: 0, max: 6})})},
  {weight: 6, arbitrary: fc.record({do: fc.constant('publish' as const), minutes: fc.integer({min: 0, max: 4})})},
  {weight: 1, arbitrary: fc.record({do: fc.constant('crash' as const)})},
  {weight: 1, arbitrary: fc.record({do: fc.constant('gone' as const)})},
  {weight: 1, arbitrary: fc.record({do: fc.constant('bucket' as const)})},
  {weight: 2, arbitrary: fc.record({do: fc.constant('queue' as const), takes: fc.integer({min: 0, max: 5})})},
  {weight: 1, arbitrary: fc.record({do: fc.constant('other' as const)})},
);

test('whatever fails, those told are those whose deadline came after the first publication, each under one id', async () => {
  const property = fc.asyncProperty(fc.array(someStep, {minLength: 10, maxLength: 60}), async (story) => {
    const world = new World();
    let stalls = world.process();
    const other = world.process();
    let minute = 10;
    await world.publish(stalls, minute);
    let users = 0;
    for (const step of story) {
      switch (step.do) {
        case 'stall':
          // Deadlines of what is judged lie in the past, all others do not.
          world.stall(users++, minute + 1 + step.inMinutes);
          break;
        case 'publish':
          minute += step.minutes;
          await world.publish(stalls, minute);
          world.takes = Number.POSITIVE_INFINITY;
          world.isGone = world.bucket.isAway = false;
          break;
        case 'other': // Which believes to be the owner, too.
          await world.publish(other, minute);
          break;
        case 'crash':
          stalls = world.process();
          break;
        case 'gone':
          world.isGone = true;
          break;
        case 'bucket':
          world.bucket.isAway = true;
          break;
        case 'queue':
          world.takes = step.takes;
      }
    }
    world.takes = Number.POSITIVE_INFINITY;
    world.isGone = world.bucket.isAway = false;
    // One of them may have to learn first that the other one wrote the record.
    for (let i = 0; i < 3; i++) await world.publish(stalls, minute + 20);
    const told = world.told;
    expect(new Set(told)).toEqual(new Set(world.stalls.flatMap(({user}) => [`wh_1 ${user}`, `wh_2 ${user}`])));
    expect(new Set(world.sent.map(({trigger}) => trigger.id)).size).toBe(world.stalls.length);
  });
  await fc.assert(property, {numRuns: runs(100)});
});
