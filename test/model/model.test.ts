import {describe, expect, test} from 'vitest';
import {activeUsersOf, type Metric} from '../../tools/model/active-users.js';
import type {Interval} from '../../tools/model/calendar.js';
import {eventCountsOf} from '../../tools/model/event-counts.js';
import {funnelOf} from '../../tools/model/funnel.js';
import {eventJson, historyOf, pageOf, profileOf} from '../../tools/model/history.js';
import {type EventBody, type IdentifyBody, type JsonObject, Model, receivedAt} from '../../tools/model/model.js';

const noon = receivedAt(Date.UTC(2024, 0, 1, 12));

/** `A1 B5`: event A at second 1, B at second 5, in this order of arrival, all of one user. */
function arrivals(text: string, userId = 'ada'): EventBody[] {
  return text.split(' ').map((word) => ({
    event: word[0]!,
    userId,
    timestamp: `2024-01-01T00:00:${word.slice(1).padStart(2, '0')}Z`,
  }));
}

function modelOf(...bodies: EventBody[]): Model {
  const model = new Model();
  model.batch(bodies, noon);
  return model;
}

const seen = (userId: string, timestamp: string, event = 'seen'): EventBody => ({event, userId, timestamp});

const day = {from: '2024-01-01', to: '2024-01-01'};

const ada = (traits: JsonObject): IdentifyBody => ({userId: 'ada', traits});

describe('funnel', () => {
  const counts = (arriving: string, steps: string, more: {from?: string; window?: string} = {}): number[] => {
    const answer = funnelOf(modelOf(...arrivals(arriving)), {...day, ...more, steps: steps.split(',')});
    return (answer.steps as {count: number}[]).map((step) => step.count);
  };

  test.each([
    ['A1 B2 C3', 'A,B,C', [1, 1, 1]],
    ['B1 A2', 'A,B', [1, 0]],
    ['A1 X2 B3', 'A,B', [1, 1]],
    ['A1', 'A,A', [1, 0]],
    ['A1 A2', 'A,A', [1, 1]],
    ['A1 B1', 'A,B', [1, 1]],
    ['B1 A1', 'A,B', [1, 0]],
    ['C3 B2 A1', 'A,B,C', [1, 1, 1]],
    ['X1', 'A,B', [0, 0]],
  ])('%s through %s', (arriving, steps, expected) => expect(counts(arriving, steps)).toEqual(expected));

  test('an A before `from` does not enter', () => {
    expect(counts('A1 B5', 'A,B', {from: '2024-01-01T00:00:03Z'})).toEqual([0, 0]);
  });

  test('within a window any entry may convert, the bound included', () => {
    expect(counts('A1 B5 A6 B7', 'A,B', {window: '3'})).toEqual([1, 1]);
    expect(counts('A1 B4', 'A,B', {window: '3s'})).toEqual([1, 1]);
    expect(counts('A1 B5', 'A,B', {window: '3s'})).toEqual([1, 0]);
    expect(counts('A1 B5', 'A,B', {window: '1m'})).toEqual([1, 1]);
  });

  test('of equally deep walks the earliest start gives the times', () => {
    const answer = funnelOf(modelOf(...arrivals('A1 A2 B3')), {...day, steps: ['A', 'B'], window: '9'});
    expect((answer.steps as JsonObject[])[1]!.median_seconds).toBe(2);
  });

  test('the whole answer: rates are fractions, the median of an even count is the mean of the middle two', () => {
    const model = modelOf(...arrivals('A1 B2 C3', 'ada'), ...arrivals('A1 B5', 'bob'), ...arrivals('A1', 'cyd'));
    model.batch(arrivals('A9', 'dee'), noon);
    expect(funnelOf(model, {...day, steps: ['A', 'B', 'C']})).toEqual({
      steps: [
        {event: 'A', count: 4, conversion_rate: 1, step_conversion_rate: 1, drop_off: 0, median_seconds: null},
        {event: 'B', count: 2, conversion_rate: 0.5, step_conversion_rate: 0.5, drop_off: 2, median_seconds: 2.5},
        {event: 'C', count: 1, conversion_rate: 0.25, step_conversion_rate: 0.5, drop_off: 1, median_seconds: 1},
      ],
      conversion_rate: 0.25,
      total: 4,
    });
  });

  test('nobody entered: every rate is 0', () => {
    expect(funnelOf(new Model(), {...day, steps: ['A']})).toEqual({
      steps: [{event: 'A', count: 0, conversion_rate: 0, step_conversion_rate: 0, drop_off: 0, median_seconds: null}],
      conversion_rate: 0,
      total: 0,
    });
  });

  test('the two name spaces are two users', () => {
    const model = modelOf(...arrivals('A1'), {event: 'B', anonymousId: 'ada', timestamp: '2024-01-01T00:00:02Z'});
    expect(funnelOf(model, {...day, steps: ['A', 'B']}).total).toBe(1);
    expect((funnelOf(model, {...day, steps: ['A', 'B']}).steps as JsonObject[])[1]!.count).toBe(0);
  });
});

