// The evaluator over a fake world: published numbers, a bucket and a queue that fail where a story says so.
import {describe, expect, test} from 'vitest';
import type {AlertRecord} from '../../src/alerts/alert-record.js';
import {AlertWatch} from '../../src/alerts/alert-watch.js';
import type {Alert, Rule} from '../../src/alerts/definition.js';
import {AlertEvaluator, type EvaluatorPorts} from '../../src/alerts/evaluator.js';
import type {WatchedQuestion} from '../../src/asks/question/counts.js';
import type {ReportAnswer, ReportQuery} from '../../src/asks/report.js';
import type {Segment} from '../../src/kept/segment.js';
import {createLogger, type Logger} from '../../src/observe.js';
import type {EndpointKind} from '../../src/webhooks/endpoint.js';
import {messageId, type Trigger} from '../../src/webhooks/trigger.js';
import {MemoryBucket} from '../support/memory-bucket.js';

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 10, 27, 21);

const errors: Rule = {
  kind: 'threshold',
  question: {report: 'counts', events: [{event: 'failed'}]},
  minutes: 60,
  op: 'gte',
  bound: 10,
};

const paid: WatchedQuestion = {report: 'counts', events: [{event: 'paid'}]};

class World {
  readonly bucket = new MemoryBucket();
  readonly sent: {endpoint: string; trigger: Trigger}[] = [];
  readonly asked: (string | undefined)[] = [];
  /** Beginning of what was asked, of each question with windows, epoch ms. */
  readonly askedFrom: number[] = [];
  alerts: Alert[];
  endpoints: Record<string, EndpointKind> = {wh_1: 'webhook', wh_2: 'slack'};
  segments: Record<string, Pick<Segment, 'name' | 'users'>> = {};
  /** What the newest set counts. */
  count = 0;
  /** What it counts before the window. */
  earlier = 0;
  minute = 0;
  newest = 0;
  lagSeconds: number | undefined;
  takesTriggers = true;
  isReportAway = false;

  constructor(rule: Rule, more: Partial<Alert> = {}) {
    this.alerts = [
      {
        v: 1,
        id: 'al_1',
        createdMs: 0,
        name: 'Errors',
        rule,
        for: 1,
        endpoints: ['wh_1', 'wh_2'],
        isPaused: false,
        ...more,
      },
    ];
  }

  /** A process begins. */
  evaluator(): AlertEvaluator {
    const ports: EvaluatorPorts = {
      alerts: () => this.alerts,
      endpoint: (id) => (this.endpoints[id] === undefined ? undefined : {id, kind: this.endpoints[id]}),
      subscribers: (name) => (name === 'Errors' ? [{id: 'wh_3', kind: 'webhook'}] : []),
      funnel: () => undefined,
      segment: (id) => this.segments[id],
      ask: async (query, at) => this.answer(query, at),
      lag: async () => this.lagSeconds,
      bucket: this.bucket,
      publish: async (endpoint, trigger) => {
        if (!this.takesTriggers) throw new Error('the queue is full');
        this.sent.push({endpoint, trigger});
      },
      messageId: (...parts) => messageId('secret', ...parts),
      wallMs: () => startMs + this.minute * minuteMs,
      logger: createLogger('silent', 'test'),
    };
    return new AlertEvaluator(ports);
  }

  private answer(query: ReportQuery, at: string | undefined): ReportAnswer {
    this.asked.push(at);
    if (this.isReportAway) return {kind: 'unavailable', message: 'away'};
    if (at !== undefined && at !== `0:0.${this.newest}`) return {kind: 'snapshot_gone'};
    const {edges} = (query as {buckets?: {edges: readonly number[]}}).buckets ?? {edges: [0, 1]};
    if (at !== undefined) this.askedFrom.push(edges[0]!);
    const countOf = (edge: number): number => (edge === 0 && edges.length > 2 ? this.earlier : this.count);
    const body = JSON.stringify({data: edges.slice(0, -1).map((edge) => ({count: countOf(edge)}))});
    const asOf = new Date(startMs + this.minute * minuteMs).toISOString();
    const headers = {
      'Report-As-Of': asOf,
      'Report-Log-Position': `0:0.${this.newest}`,
      ETag: '""',
      'Report-Next-By': new Date(Date.parse(asOf) + minuteMs).toISOString(),
    };
    return {kind: 'report', headers, body};
  }

