// What stands behind numbers: the spans and lists of exactly what was counted, and the reasons where there is none.
import {describe, expect, test} from 'vitest';
import {stateOf} from '../../dashboard/src/address/page-question.js';
import type {Span} from '../../dashboard/src/address/report-address.js';
import {computedLines, computedText} from '../../dashboard/src/charts/computed.js';
import {linesOf, type RowName} from '../../dashboard/src/charts/series-lines.js';
import {bucketSpan} from '../../dashboard/src/explained/bucket-span.js';
import {type Explanation, listedText} from '../../dashboard/src/explained/explanation.js';
import {activeBehind} from '../../dashboard/src/reports/active/behind.js';
import {funnelBehind} from '../../dashboard/src/reports/funnels/behind.js';
import {oftenBehind, type Stage, stageBehind} from '../../dashboard/src/reports/lifecycle/behind.js';
import {pathBehind} from '../../dashboard/src/reports/paths/behind.js';
import {retentionBehind} from '../../dashboard/src/reports/retention/behind.js';
import {trendBehind} from '../../dashboard/src/reports/trends/behind.js';
import type {CountsAnswer} from '../../src/edge/answers/counts.js';
import type {Front} from '../../src/edge/front.js';
import {pointing, readQuestion} from '../../src/edge/query/read-question.js';
import {queryOf} from '../../src/edge/routes/query.js';

const dayOf = (date: string): number => Date.parse(date) / 86_400_000;
const days = (from: string, to: string, zone = 'UTC'): Span => ({from: dayOf(from), to: dayOf(to), zone});
const freshness = undefined;
/** Where the people of a number are, in its report. The service takes the question. */
const placeOf = ({people}: Explanation): object => {
  const {report, ...asked} = people!.question;
  pointing('', () => queryOf(readQuestion({report: 'people', behind: people}, ''), front));
  return defined({report, interval: (asked as {interval?: string}).interval, ...people!.point});
};
const front = {reportZone: undefined, wallMs: () => 0} as unknown as Front;
const defined = (point: object): object =>
  Object.fromEntries(Object.entries(point).filter(([, one]) => one !== undefined));

describe('what lies in a bucket', () => {
  const weeks = ['2026-10-26', '2026-11-02', '2026-11-09'];
  const range = days('2026-10-28', '2026-11-10', 'Europe/Berlin');

  test('is cut by the range', () => {
    expect(bucketSpan(weeks, 0, range, 'week')).toEqual(days('2026-10-28', '2026-11-01', 'Europe/Berlin'));
    expect(bucketSpan(weeks, 2, range, 'week')).toEqual(days('2026-11-09', '2026-11-10', 'Europe/Berlin'));
  });

  test('of an hour is told by its moments, also where it comes twice', () => {
    const hours = ['2026-10-25T02:00:00+02:00', '2026-10-25T02:00:00+01:00', '2026-10-25T03:00:00+01:00'];
    const {fromMs, untilMs, zone} = bucketSpan(hours, 1, range, 'hour');
    expect([fromMs, untilMs, zone]).toEqual([Date.UTC(2026, 9, 25, 1), Date.UTC(2026, 9, 25, 2) - 1, undefined]);
  });
});