describe('event counts', () => {
  test('every bucket is present, only events inside the range count', () => {
    const model = modelOf(
      seen('ada', '2024-01-01T05:59:59.999Z'),
      seen('ada', '2024-01-01T06:00:00.000Z'),
      seen('bob', '2024-01-03T23:59:59.999Z'),
      seen('bob', '2024-01-04T00:00:00.000Z'),
      seen('bob', '2024-01-02T00:00Z', 'other'),
    );
    expect(eventCountsOf(model, {event: 'seen', from: '2024-01-01T06:00Z', to: '2024-01-03'})).toEqual({
      event: 'seen',
      interval: 'day',
      data: [
        {date: '2024-01-01', count: 1},
        {date: '2024-01-02', count: 0},
        {date: '2024-01-03', count: 1},
      ],
      total: 2,
    });
  });

  const properties: JsonObject = {
    plan: 'pro=1',
    n: 1.5,
    big: 1e21,
    zero: -0,
    yes: true,
    none: null,
    empty: '',
    list: ['x'],
    'a.b': 'literal',
    a: {b: 'path', c: {d: 2}},
    word: 'abc',
  };

  test.each([
    ['plan=pro=1', 1],
    ['n=1.5', 1],
    ['n=1.50', 0],
    ['big=1e+21', 1],
    ['zero=0', 1],
    ['yes=true', 1],
    ['none=null', 0],
    ['empty=', 1],
    ['missing=', 0],
    ['list=x', 0],
    ['list.0=x', 0],
    ['a.b=literal', 1],
    ['a.b=path', 0],
    ['a.c.d=2', 1],
    ['word.length=3', 0],
    ['constructor.name=Object', 0],
  ])('filter %s passes %i', (filter, total) => {
    const model = modelOf({...seen('ada', '2024-01-01'), properties});
    expect(eventCountsOf(model, {event: 'seen', ...day, filter}).total).toBe(total);
  });
});

describe('active users', () => {
  const ask = (model: Model, metric: Metric, interval: Interval, from: string, to: string): [number[], unknown] => {
    const answer = activeUsersOf(model, {metric, interval, from, to});
    return [(answer.data as {count: number}[]).map((bucket) => bucket.count), answer.total];
  };

  test('dau by day counts distinct users of the calendar day, total those of the range', () => {
    const model = modelOf(seen('ada', '2024-01-01'), seen('ada', '2024-01-01T12:00'), seen('ada', '2024-01-02'));
    expect(ask(model, 'dau', 'day', '2024-01-01', '2024-01-03')).toEqual([[1, 1, 0], 1]);
  });

  test('wau by day trails 7 days, looks back before `from`, total does not', () => {
    const model = modelOf(seen('ada', '2024-01-01T23:59:59.999Z'));
    expect(ask(model, 'wau', 'day', '2024-01-06', '2024-01-09')).toEqual([[1, 1, 0, 0], 0]);
  });

  test('a trailing window ends at the end of its bucket and nothing after `to` counts', () => {
    const model = modelOf(seen('ada', '2024-01-02T10:00'));
    expect(ask(model, 'wau', 'day', '2024-01-02', '2024-01-02T09:59:59.999')).toEqual([[0], 0]);
    expect(ask(model, 'wau', 'day', '2024-01-02', '2024-01-02T10:00')).toEqual([[1], 1]);
  });

  test('dau by hour trails 24 hours', () => {
    const model = modelOf(seen('ada', '2024-01-01T00:30'));
    const [counts] = ask(model, 'dau', 'hour', '2024-01-01T22:00', '2024-01-02T01:00');
    expect(counts).toEqual([1, 1, 0, 0]);
  });

  test('mau by week trails 30 days from the end of the week, mau by month is the calendar month', () => {
    const model = modelOf(seen('ada', '2024-01-01'));
    // Weeks end on 22 and 29 January, 5 February; 30 days before them: 23 and 30 December, 6 January.
    expect(ask(model, 'mau', 'week', '2024-01-15', '2024-02-04')).toEqual([[1, 1, 0], 0]);
    expect(ask(model, 'mau', 'month', '2024-01-01', '2024-02-29')).toEqual([[1, 0], 1]);
  });

  test('dau by week, wau by week and wau by month are calendar buckets inside the range', () => {
    const model = modelOf(
      seen('ada', '2024-01-01'),
      seen('bob', '2024-01-07T23:59:59.999Z'),
      seen('ada', '2024-01-08'),
    );
    for (const metric of ['dau', 'wau'] as const) {
      expect(ask(model, metric, 'week', '2024-01-02', '2024-01-08')).toEqual([[1, 1], 2]);
      expect(ask(model, metric, 'month', '2024-01-01', '2024-01-31')).toEqual([[2], 2]);
    }
  });
});

