// When a report that is shared names people.
import {describe, expect, test} from 'vitest';
import type {ReportQuery} from '../../src/asks/report.js';
import {namingPeople} from '../../src/edge/routes/names-people.js';

const asked = (more: object): ReportQuery =>
  ({report: 'counts', where: [], measure: 'users', ...more}) as unknown as ReportQuery;
const by = (name: string, of: 'property' | 'trait' = 'property', more: object = {}): ReportQuery =>
  asked({breakdown: [{by: of, name, limit: 25}], ...more});
const rows = (...users: readonly (readonly [value: string, users: number])[]) => ({
  breakdown: {
    rows: [...users.map(([value, total]) => ({value, total, total_value: total})), {kind: 'missing', total: 1}],
  },
});
const common = rows(['pro', 90], ['free', 12]);

describe('known words and forms', () => {
  test.each([...'email contact phone_number account_id accountId ip clientIp ip_address username user_no'.split(' ')])(
    'rows of %s',
    (name) => {
      expect(namingPeople(by(name), common).people).toEqual([`it lists values of ${name}, which may name people`]);
    },
  );

  test('a trait `name`; a property of this name may be that of a product', () => {
    expect(namingPeople(by('name', 'trait'), common).people).toHaveLength(1);
    expect(namingPeople(by('name'), common).people).toEqual([]);
    expect(
      namingPeople(asked({users: {where: [{property: 'name', op: 'set', values: []}], did: []}}), {}).people,
    ).toEqual(['it filters by name, which may name a person']);
  });

  test.each([
    'ada@x.io',
    '+49 170 1234567',
    '0170/1234567',
    '(415) 555-2671',
    '203.0.113.7',
    '2001:db8::1',
    'c0ffee00-1111-4222-8333-123456789abc',
  ])('a row of %s, and a condition with it', (value) => {
    expect(namingPeople(by('source'), rows([value, 50], ['web', 60])).people).toHaveLength(1);
    expect(namingPeople(asked({where: [{property: 'source', op: 'eq', values: [value]}]}), {}).people).toHaveLength(1);
  });

  test.each(['plan', 'zip', 'description', 'shipping', 'tip', 'valid', 'renowned'])('not %s', (name) => {
    expect(namingPeople(by(name), common)).toEqual({people: [], brokenDownBy: [name], few: []});
  });

  test.each(['2026-05-01', '2026-05-01T10:00:00Z', '1.2.3', '12', '1700000000000', '00:30', '0.5 - 0.75', 'a:b'])(
    'not a row of %s',
    (value) => {
      expect(namingPeople(by('plan'), rows([value, 50], ['web', 60])).people).toEqual([]);
    },
  );
});

describe('few users', () => {
  test('most rows have fewer than five', () => {
    expect(namingPeople(by('handle'), rows(['a', 1], ['b', 4], ['c', 50]))).toEqual({
      people: [],
      brokenDownBy: ['handle'],
      few: ['handle'],
    });
    expect(namingPeople(by('handle'), rows(['a', 1], ['b', 5], ['c', 5])).few).toEqual([]);
    expect(namingPeople(by('handle'), rows(['a', 4], ['b', 5])).few).toEqual([]);
    expect(namingPeople(by('handle'), undefined).few).toEqual([]);
  });

  test('of several breakdowns, each is judged by its own values', () => {
    const broken = asked({
      breakdown: ['page', 'handle', 'plan'].map((name) => ({by: 'property', name, limit: 9})),
    });
    const row = (page: string, handle: string, users: number) => ({
      by: [{value: page}, {value: handle}, {kind: 'missing'}],
      total_value: users,
    });
    // Everybody sees many pages: no handle has more users than one, however many rows it has.
    const pages = [...'abcdef'].flatMap((page) => [row(page, 'ada', 1), row(page, 'bob', 1), row(page, 'all', 7)]);
    const named = ['page', 'handle', 'plan'];
    expect(namingPeople(broken, {breakdown: {rows: pages}})).toEqual({
      people: [],
      brokenDownBy: named,
      few: ['handle'],
    });
    const mail = [row('a', 'ada@x.io', 9), row('b', 'all', 9)];
    expect(namingPeople(broken, {breakdown: {rows: mail}})).toMatchObject({
      people: ['it lists values of handle, which may name people'],
      few: [],
    });
  });

  test('in each report that has rows; events are no users', () => {
    const few = {breakdown: {rows: [{value: 'a', total: 2, total_value: 2, overall: [{size: 2}]}]}};
    for (const report of ['active', 'funnel', 'retention'])
      expect(
        namingPeople(by('handle', 'property', {report, start: {where: []}, return: {where: []}}), few).few,
      ).toEqual(['handle']);
    expect(namingPeople(by('handle', 'property', {measure: undefined}), few).few).toEqual([]);
    expect(namingPeople(by('handle', 'property', {event: 'x'}), {series: [few]}).few).toEqual(['handle']);
  });
});