  async publish(evaluator: AlertEvaluator, count: number, minutes = 1): Promise<void> {
    this.count = count;
    this.minute += minutes;
    this.newest += 1;
    await evaluator.judgeReports((await evaluator.newestSet())!);
  }

  /** `endpoint state value` of what was sent. */
  get told(): string[] {
    return this.sent.map(({endpoint, trigger}) => {
      const {state, value} = (trigger as unknown as {data: {state: string; value: number}}).data;
      return `${endpoint} ${state} ${value}`;
    });
  }

  get record(): AlertRecord {
    return JSON.parse(this.bucket.entries.get('st.al_1')!.text) as AlertRecord;
  }
}

describe('an alert', () => {
  test('tells its endpoints each change, with what the window had, and which snapshots were judged', async () => {
    const world = new World(errors);
    const evaluator = world.evaluator();
    for (const count of [3, 12, 15, 2, 2]) await world.publish(evaluator, count);
    expect(world.told).toEqual(['wh_1 firing 12', 'wh_2 firing 12', 'wh_1 ok 2', 'wh_2 ok 2']);
    expect(world.sent[0]!.trigger).toEqual({
      v: 1,
      id: messageId('secret', 'alert', 'al_1', 'firing', '0:0.2'),
      type: 'report.threshold',
      timestampMs: startMs + 2 * minuteMs,
      data: {
        alert: {id: 'al_1', name: 'Errors'},
        state: 'firing',
        value: 12,
        bound: 10,
        from: '2026-11-27T20:02:00.000Z',
        to: '2026-11-27T21:02:00.000Z',
        report_log_position: '0:0.2',
        text: 'Firing: Errors. 12 events "failed" in 60 minutes; the bound is at least 10. (2026-11-27 21:02 UTC)',
      },
    });
    expect(world.record).toMatchObject({state: 'ok', value: 2, waiting: []});
  });

  test('is written when something changes, and not else', async () => {
    const world = new World(errors);
    const evaluator = world.evaluator();
    for (const count of [3, 4, 5, 6]) await world.publish(evaluator, count);
    expect(world.bucket.writes).toBe(1);
  });

  test('is judged once for each set, over that set alone', async () => {
    const world = new World(errors);
    const evaluator = world.evaluator();
    await world.publish(evaluator, 12);
    const {length} = world.asked;
    await evaluator.judgeReports((await evaluator.newestSet())!);
    expect(world.asked.slice(length)).toEqual([undefined]);
    const old = (await evaluator.newestSet())!;
    world.newest += 1;
    await evaluator.judgeReports({...old, positions: '0:0.77'}); // It is gone.
    expect(world.told.length).toBe(2);
  });

  test('that is paused is not judged; an endpoint that was deleted is passed over', async () => {
    const world = new World(errors, {isPaused: true});
    const evaluator = world.evaluator();
    await world.publish(evaluator, 12);
    expect(world.bucket.entries.size).toBe(0);
    world.alerts = [{...world.alerts[0]!, isPaused: false}];
    delete world.endpoints.wh_2;
    await world.publish(evaluator, 12);
    expect(world.told).toEqual(['wh_1 firing 12']);
  });
});

test('an alert that names no endpoints tells those that subscribe to it', async () => {
  const world = new World(errors);
  const {endpoints: _, ...alert} = world.alerts[0]!;
  world.alerts = [alert];
  world.endpoints.wh_3 = 'webhook';
  await world.publish(world.evaluator(), 12);
  expect(world.told).toEqual(['wh_3 firing 12']);
});

