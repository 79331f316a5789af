// The rules of rows around edits: which rule a row has, whenever it is read.
import {describe, expect, test} from 'vitest';
import type {Endpoint, Subscription} from '../../src/webhooks/endpoint.js';
import type {StoredEvent} from '../../src/webhooks/payload.js';
import {earlierWith, hasEventRule, RowRules} from '../../src/webhooks/row-rules.js';
import {webhookOf} from '../support/webhook.js';

const generations = [{generation: 1, ordinal: 0, users: 0}];
const ends = (...ordinals: number[]) => ordinals.map((ordinal) => ({generation: 1, ordinal}));
const events = (...names: string[]): Subscription[] => [{type: 'event.tracked', names}];
const named = (event: string): StoredEvent => ({
  id: '0-0',
  event,
  userId: 'ada',
  anonymousId: null,
  properties: {},
  timestamp: '2026-11-28T00:00:00.000Z',
  received_at: '2026-11-28T00:00:00.000Z',
});

function edited(endpoint: Endpoint, types: readonly Subscription[], at: ReturnType<typeof ends>): Endpoint {
  const earlier = earlierWith(endpoint, types, at);
  return {...endpoint, types, ...(earlier && {earlier})};
}

const first: Endpoint = {...webhookOf('event.tracked'), types: events('a', 'b')};
const second = edited(first, events('b', 'c'), ends(10, 20));
const third = edited(second, [{type: 'user.deleted'}], ends(30, 20));

/** Names that the rules take at an ordinal. */
const takenAt = (endpoint: Endpoint, partition: number, ordinal: number, of = generations): string =>
  ['a', 'b', 'c'].filter((name) => new RowRules(endpoint).takes(named(name), {partition, ordinal}, of)).join('');

test('a row has the rule that the endpoint had when its partition ended before it', () => {
  const rules = (partition: number) => [9, 10, 19, 20, 29, 30].map((at) => takenAt(third, partition, at));
  expect(rules(0)).toEqual(['ab', 'bc', 'bc', 'bc', 'bc', '']);
  expect(rules(1)).toEqual(['ab', 'ab', 'ab', '', '', '']);
  expect(new RowRules(third).names).toEqual(['a', 'b', 'c']);
  expect([first, second, third].map(hasEventRule)).toEqual([true, true, true]);
});

test('rows behind the place where the log lost its end are later than an edit before that', () => {
  const lost = [...generations, {generation: 2, ordinal: 8, users: 0}];
  expect([7, 8, 9].map((at) => takenAt(second, 0, at, lost))).toEqual(['ab', 'bc', 'bc']);
});

describe('an edit', () => {
  test('that leaves the rule for events alone, or between which no row was stored, makes no earlier rule', () => {
    const other = [...events('b', 'c'), {type: 'user.deleted'}] as const;
    expect(earlierWith(second, other, ends(50, 50))).toBe(second.earlier);
    expect(earlierWith(second, events('z'), ends(10, 20))).toBe(second.earlier);
    expect(earlierWith(first, first.types, ends(50, 50))).toBeUndefined();
  });

  test('that brings events begins behind the rows that nobody asked for', () => {
    const endpoint = edited(webhookOf('user.deleted'), events('a'), ends(10, 20));
    const rules = new RowRules(endpoint);
    expect([0, 1].map((partition) => rules.beginIn(partition, generations))).toEqual([10, 20]);
    expect(rules.firstPlace(1)).toEqual({generation: 1, ordinal: 20});
    expect(new RowRules(third).beginIn(0, generations)).toBe(0);
    expect(new RowRules(first).firstPlace(0)).toBeUndefined();
  });
});

test('earlier rules are past behind their last row, unless the tail missed one or is of another generation', () => {
  const rules = new RowRules(third);
  const cursor = {v: 1, generation: 1, ordinal: 30} as const;
  expect(rules.arePast(cursor, 0, generations)).toBe(true);
  expect(rules.arePast({...cursor, ordinal: 29}, 0, generations)).toBe(false);
  expect(rules.arePast({...cursor, missed: [[3, 4]]}, 0, generations)).toBe(false);
  expect(rules.arePast({...cursor, generation: 0}, 0, generations)).toBe(false);
});