describe('a trend', () => {
  const asked = (search: string) => stateOf<'counts'>('/trends').codec.read(search).question;

  const behind = (search: string) => {
    const question = asked(search);
    return trendBehind({
      value: 5,
      series: question.events![0]!,
      question,
      row: undefined,
      answer: undefined,
      days: days('2026-11-01', '2026-11-02', 'Asia/Tokyo'),
      when: '1 - 2 Nov (Asia/Tokyo)',
      freshness,
    });
  };

  test('leads to its events without conditions alone', () => {
    expect(behind('event=a').events).toBe('show=history&event=a&from=2026-11-01&to=2026-11-02&zone=Asia%2FTokyo');
    expect(behind('event=&measure=1:sum:value').events).toContain('show=history&from=');
    for (const narrowed of ['where=1:plan+eq+pro', 'all_where=plan+eq+pro', 'user_where=plan+eq+pro'])
      expect(behind(`event=a&${narrowed}`).events).toBeUndefined();
  });

  test('leads to who did the events, whatever is measured of them', () => {
    const {question} = behind('event=&measure=1:sum:value&where=1:plan+eq+pro&user_where=city+eq+Rome').people!;
    expect(question).toMatchObject({
      where: ['plan eq pro'],
      users: {where: ['city eq Rome']},
      interval: 'hour',
    });
    for (const absent of ['events', 'measure']) expect(question).not.toHaveProperty(absent);
    expect(placeOf(behind('event=a'))).toEqual({report: 'counts', interval: 'hour'});
  });

  test('of a row of several breakdowns names all of them', () => {
    const question = asked('event=a&by=plan&by=trait:tier');
    const {title, people} = trendBehind({
      value: 5,
      series: question.events![0]!,
      question,
      row: {by: [{value: 'pro'}, {kind: 'other', values: 3}]},
      answer: undefined,
      days: days('2026-11-01', '2026-11-09'),
      when: 'then',
      freshness,
    });
    expect(title).toBe("5 events a, plan is pro and the user's trait tier is other (3 values)");
    expect(people!.point).toEqual({date: undefined, by: [{value: 'pro'}, {kind: 'other'}]});
    expect(people!.question).toMatchObject({breakdown: [{property: 'plan'}, {trait: 'tier'}]});
  });

  test('of a row of a breakdown names the row, and leads to the people of its value', () => {
    const rows: Partial<RowName>[] = [{value: 'pro'}, {value: ''}, {kind: 'missing'}, {kind: 'other', values: 3}];
    const question = asked('event=a&by=plan');
    const ofRow = (row: (typeof rows)[number]) =>
      trendBehind({
        value: 5,
        series: question.events![0]!,
        question,
        row: row as RowName,
        answer: {breakdown: {property: 'plan', rows}} as never,
        days: days('2026-11-01', '2026-11-09'),
        bucket: {dates: ['2026-11-01', '2026-11-02', '2026-11-03'], at: 1, interval: 'day'},
        when: 'then',
        freshness,
      });
    expect(rows.map((row) => ofRow(row).title)).toEqual([
      '5 events a, plan is pro',
      '5 events a, plan is (empty)',
      '5 events a, plan is not set',
      '5 events a, plan is other (3 values)',
    ]);
    const places = [{value: 'pro'}, {value: ''}, {kind: 'missing'}, {kind: 'other'}];
    expect(rows.map((row) => placeOf(ofRow(row)))).toEqual(
      places.map((place) => ({report: 'counts', interval: 'day', date: '2026-11-02', ...place})),
    );
    expect(ofRow(rows[0]!).people!.question).toMatchObject({breakdown: [{property: 'plan', limit: 25}]});
  });
});

test('a list of people says how much of it is shown', () => {
  expect(listedText(1, false, undefined)).toBe('1 person');
  expect(listedText(12, false, 12)).toBe('12 people');
  expect(listedText(50, true, 1_234)).toBe('1,234 people, the first 50 of them');
  expect(listedText(50, true, undefined)).toBe('the first 50 people');
});

describe('computed lines', () => {
  const answer = (counts: number[]): CountsAnswer =>
    ({
      data: counts.map((count, at) => ({date: `2026-11-0${at + 1}`, count})),
      total: counts.reduce((all, one) => all + one, 0),
    }) as CountsAnswer;
  const line = (label: string, counts: number[], past?: number[]) =>
    ({label, measure: 'total', answer: answer(counts), meta: undefined, past: past && answer(past)}) as const;
  const plain = (is: string) => ({as: is, is});
  const labels = ['refunds', 'orders'];

  test('have a value for each bucket, and of totals; nothing is divided by zero', () => {
    const lines = linesOf([line('refunds', [1, 0, 3], [2, 2, 0]), line('orders', [4, 0, 4], [4, 4, 4])]);
    const [quotient, ...others] = computedLines(lines, [plain('A / B')], labels);
    expect(others).toEqual([]);
    expect(quotient).toMatchObject({
      label: 'refunds / orders',
      total: 0.5,
      pastTotal: 4 / 12,
      parts: [
        {label: 'refunds', total: 4},
        {label: 'orders', total: 8},
      ],
    });
    expect(quotient!.answer.data.map(({count}) => count)).toEqual([0.25, null, 0.75]);
    expect(quotient!.past!.data.map(({count}) => count)).toEqual([0.5, 0.5, 0]);
    expect(computedText([quotient!], true)(0.25)).toBe('25.0\u2009%');
    expect(computedText([quotient!], false)(12.34567)).toBe('12.3457');
    expect(computedText(computedLines(lines, [plain('B / A')], labels), true)(4)).toBe('4');
    expect(computedText(computedLines(lines, [plain('A / 2')], labels), true)(0.5)).toBe('0.5');
  });

  test('are of the rows of the same value, several of them told apart by name', () => {
    const rows = (...all: (readonly [string, number])[]) => ({
      ...answer([1]),
      breakdown: {
        rows: [
          ...all.map(([value, count]) => ({value, ...answer([count])})),
          {kind: 'other', values: 2, ...answer([5])},
        ],
      },
    });
    const lines = linesOf([
      {...line('a', [1]), answer: rows(['pro', 6], ['free', 1]) as unknown as CountsAnswer},
      {...line('b', [1]), answer: rows(['free', 2], ['team', 3]) as unknown as CountsAnswer},
    ]);
    const computed = computedLines(lines, [plain('A - B'), {as: 'in all', is: 'A + B'}], ['a', 'b']);
    expect(computed.map(({label, total, tone}) => [label, total, tone])).toEqual([
      ['a - b: free', -1, 1],
      ['in all: free', 3, 2],
    ]);
    expect(computedLines(lines, [plain('A * 2')], ['a', 'b']).map(({label, total}) => [label, total])).toEqual([
      ['pro', 12],
      ['free', 2],
    ]);
  });
});