describe('a process that ends', () => {
  test('between the state and the queue: the next one queues the same message with the same id', async () => {
    const world = new World(errors);
    world.takesTriggers = false;
    await world.publish(world.evaluator(), 12);
    expect([world.told, world.record.waiting.length]).toEqual([[], 1]);
    world.takesTriggers = true;
    await world.publish(world.evaluator(), 12);
    expect(world.told).toEqual(['wh_1 firing 12', 'wh_2 firing 12']);
    expect(world.sent[0]!.trigger.id).toBe(messageId('secret', 'alert', 'al_1', 'firing', '0:0.1'));
    expect(world.record.waiting).toEqual([]);
  });

  test('two at once tell a change once: the state of one of them counts', async () => {
    const world = new World(errors);
    const [one, other] = [world.evaluator(), world.evaluator()];
    await world.publish(one, 3);
    await world.publish(other, 3);
    world.count = 12;
    world.newest += 1;
    const set = (await one.newestSet())!;
    await Promise.all([one.judgeReports(set), other.judgeReports(set)]);
    expect(world.told).toEqual(['wh_1 firing 12', 'wh_2 firing 12']);
    await world.publish(other, 12);
    await world.publish(one, 12);
    expect(world.told.length).toBe(2);
  });

  test('a bucket that is away delays, and loses nothing', async () => {
    const world = new World(errors);
    const evaluator = world.evaluator();
    await world.publish(evaluator, 3);
    world.bucket.isAway = true;
    await world.publish(evaluator, 12);
    expect(world.told).toEqual([]);
    world.bucket.isAway = false;
    await world.publish(evaluator, 13);
    expect(world.told).toEqual(['wh_1 firing 13', 'wh_2 firing 13']);
  });
});

test('quiet hours: the webhook is told at once, the chat in the morning, in one message', async () => {
  const quietHours = {timezone: 'UTC', from: '22:00', to: '07:00'};
  const world = new World(errors, {quietHours});
  const evaluator = world.evaluator();
  await world.publish(evaluator, 12, 30); // 21:30
  expect(world.told).toEqual(['wh_1 firing 12', 'wh_2 firing 12']);
  for (const count of [2, 14, 3]) await world.publish(evaluator, count, 60); // 22:30 to 00:30
  expect(world.told.slice(2)).toEqual(['wh_1 ok 2', 'wh_1 firing 14', 'wh_1 ok 3']);
  await world.publish(world.evaluator(), 4, 6 * 60 + 30); // 07:00, in another process
  expect(world.told.slice(5)).toEqual(['wh_2 ok 3']);
  const {data} = world.sent.at(-1)!.trigger as unknown as {data: {text: string}};
  expect(data.text.split('\n')).toEqual([
    'Errors: 3 changes in quiet hours.',
    'Over: Errors. 2 events "failed" in 60 minutes; the bound is at least 10. (2026-11-27 22:30 UTC)',
    'Firing: Errors. 14 events "failed" in 60 minutes; the bound is at least 10. (2026-11-27 23:30 UTC)',
    'Over: Errors. 3 events "failed" in 60 minutes; the bound is at least 10. (2026-11-28 00:30 UTC)',
  ]);
  await world.publish(evaluator, 4, 60);
  expect(world.told.length).toBe(6);
});

test('what was deferred by quiet hours is told in the morning, though the alert is paused', async () => {
  const quietHours = {timezone: 'UTC', from: '22:00', to: '07:00'};
  const world = new World(errors, {quietHours});
  const evaluator = world.evaluator();
  await world.publish(evaluator, 12, 90); // 22:30
  expect(world.told).toEqual(['wh_1 firing 12']);
  world.alerts = [{...world.alerts[0]!, isPaused: true}];
  await world.publish(evaluator, 0, 60);
  expect(world.told.length).toBe(1);
  await world.publish(world.evaluator(), 0, 8 * 60); // 07:30, in another process
  await world.publish(evaluator, 0, 60);
  expect(world.told).toEqual(['wh_1 firing 12', 'wh_2 firing 12']);
  expect(world.record).toMatchObject({state: 'firing'}); // It was not judged.
});

