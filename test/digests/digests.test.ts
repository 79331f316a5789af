// The pass of digests over a fake world: a bucket, a queue and edges that fail where a story says so.
import {expect, test} from 'vitest';
import type {KeptReport} from '../../src/asks/address.js';
import type {FiguresAnswer, FiguresQuestion} from '../../src/asks/figures.js';
import type {Digest} from '../../src/digests/definition.js';
import {type Digested, Digests} from '../../src/digests/digests.js';
import type {ToldRecord} from '../../src/digests/told.js';
import {createLogger} from '../../src/observe.js';
import {messageId, type Trigger} from '../../src/webhooks/trigger.js';
import {MemoryBucket} from '../support/memory-bucket.js';

const at = (text: string): number => Date.parse(text);
const question = {
  ...{report: 'counts', events: [{event: 'signup'}], series: false},
  ...{range: '-7d', interval: 'day', week_start: 'monday', timezone: 'UTC'},
} as const;

class World {
  readonly bucket = new MemoryBucket();
  readonly sent: {endpoint: string; trigger: Trigger & {data: Record<string, unknown>}}[] = [];
  readonly asked: FiguresQuestion[] = [];
  digests: Digest[];
  digested: Digested | undefined = {name: 'Growth', reports: [{questions: [question]} as KeptReport]};
  answer: FiguresAnswer | undefined = {kind: 'figures', figures: [{name: 'signup', value: 12, previous: 10}]};
  takes = Number.POSITIVE_INFINITY;

  constructor(more: Partial<Digest> = {}) {
    this.digests = [
      {
        v: 1,
        id: 'dg_1',
        createdMs: at('2026-06-01T12:00Z'),
        of: 'sr_1',
        hour: 9,
        timezone: 'UTC',
        isPaused: false,
        ...more,
      },
    ];
  }

  /** A process begins. */
  process(): {pass(time: string): Promise<void>} {
    let nowMs = 0;
    const digests = new Digests({
      digests: () => this.digests,
      digested: () => this.digested,
      subscribers: (name) => (name === 'Growth' ? ['wh_1', 'wh_2'] : []),
      figures: async (asked) => {
        this.asked.push(asked);
        return this.answer;
      },
      dashboardUrl: 'https://stats.example.com/dashboard',
      hasEndpoint: () => true,
      bucket: this.bucket,
      publish: async (endpoint, trigger) => {
        if (this.takes === 0) throw new Error('the queue is full');
        this.takes -= 1;
        this.sent.push({endpoint, trigger: trigger as World['sent'][number]['trigger']});
      },
      messageId: (...parts) => messageId('secret', ...parts),
      wallMs: () => nowMs,
      logger: createLogger('silent', 'test'),
    });
    return {
      pass: async (time) => {
        nowMs = at(time);
        await digests.judge({asOfMs: nowMs, positions: '0:0.1', refreshMs: 1_000});
      },
    };
  }

  /** Endpoints and due times of what was sent. */
  get told(): string[] {
    return this.sent.map(({endpoint, trigger: {data}}) => `${endpoint} ${(data.due_at as string).slice(5, 16)}`);
  }

  get ids(): number {
    return new Set(this.sent.map(({trigger}) => trigger.id)).size;
  }
}

test('a digest tells its numbers once, with those before and where to see them', async () => {
  const world = new World();
  const {pass} = world.process();
  for (const time of ['2026-06-01T12:01Z', '2026-06-02T08:59Z']) await pass(time);
  expect(world.told).toEqual([]);
  expect(world.bucket.entries.size).toBe(0);
  for (const time of ['2026-06-02T09:00:01Z', '2026-06-02T09:00:02Z', '2026-06-02T23:00Z']) await pass(time);
  expect(world.told).toEqual(['wh_1 06-02T09:00', 'wh_2 06-02T09:00']);
  const address = '/trends?event=signup&range=2026-05-26..2026-06-01&zone=UTC';
  expect(world.sent[0]!.trigger).toEqual({
    v: 1,
    id: messageId('secret', 'digest', 'dg_1', String(at('2026-06-02T00:00Z'))),
    type: 'report.digest',
    timestampMs: at('2026-06-02T09:00:01Z'),
    data: {
      digest: {id: 'dg_1'},
      of: {id: 'sr_1', name: 'Growth'},
      ...{every: 'day', due_at: '2026-06-02T09:00:00.000Z', late: false, missed: 0},
      reports: [
        {
          ...{from: '2026-05-26', to: '2026-06-01'},
          address: expect.stringContaining('/dashboard/trends?'),
          link: expect.stringContaining('https://stats.example.com/dashboard/trends?'),
          figures: [{name: 'signup', value: 12, previous: 10, change: 0.2}],
        },
      ],
      text: expect.stringContaining(
        'Daily digest: Growth.\n2026-05-26 to 2026-06-01: signup 12 (+20 %, 10 before)\nhttps://',
      ),
    },
  });
  expect(world.asked).toEqual([
    {
      question: {...question, range: {from: '2026-05-26', to: '2026-06-01'}, compare: 'before'},
      untilMs: at('2026-06-02T00:00Z'),
    },
  ]);
  expect((world.sent[0]!.trigger.data.reports as {address: string}[])[0]!.address).toBe(`/dashboard${address}`);
});