describe('history', () => {
  const timestamp = '2024-01-01T10:00:00.000Z';

  test('newest first by timestamp, then partition, then arrival', () => {
    const model = modelOf(
      {event: '1', userId: 'left', timestamp},
      {event: '2', userId: 'right', timestamp},
      {event: '3', userId: 'left', timestamp},
      {event: '4', userId: 'left', timestamp: '2024-01-01T09:00Z'},
    );
    model.partitions.set('user:right', 1);
    expect(historyOf(model, {}).map((event) => event.name)).toEqual(['2', '3', '1', '4']);
  });

  test('filters by user, name space, event and range', () => {
    const model = modelOf(
      seen('ada', '2024-01-01T00:00Z'),
      seen('ada', '2024-01-01T23:59:59.999Z', 'left'),
      {event: 'seen', anonymousId: 'ada', timestamp: '2024-01-02'},
      {event: 'seen', anonymousId: 'ada', userId: 'bob', timestamp: '2024-01-03'},
    );
    expect(historyOf(model, {userId: 'ada'})).toHaveLength(2);
    expect(historyOf(model, {anonymousId: 'ada'})).toHaveLength(1);
    expect(historyOf(model, {event: 'seen'})).toHaveLength(3);
    expect(historyOf(model, {to: '2024-01-01'})).toHaveLength(2);
    expect(historyOf(model, {from: '2024-01-02', to: '2024-01-02T00:00:00.000Z'})).toHaveLength(1);
  });

  test('a page says whether rows follow', () => {
    const rows = historyOf(modelOf(...arrivals('A1 A2 A3')), {});
    expect(pageOf(rows, 0, 2).hasMore).toBe(true);
    expect(pageOf(rows, 1, 2).hasMore).toBe(false);
  });

  test('absent ids and properties are null and {}, a given messageId comes back', () => {
    const model = modelOf({event: 'seen', anonymousId: 'x', timestamp: '2024-01-01T01:00+01:00', messageId: 'm'});
    expect(eventJson(historyOf(model, {})[0]!)).toEqual({
      event: 'seen',
      userId: null,
      anonymousId: 'x',
      properties: {},
      timestamp: '2024-01-01T00:00:00.000Z',
      messageId: 'm',
    });
  });
});