test('what was deferred of a paused alert of lag is told by the clock', async () => {
  const quietHours = {timezone: 'UTC', from: '20:00', to: '22:00'};
  const world = new World({kind: 'lag', of: 'report', seconds: 60}, {quietHours});
  const evaluator = world.evaluator();
  world.lagSeconds = 70;
  await evaluator.judgeLags();
  world.alerts = [{...world.alerts[0]!, isPaused: true}];
  world.minute = 59;
  await evaluator.judgeLags();
  expect(world.told).toEqual(['wh_1 firing 70']);
  world.minute = 60;
  await evaluator.judgeLags();
  expect(world.told).toEqual(['wh_1 firing 70', 'wh_2 firing 70']);
});

test('a process that starts goes on with the readings in a row, and counts no set twice', async () => {
  const world = new World(errors, {for: 3});
  await world.publish(world.evaluator(), 12);
  await world.publish(world.evaluator(), 13);
  const again = world.evaluator();
  await again.judgeReports((await again.newestSet())!); // The set that was judged before.
  expect(world.told).toEqual([]);
  await world.publish(world.evaluator(), 14);
  expect(world.told).toEqual(['wh_1 firing 14', 'wh_2 firing 14']);
});

test('what was deferred by quiet hours is told in the morning, though the reports do not answer', async () => {
  const world = new World(errors, {quietHours: {timezone: 'UTC', from: '22:00', to: '07:00'}});
  const evaluator = world.evaluator();
  await world.publish(evaluator, 12, 90); // 22:30
  const set = (await evaluator.newestSet())!;
  world.isReportAway = true;
  await evaluator.judgeReports({...set, asOfMs: set.asOfMs + 9 * 60 * minuteMs, positions: '0:0.9'}); // 07:30
  expect(world.told).toEqual(['wh_1 firing 12', 'wh_2 firing 12']);
});

test('the state of an alert that was deleted is removed', async () => {
  const world = new World(errors);
  const evaluator = world.evaluator();
  await world.publish(evaluator, 12);
  expect([evaluator.hasRecords, world.bucket.entries.size]).toEqual([true, 1]);
  world.alerts = [];
  await world.publish(evaluator, 12);
  expect([evaluator.hasRecords, world.bucket.entries.size]).toEqual([false, 0]);
});

test('lag is judged by the clock, and not while nobody knows it', async () => {
  const world = new World({kind: 'lag', of: 'report', seconds: 60}, {for: 2});
  const evaluator = world.evaluator();
  for (const seconds of [10, 61, undefined, 70, 80, 60]) {
    world.lagSeconds = seconds;
    world.minute += 1;
    await evaluator.judgeLags();
  }
  expect(world.told).toEqual(['wh_1 firing 70', 'wh_2 firing 70', 'wh_1 ok 60', 'wh_2 ok 60']);
});

test('an absence whose event was changed has to see the new one first', async () => {
  const rule: Rule = {kind: 'absence', question: paid, minutes: 60};
  const world = new World(rule);
  const evaluator = world.evaluator();
  await world.publish(evaluator, 5);
  expect(world.record.wasSeen).toBe(true);
  world.alerts = [{...world.alerts[0]!, rule: {...rule, question: {report: 'counts', events: [{event: 'other'}]}}}];
  await world.publish(evaluator, 0);
  expect(world.record.wasSeen).toBeUndefined();
  expect(world.told).toEqual([]);
});

test('an absence has seen an event that came with a time before its window, after its first evaluation', async () => {
  const world = new World({kind: 'absence', question: paid, minutes: 60});
  const evaluator = world.evaluator();
  await world.publish(evaluator, 0);
  world.earlier = 3; // An import.
  await world.publish(evaluator, 0);
  expect(world.told).toEqual(['wh_1 firing 0', 'wh_2 firing 0']);
});