test('the active users of a point are those of its window', () => {
  const number = {
    value: 3,
    question: stateOf<'active'>('/active').codec.read('').question,
    days: days('2026-11-01', '2026-11-10'),
    when: 'then',
    freshness,
  };
  const point = (metric: 'dau' | 'mau') => ({
    metric,
    interval: 'day' as const,
    dates: ['2026-11-01', '2026-11-02', '2026-11-03'],
    at: 1,
  });
  const at = {report: 'active', interval: 'day', date: '2026-11-02'};
  expect(placeOf(activeBehind({...number, point: point('mau')}))).toEqual(at);
  expect(activeBehind({...number, point: point('mau')}).people!.question).toMatchObject({metric: 'mau'});
  expect(placeOf(activeBehind({...number, point: undefined}))).toEqual({report: 'active', interval: 'day'});
});

describe('retention', () => {
  const behind = (search: string, period: number | undefined, isOfAll = false) => {
    const {question} = stateOf<'retention'>('/retention').codec.read(`start=signup&${search}`);
    return retentionBehind({
      value: 2,
      size: 4,
      question,
      days: days('2026-10-28', '2026-11-20'),
      interval: 'week',
      dates: ['2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16'],
      cohort: isOfAll ? undefined : {at: 1, name: 'this week'},
      period,
      freshness,
    });
  };
  const at = {report: 'retention', interval: 'week'};

  test('of a cohort are its members, of a cell those who returned, of all cohorts those of the complete ones', () => {
    expect(placeOf(behind('', undefined))).toEqual({...at, cohort: '2026-11-02'});
    expect(placeOf(behind('frame=rolling', 2))).toEqual({...at, cohort: '2026-11-02', period: 2});
    expect(placeOf(behind('', 1, true))).toEqual({...at, period: 1});
  });

  test('has no list of all members of all cohorts', () => {
    const {people, noPeople} = behind('', undefined, true);
    expect([people, noPeople]).toEqual([undefined, expect.stringContaining('all cohorts')]);
  });
});

describe('lifecycle', () => {
  const {question} = stateOf<'lifecycle'>('/lifecycle').codec.read('event=a');
  const asked = {value: 2, question, days: days('2026-11-04', '2026-11-18'), interval: 'week' as const, freshness};
  const behind = (stage: Stage | undefined) =>
    placeOf(stageBehind({...asked, stage, date: '2026-11-09', when: 'then'}));
  const week = {report: 'lifecycle', interval: 'week', date: '2026-11-09'};

  test('stages are of a week, as is everybody of it', () => {
    expect(behind('dormant')).toEqual({...week, state: 'dormant'});
    expect(behind(undefined)).toEqual(week);
  });

  test('who was active so often is of stickiness', () => {
    const often = {...asked, isAtLeast: false, when: 'then'};
    expect(placeOf(oftenBehind({...often, buckets: 2}))).toEqual({report: 'stickiness', interval: 'week', buckets: 2});
    expect(placeOf(oftenBehind({...often, buckets: undefined}))).toEqual({report: 'stickiness', interval: 'week'});
  });
});

test('a place of a path is an event, or what has no name', () => {
  const {question} = stateOf<'paths'>('/paths').codec.read('event=a');
  const number = {
    users: 1,
    total: 2,
    question,
    days: days('2026-11-01', '2026-11-02'),
    when: 'then',
    freshness,
  };
  expect(placeOf(pathBehind({...number, step: 2, name: 'b'}))).toEqual({report: 'paths', step: 2, event: 'b'});
  expect(placeOf(pathBehind({...number, step: 3, name: 'nothing', kind: 'end'}))).toEqual({
    report: 'paths',
    step: 3,
    kind: 'end',
  });
});

test('a row of a funnel leads to its people', () => {
  const {question} = stateOf<'funnel'>('/funnels').codec.read('step=a&step=b&by=plan&by_at=2');
  const behind = (is: {value?: string; kind?: 'other' | 'missing'}) =>
    funnelBehind({
      value: 1,
      question,
      span: days('2026-11-01', '2026-11-02'),
      step: 2,
      outcome: 'dropped',
      row: {is, name: 'it'},
      when: '1 - 2 Nov',
      freshness,
    });
  const at = {report: 'funnel', step: 2, outcome: 'dropped'};
  expect(placeOf(behind({value: ''}))).toEqual({...at, value: ''});
  expect(placeOf(behind({kind: 'other'}))).toEqual({...at, kind: 'other'});
});