test('a crash before the message is stored, and one before or in the midst of its queueing, send no second one', async () => {
  const world = new World();
  world.bucket.isWritable = false;
  await world.process().pass('2026-06-02T09:01Z');
  expect(world.told).toEqual([]);
  world.bucket.isWritable = true;
  world.takes = 0;
  await world.process().pass('2026-06-02T09:02Z');
  world.takes = 1;
  world.answer = {kind: 'figures', figures: [{name: 'signup', value: 13, previous: 10}]};
  await world.process().pass('2026-06-02T09:03Z');
  world.takes = Number.POSITIVE_INFINITY;
  await world.process().pass('2026-06-02T09:04Z');
  await world.process().pass('2026-06-02T09:05Z');
  expect(world.told).toEqual(['wh_1 06-02T09:00', 'wh_1 06-02T09:00', 'wh_2 06-02T09:00']);
  expect(world.ids).toBe(1);
  // Both have the numbers that were stored.
  const values = world.sent.map(({trigger}) => JSON.stringify(trigger.data));
  expect(new Set(values).size).toBe(1);
  expect((JSON.parse(world.bucket.entries.get('st.dg_1')!.text) as ToldRecord).waiting).toEqual([]);
});

test('two processes that both take themselves for the owner tell it under one id', async () => {
  const world = new World({endpoints: ['wh_1']});
  const [one, other] = [world.process(), world.process()];
  await Promise.all([one.pass('2026-06-02T09:01Z'), other.pass('2026-06-02T09:01Z')]);
  await other.pass('2026-06-03T09:01Z');
  await one.pass('2026-06-03T09:01Z');
  expect(new Set(world.told)).toEqual(new Set(['wh_1 06-02T09:00', 'wh_1 06-03T09:00']));
  expect(world.ids).toBe(2);
});

test('those that an outage missed are one, late; one that an edge has no numbers for comes as soon as it has', async () => {
  const world = new World({endpoints: ['wh_1']});
  const figures = world.answer;
  world.answer = {kind: 'later', message: 'away'};
  const {pass} = world.process();
  await pass('2026-06-02T09:01Z');
  world.answer = figures;
  await pass('2026-06-02T09:02Z');
  expect(world.sent[0]!.trigger.data).toMatchObject({late: false, missed: 0});
  await pass('2026-06-06T10:00Z');
  expect(world.told).toEqual(['wh_1 06-02T09:00', 'wh_1 06-06T09:00']);
  expect(world.sent[1]!.trigger.data).toMatchObject({
    ...{late: true, missed: 3},
    reports: [{from: '2026-05-30', to: '2026-06-05'}],
    text: expect.stringContaining('Late: it was due at 2026-06-06 09:00 UTC, and 3 earlier ones were missed.'),
  });
  await pass('2026-06-07T09:10Z'); // Late without a missed one.
  expect(world.sent[2]!.trigger.data).toMatchObject({late: true, missed: 0});
});

test('where no edge answers, no other digest is asked for in the pass; one without numbers holds up no other', async () => {
  const world = new World();
  world.digests = [world.digests[0]!, {...world.digests[0]!, id: 'dg_2'}];
  world.answer = undefined;
  const {pass} = world.process();
  await pass('2026-06-02T09:01Z');
  expect(world.asked.length).toBe(1);
  world.answer = {kind: 'later', message: 'not now'};
  await pass('2026-06-02T09:02Z');
  expect(world.asked.length).toBe(3);
});

test('a report that is refused says why in place of its numbers', async () => {
  const world = new World({endpoints: ['wh_1']});
  world.answer = {kind: 'refused', message: 'there is no segment sg_1'};
  await world.process().pass('2026-06-02T09:01Z');
  expect(world.sent[0]!.trigger.data.reports).toMatchObject([{error: 'there is no segment sg_1', figures: []}]);
});

test('what is due while a digest is paused, or after its report was deleted, is never told; a deleted one leaves no record', async () => {
  const world = new World({endpoints: ['wh_1'], isPaused: true});
  const {pass} = world.process();
  await pass('2026-06-02T09:01Z');
  world.digests = [{...world.digests[0]!, isPaused: false}];
  await pass('2026-06-02T10:00Z');
  const {digested} = world;
  world.digested = undefined;
  await pass('2026-06-03T09:01Z');
  world.digested = digested;
  await pass('2026-06-03T10:00Z');
  expect(world.told).toEqual([]);
  await pass('2026-06-04T09:01Z');
  expect(world.sent[0]!.trigger.data).toMatchObject({late: false, missed: 0});
  world.digests = [];
  await pass('2026-06-04T09:02Z');
  expect(world.bucket.entries.size).toBe(0);
});