test('an absence with conditions reads the rows of all time once an hour, until its event came', async () => {
  const world = new World({kind: 'absence', question: {...paid, where: ['plan eq pro']}, minutes: 5});
  const evaluator = world.evaluator();
  for (let minute = 0; minute < 180; minute++) await world.publish(evaluator, 0);
  const looks = world.askedFrom.flatMap((fromMs, at) => (fromMs === 0 ? [at] : []));
  expect(looks).toEqual([0, 60, 120]);
  world.earlier = 3; // An import.
  await world.publish(world.evaluator(), 0); // Another process goes on with what the record says.
  expect(world.told).toEqual(['wh_1 firing 0', 'wh_2 firing 0']);
  await world.publish(evaluator, 0);
  await world.publish(evaluator, 0);
  expect(world.askedFrom.at(-1)).toBe(startMs + (world.minute - 5) * minuteMs);
});

test('a segment is looked up with each publication, and told by its name; without it nothing is judged', async () => {
  const id = 'sg_0123456789abcdef';
  const question: WatchedQuestion = {report: 'counts', users: {segment: id}};
  const world = new World({kind: 'threshold', question, minutes: 60, op: 'gte', bound: 10});
  const evaluator = world.evaluator();
  await world.publish(evaluator, 12);
  expect([world.told, world.askedFrom]).toEqual([[], []]); // Only the set was asked for.
  world.segments = {[id]: {name: 'Paying', users: {where: ['plan eq pro']}}};
  await world.publish(evaluator, 13);
  expect(world.told).toEqual(['wh_1 firing 13', 'wh_2 firing 13']);
  expect((world.sent[0]!.trigger as unknown as {data: {text: string}}).data.text).toContain(
    '13 events (user in Paying)',
  );
  world.segments = {};
  await world.publish(evaluator, 0);
  expect(world.record).toMatchObject({state: 'firing', value: 13});
});

describe('an alert whose condition was changed', () => {
  const changed = (world: World, bound: number): void => {
    world.alerts = [{...world.alerts[0]!, rule: {...errors, bound} as Rule}];
  };

  test('begins anew: it fires again with its own bound', async () => {
    const world = new World(errors, {endpoints: ['wh_1']});
    const evaluator = world.evaluator();
    await world.publish(evaluator, 12);
    changed(world, 11);
    await world.publish(evaluator, 13);
    expect(world.told).toEqual(['wh_1 firing 12', 'wh_1 firing 13']);
    expect(world.record).toMatchObject({state: 'firing', value: 13, positions: '0:0.2'});
    await world.publish(evaluator, 14);
    expect(world.told).toHaveLength(2);
  });

  test('is over for who was told that it fires, if it does not fire any more', async () => {
    const world = new World(errors, {endpoints: ['wh_1']});
    const evaluator = world.evaluator();
    await world.publish(evaluator, 12);
    changed(world, 20);
    await world.publish(evaluator, 13);
    await world.publish(evaluator, 13);
    expect(world.told).toEqual(['wh_1 firing 12', 'wh_1 ok 13']);
    expect(world.record).toMatchObject({state: 'ok', value: 13, positions: '0:0.2'});
  });

  test('has to hold from then on, and what it said before still goes out', async () => {
    const world = new World(errors, {for: 2, endpoints: ['wh_1']});
    const evaluator = world.evaluator();
    world.takesTriggers = false;
    for (const count of [12, 12]) await world.publish(evaluator, count);
    world.takesTriggers = true;
    changed(world, 11);
    for (const count of [13, 14]) await world.publish(evaluator, count);
    expect(world.told).toEqual(['wh_1 firing 12', 'wh_1 ok 13', 'wh_1 firing 14']);
  });
});

