import {expect, test} from 'vitest';
import {ByteWriter} from '../../../actors/bytes/bytes.js';
import {type AcceptedEvent, beginMessage, sealMessage, writeEvent, writeIdentify} from '../../../actors/log/entries.js';
import {readCondition} from '../../../actors/report/rows/condition-text.js';
import {type ArrivalFilter, ArrivalSample, ArrivalTap, sampleMax} from '../../../src/edge/metrics/arrivals.js';
import {Random} from '../../../tools/random.js';

function messageOf(events: readonly Partial<AcceptedEvent>[]): Uint8Array {
  const writer = new ByteWriter(1_024);
  beginMessage(writer);
  writeIdentify(writer, 'ada', '{"plan":"pro"}', 5);
  for (const event of events)
    writeEvent(writer, {event: 'viewed', userId: 'ada', timeMs: 10, receivedMs: 20, ...event});
  return sealMessage(writer, new Uint8Array(8), 1, 0, events.length + 1);
}

function look(
  filter: ArrivalFilter = {},
  chooses: (count: number) => number = () => 0,
): {tap: ArrivalTap; sample: ArrivalSample} {
  const [tap, sample] = [new ArrivalTap(), new ArrivalSample(filter, chooses)];
  tap.open(sample);
  return {tap, sample};
}

test('a filter by properties reads them whole, nested ones and the context too', () => {
  const where = [readCondition('nested.a gt 1')!, readCondition('context.locale eq de')!];
  const {tap, sample} = look({where});
  const event = (a: number, locale: string) => ({event: `a${a}`, properties: {nested: {a}}, context: {locale}});
  tap.stored(messageOf([event(1, 'de'), event(2, 'de'), event(3, 'fr'), {event: 'none'}]), 1);
  const {count, events} = sample.take();
  expect([count, events.map((one) => one.event)]).toEqual([1, ['a2']]);
});

test('an arrival is the event as it came, without what an identify or a context says', () => {
  const {tap, sample} = look();
  const properties = {plan: 'pro', seats: 3, isTrial: false, nested: {a: [1]}};
  tap.stored(messageOf([{anonymousId: 'anon', messageId: 'm1', properties, context: {ip: 'secret'}}]), 1.234);
  expect(sample.take()).toEqual({
    count: 1,
    events: [
      {
        event: 'viewed',
        user_id: 'ada',
        anonymous_id: 'anon',
        message_id: 'm1',
        at: 10,
        received: 20,
        ack_ms: 1.2,
        properties: [
          ['plan', 'pro'],
          ['seats', 3],
          ['isTrial', false],
          ['nested', '{"a":[1]}'],
        ],
        more: 0,
      },
    ],
  });
  expect(sample.take()).toEqual({count: 0, events: []});
});

test('of an anonymous event there is no user', () => {
  const {tap, sample} = look();
  tap.stored(messageOf([{userId: undefined, anonymousId: 'anon'}]), 1);
  expect(sample.take().events).toMatchObject([{user_id: null, anonymous_id: 'anon', properties: []}]);
});

test('long texts and many properties are cut', () => {
  const {tap, sample} = look();
  const properties = Object.fromEntries(Array.from({length: 30}, (_, at) => [`key ${at}`, 'x'.repeat(5_000)]));
  tap.stored(messageOf([{properties}]), 1);
  const [{properties: shown, more}] = sample.take().events;
  expect([shown.length, more]).toEqual([12, 18]);
  expect(Math.max(...shown.map(([, value]) => String(value).length))).toBe(120);
});

test('a filter takes one event, or one user or anonymous one, and nobody whose id begins so', () => {
  const bytes = messageOf([
    {event: 'signup'},
    {event: 'signup_failed'},
    {userId: 'bob', event: 'signup'},
    {userId: undefined, anonymousId: 'bob'},
  ]);
  const counted = (filter: ArrivalFilter): number => {
    const {tap, sample} = look(filter);
    tap.stored(bytes, 1);
    return sample.take().count;
  };
  expect(counted({event: 'signup'})).toBe(2);
  expect(counted({user: 'bob'})).toBe(2);
  expect(counted({user: 'bo'})).toBe(0);
  expect(counted({user: 'ada', event: 'signup'})).toBe(1);
});

test('of many each is as likely as any other, and all are counted', () => {
  const random = new Random(7);
  const {tap, sample} = look({}, (count) => random.between(0, count - 1));
  const seen = new Array<number>(100).fill(0);
  for (let second = 0; second < 300; second++) {
    for (let half = 0; half < 100; half += 50) {
      tap.stored(messageOf(Array.from({length: 50}, (_, at) => ({event: String(half + at)}))), 1);
    }
    const {events, count} = sample.take();
    expect([events.length, count]).toEqual([sampleMax, 100]);
    for (const {event} of events) seen[Number(event)] += 1;
  }
  // 30 each; four times the deviation of that.
  expect(Math.min(...seen)).toBeGreaterThan(8);
  expect(Math.max(...seen)).toBeLessThan(52);
});

test('nothing is read while nobody looks', () => {
  const {tap, sample} = look();
  tap.close(sample);
  tap.stored(Uint8Array.of(1), 1); // No log message at all: reading it would throw.
  expect(sample.take().count).toBe(0);
});