describe('what is stored', () => {
  test('a second copy of a messageId is not counted: first wins, per user and name space', () => {
    const model = modelOf(
      {event: 'first', userId: 'ada', messageId: 'm', timestamp: '2024-01-01'},
      {event: 'second', userId: 'ada', messageId: 'm', timestamp: '2024-01-02'},
      {event: 'third', anonymousId: 'ada', messageId: 'm', timestamp: '2024-01-03'},
      {event: 'fourth', userId: 'bob', messageId: 'm', timestamp: '2024-01-04'},
    );
    expect(model.events.map((event) => event.name)).toEqual(['first', 'third', 'fourth']);
  });

  test('message ids of secret keys are a scope of their own; a key that may not identify joins no ids', () => {
    const model = new Model(true);
    const order = {userId: 'ada', messageId: 'order', timestamp: '2024-01-01'};
    model.event({...order, event: 'guessed', anonymousId: 'd'}, noon, 'apart');
    model.event({...order, event: 'paid'}, noon, 'secret');
    model.event({...order, event: 'paid'}, noon, 'secret');
    model.event({event: 'seen', anonymousId: 'd'}, noon);
    expect(model.events.map(({name, user}) => [name, user.id])).toEqual([
      ['guessed', 'ada'],
      ['paid', 'ada'],
      ['seen', 'd'],
    ]);
  });

  test('traits of public keys make room for those of a secret key, the newest name first', () => {
    const model = new Model();
    model.identify(ada(Object.fromEntries(Array.from({length: 257}, (_, n) => [`junk ${n}`, n]))), noon);
    model.identify(ada({email: 'a@b.example', 'junk 9': 'kept'}), noon, 'secret');
    const profile = profileOf(model, {kind: 'user', id: 'ada'})!;
    expect(Object.keys(profile.traits).slice(-2)).toEqual(['junk 254', 'email']);
    expect(profile.traitsOverLimit).toBe(2);
  });

  test('created_at is the earliest event or identify, last_seen the latest event', () => {
    const model = modelOf(seen('ada', '2024-01-05'), seen('ada', '2024-01-03'));
    model.identify(ada({plan: 'free', team: {a: 1}}), receivedAt(Date.UTC(2024, 0, 2)));
    model.identify(ada({plan: null, team: {b: 2}}), receivedAt(Date.UTC(2024, 0, 9)));
    const profile = profileOf(model, {kind: 'user', id: 'ada'})!;
    expect(profile.traits).toEqual({plan: null, team: {b: 2}});
    expect(profile.createdAt.earliestMs).toBe(Date.UTC(2024, 0, 2));
    expect(profile.lastSeen.latestMs).toBe(Date.UTC(2024, 0, 5));
  });

  test('an identify of an earlier time sets what no later one has set; a second copy, or a time ahead, changes nothing more', () => {
    const model = new Model();
    model.identify(ada({plan: 'pro'}), receivedAt(5_000));
    const late = {...ada({plan: 'free', city: 'Ulm'}), messageId: 'm', timestamp: '1970-01-01T00:00:02Z'};
    model.identify(late, receivedAt(6_000));
    model.identify({...late, traits: {city: 'Bonn'}}, receivedAt(7_000));
    expect(profileOf(model, {kind: 'user', id: 'ada'})!.traits).toEqual({plan: 'pro', city: 'Ulm'});
    model.identify({...ada({plan: 'ahead'}), timestamp: '1970-01-01T12:00:00Z'}, receivedAt(8_000));
    model.identify(ada({plan: 'now'}), receivedAt(9_000));
    const profile = profileOf(model, {kind: 'user', id: 'ada'})!;
    expect(profile.traits.plan).toBe('now');
    expect([profile.createdAt.latestMs, profile.lastSeen.latestMs]).toEqual([2_000, 9_000]);
  });

  test('only identified: last_seen is the latest identify', () => {
    const model = new Model();
    model.identify(ada({}), receivedAt(1_000));
    model.identify(ada({}), receivedAt(3_000));
    const profile = profileOf(model, {kind: 'user', id: 'ada'})!;
    expect([profile.createdAt.latestMs, profile.lastSeen.latestMs]).toEqual([1_000, 3_000]);
  });

  test('a full profile leaves further traits out and counts them, but still updates the ones it has', () => {
    const model = new Model();
    model.identify(ada(Object.fromEntries(Array.from({length: 256}, (_, n) => [`t${n}`, n]))), noon);
    model.identify(ada({t0: 'new', further: 1}), noon);
    const profile = profileOf(model, {kind: 'user', id: 'ada'})!;
    expect(profile.traitsOverLimit).toBe(1);
    expect(profile.traits.t0).toBe('new');
    expect(Object.keys(profile.traits)).toHaveLength(256);
  });

  test('a deletion takes events and traits; old message ids stay refused, all else starts a fresh user', () => {
    const model = modelOf({...seen('ada', '2024-01-01'), messageId: 'm'}, seen('ada', '2024-01-02'));
    model.identify(ada({plan: 'pro'}), noon);
    expect(model.delete({kind: 'user', id: 'ada'})).toBe(2);
    expect(model.delete({kind: 'user', id: 'ada'})).toBeUndefined();
    model.event({...seen('ada', '2024-01-03'), messageId: 'm'}, noon);
    expect(profileOf(model, {kind: 'user', id: 'ada'})).toBeUndefined();
    model.event(seen('ada', '2024-01-01'), noon);
    expect(profileOf(model, {kind: 'user', id: 'ada'})).toMatchObject({traits: {}, hasMore: false});
  });

  test('deleting a userId leaves what was sent only with an anonymousId of the same text', () => {
    const model = modelOf(seen('ada', '2024-01-01'), {event: 'seen', anonymousId: 'ada', timestamp: '2024-01-01'});
    model.delete({kind: 'user', id: 'ada'});
    expect(model.events.map((event) => event.user.kind)).toEqual(['anonymous']);
  });
});