describe('an alert that was edited, judged over the same snapshots by the process that takes over', () => {
  const edited = (world: World, bound: number): void => {
    world.alerts = [{...world.alerts[0]!, rule: {...errors, bound} as Rule}];
  };
  const takeOver = async (world: World): Promise<void> => {
    const evaluator = world.evaluator();
    await evaluator.judgeReports((await evaluator.newestSet())!);
  };
  const idsOf = (world: World): string[] => world.sent.map(({trigger}) => trigger.id);

  test('sends another message under another id, also for a rule that it had before', async () => {
    const world = new World(errors, {endpoints: ['wh_1']});
    await world.publish(world.evaluator(), 12);
    for (const bound of [11, 10]) {
      edited(world, bound);
      await takeOver(world);
    }
    expect(world.told).toEqual(['wh_1 firing 12', 'wh_1 firing 12', 'wh_1 firing 12']);
    expect(new Set(idsOf(world)).size).toBe(3);
    await takeOver(world);
    expect(world.sent.length).toBe(3);
  });

  test('tells its end, and the next firing, under ids of their own', async () => {
    const world = new World(errors, {endpoints: ['wh_1']});
    await world.publish(world.evaluator(), 12);
    for (const bound of [20, 10, 20]) {
      edited(world, bound);
      await takeOver(world);
    }
    expect(world.told).toEqual(['wh_1 firing 12', 'wh_1 ok 12', 'wh_1 firing 12', 'wh_1 ok 12']);
    expect(new Set(idsOf(world)).size).toBe(4);
  });

  test('repeats ids after a crash, before the record is written and after it', async () => {
    const world = new World(errors, {endpoints: ['wh_1']});
    await world.publish(world.evaluator(), 12);
    edited(world, 11);
    world.bucket.isWritable = false;
    await takeOver(world);
    expect(world.sent.length).toBe(1);
    world.bucket.isWritable = true;
    world.takesTriggers = false;
    await takeOver(world);
    const [waiting] = world.record.waiting;
    world.takesTriggers = true;
    for (let i = 0; i < 2; i++) await takeOver(world);
    expect(idsOf(world).slice(1)).toEqual([waiting!.id]);
    expect(waiting!.id).toBe(messageId('secret', 'alert', 'al_1', 'firing', '0:0.1', '1'));
  });
});

test('two messages that end quiet hours, of a rule before and after its edit, have two ids', async () => {
  const world = new World({kind: 'lag', of: 'report', seconds: 60}, {endpoints: ['wh_2']});
  const quietFrom = (from: string, to: string): void => {
    world.alerts = [{...world.alerts[0]!, quietHours: {timezone: 'UTC', from, to}}];
  };
  const judge = async (lagSeconds: number, minute: number): Promise<void> => {
    world.lagSeconds = lagSeconds;
    world.minute = minute;
    await world.evaluator().judgeLags();
  };
  quietFrom('20:00', '22:00');
  await judge(70, 0);
  await judge(70, 60);
  // The clock goes back by an hour, and the alert is edited.
  world.alerts = [{...world.alerts[0]!, rule: {kind: 'lag', of: 'report', seconds: 65}}];
  await judge(70, 0);
  await judge(70, 60);
  expect(world.told).toEqual(['wh_2 firing 70', 'wh_2 firing 70']);
  expect(new Set(world.sent.map(({trigger}) => trigger.id)).size).toBe(2);
});

describe('passes', () => {
  test('follow each publication, at rest for eight times of what it took, or for a refresh', async () => {
    const clock = {ms: 0};
    const passes: string[] = [];
    const refresh = {ms: 5_000};
    let needed = false;
    const watch = new AlertWatch({
      evaluator: {
        newestSet: async () => ({asOfMs: 0, positions: '', refreshMs: 0}),
        judgeReports: async () => {
          passes.push('reports');
          clock.ms += 100;
          return true;
        },
        judgeLags: async () => void passes.push('lags'),
        forget: () => void passes.push('forget'),
      },
      stalls: {judge: async () => void passes.push('stalls'), forget: () => {}},
      revisions: {judge: async () => {}, forget: () => {}},
      digests: {judge: async () => {}, forget: () => {}},
      isOwner: () => true,
      sweep: async () => void passes.push('sweep'),
      isNeeded: () => needed,
      refresh,
      monotonicMs: () => clock.ms,
      logger: createLogger('silent', 'test'),
    });
    await watch.look();
    expect(passes.splice(0)).toEqual(['sweep']); // What earlier processes left.
    needed = true;
    await watch.look();
    expect(passes).toEqual(['reports', 'stalls', 'lags']);
    watch.notePublished();
    clock.ms = 899;
    await watch.look();
    expect(passes.length).toBe(3);
    clock.ms = 900;
    await watch.look();
    expect(passes.slice(3)).toEqual(['reports', 'stalls']);
    clock.ms = 5_500;
    await watch.look();
    expect(passes.slice(5)).toEqual(['lags']);
    refresh.ms = 500;
    for (const ms of [6_000, 6_599, 6_600]) {
      watch.notePublished();
      clock.ms = ms;
      await watch.look();
    }
    expect(passes.slice(6)).toEqual(['reports', 'stalls', 'reports', 'stalls']);
    needed = false;
    clock.ms = 3_600_000;
    await watch.look();
    expect(passes.slice(10)).toEqual(['sweep']);
    await watch.stop();
  });

  test('are late while a publication waits for a whole pass longer than a refresh and 30 s', async () => {
    const clock = {ms: 0};
    const lines: string[] = [];
    let judge = (_isWhole: boolean): void => undefined;
    let [needed, ours] = [true, true];
    const watch = new AlertWatch({
      evaluator: {
        newestSet: async () => ({asOfMs: 0, positions: '', refreshMs: 0}),
        judgeReports: () =>
          new Promise((resolve) => {
            judge = resolve;
          }),
        judgeLags: async () => {},
        forget: () => {},
      },
      stalls: {judge: async () => {}, forget: () => {}},
      revisions: {judge: async () => {}, forget: () => {}},
      digests: {judge: async () => {}, forget: () => {}},
      isOwner: () => ours,
      sweep: async () => {},
      isNeeded: () => needed,
      refresh: {ms: 5_000},
      monotonicMs: () => clock.ms,
      logger: {
        ...createLogger('silent', 'test'),
        error: (_: object, line: string) => lines.push(line),
        info: (_: object, line: string) => lines.push(line),
      } as unknown as Logger,
    });
    const passOf = async (isWhole: boolean): Promise<void> => {
      const pass = watch.look();
      await new Promise((resolve) => setImmediate(resolve));
      judge(isWhole);
      await pass;
    };
    watch.notePublished();
    const pass = watch.look();
    await new Promise((resolve) => setImmediate(resolve));
    clock.ms = 35_000;
    expect(watch.lateMs).toBeUndefined();
    clock.ms = 35_001;
    expect(watch.lateMs).toBe(35_001);
    for (let looks = 0; looks < 2; looks++) watch.judgeLateness();
    expect(lines).toEqual(['alarm: alerts are late: a publication waits to be judged']);
    judge(false); // The set was dropped meanwhile: the publication still waits.
    await pass;
    expect(watch.lateMs).toBe(35_001);
    clock.ms = 1_000_000;
    await passOf(true);
    expect(watch.lateMs).toBeUndefined();
    watch.judgeLateness();
    expect(lines[1]).toBe('alerts are in time again');
    watch.notePublished();
    clock.ms = 9_000_000;
    expect(watch.lateMs).toBe(8_000_000);
    ours = false; // Another process judges.
    await watch.look();
    expect(watch.lateMs).toBeUndefined();
    watch.notePublished();
    needed = false;
    await watch.look();
    needed = true;
    expect(watch.lateMs).toBeUndefined();
    await watch.stop();
  });
});
