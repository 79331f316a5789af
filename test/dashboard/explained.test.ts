// What stands behind numbers: the spans and lists of exactly what was counted, and the reasons where there is none.
import {describe, expect, test} from 'vitest';
import {bucketSpan, laterBucket, trailingSpan} from '../../dashboard/src/address/bucket-span.js';
import {readAddress} from '../../dashboard/src/address/codec.js';
import {lifecycleForm, retentionForm} from '../../dashboard/src/address/engagement-address.js';
import {funnelForm} from '../../dashboard/src/address/funnel-address.js';
import type {Span} from '../../dashboard/src/address/report-address.js';
import {seriesOf, seriesQuestion, trendsForm, withSeries} from '../../dashboard/src/address/trends-address.js';
import {dividedBy, quotientText} from '../../dashboard/src/charts/divided.js';
import {linesOf, type RowName} from '../../dashboard/src/charts/series-lines.js';
import {activeBehind} from '../../dashboard/src/explained/active.js';
import {type Explanation, listedText} from '../../dashboard/src/explained/explanation.js';
import {funnelBehind} from '../../dashboard/src/explained/funnel.js';
import {oftenBehind, type Stage, stageBehind} from '../../dashboard/src/explained/lifecycle.js';
import {retentionBehind} from '../../dashboard/src/explained/retention.js';
import {trendBehind} from '../../dashboard/src/explained/trend.js';
import {flatOf} from '../../src/asks/question/flat.js';
import type {CountsAnswer} from '../../src/edge/answers/counts.js';

const dayOf = (date: string): number => Date.parse(date) / 86_400_000;
const days = (from: string, to: string, zone = 'UTC'): Span => ({from: dayOf(from), to: dayOf(to), zone});
const freshness = undefined;
/** Parameters of the list of people. */
const listOf = ({people}: Explanation): string | undefined =>
  people && decodeURIComponent(people.path).replaceAll('+', ' ');

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

  test('of a trailing window looks back before the range, to the end of its week', () => {
    expect(trailingSpan(weeks, 0, range, 'week', 30)).toEqual(days('2026-10-03', '2026-11-01', 'Europe/Berlin'));
    expect(trailingSpan(weeks, 2, range, 'week', 30)).toEqual(days('2026-10-17', '2026-11-10', 'Europe/Berlin'));
  });

  test('comes so many buckets later', () => {
    expect(laterBucket('2026-01-01', 1, 'month', 'UTC')).toEqual(days('2026-02-01', '2026-02-28'));
  });
});

describe('a trend', () => {
  const asked = (search: string) => readAddress(trendsForm, search).question;

  test('is of any event, and keeps its place among the others', () => {
    const series = seriesOf(asked('event=a&event=&measure=2:users'));
    expect(series.map(({event, measure}) => [event, measure])).toEqual([
      ['a', 'total'],
      [null, 'users'],
    ]);
    expect(withSeries(series).event).toEqual(['a', null]);
    expect(flatOf(seriesQuestion(series[1]!, asked(''), days('2026-11-01', '2026-11-02'), 'day'))).toContain(
      'any_event=true&',
    );
  });

  const behind = (search: string) => {
    const question = asked(search);
    const [series] = seriesOf(question);
    return trendBehind({
      value: 5,
      series: series!,
      measure: series!.measure,
      common: question,
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
    expect(behind('event=a&where=1:plan+eq+pro').events).toBeUndefined();
  });

  test('of any event leads to who did any', () => {
    expect(listOf(behind('event=&where=1:plan+eq+pro&user_where=city+eq+Rome'))).toBe(
      'v1/users?did[1]=2026-11-01..2026-11-02&did_where[1]=plan eq pro&user_where=city eq Rome&timezone=Asia/Tokyo',
    );
  });

  test('says how many people are behind it: by its own number, or by a report of its users', () => {
    expect(behind('event=a&measure=1:users').people?.total).toBe(5);
    for (const [search, path] of [
      ['event=a&where=1:plan+eq+pro&user_where=city+eq+Rome', 'event=a&where=plan eq pro&user_where=city eq Rome&'],
      ['event=&measure=1:sum:value', 'any_event=true&'],
    ] as const) {
      const {total} = behind(search).people!;
      expect(decodeURIComponent(String(total)).replaceAll('+', ' ')).toBe(
        `v1/reports/events?${path}measure=users&interval=hour&timezone=Asia/Tokyo&from=2026-11-01&to=2026-11-02`,
      );
    }
  });

  test('of a row of a breakdown names the row, and leads to the people of its value', () => {
    const rows: Partial<RowName>[] = [{value: 'pro'}, {value: ''}, {kind: 'missing'}, {kind: 'other', values: 3}];
    const question = asked('event=a&by=plan');
    const ofRow = (row: (typeof rows)[number]) =>
      trendBehind({
        value: 5,
        series: seriesOf(question)[0]!,
        measure: 'total',
        common: question,
        row: row as RowName,
        answer: {breakdown: {property: 'plan', rows}} as never,
        days: days('2026-11-01', '2026-11-09'),
        bucket: {dates: ['2026-11-01', '2026-11-02', '2026-11-03'], at: 1, interval: 'day'},
        when: 'then',
        freshness,
      });
    const list = (condition: string): string =>
      `where[1]=${condition}&timezone=UTC&from=2026-11-02&to=2026-11-02&step=1&outcome=reached`;
    expect(rows.map((row) => ofRow(row).title)).toEqual([
      '5 events a, plan is pro',
      '5 events a, plan is (empty)',
      '5 events a, plan is not set',
      '5 events a, plan is other (3 values)',
    ]);
    expect(listOf(ofRow(rows[0]!))).toContain(list('plan eq pro'));
    expect(listOf(ofRow(rows[1]!))).toContain(list('plan eq '));
    expect(listOf(ofRow(rows[2]!))).toContain(list('plan unset'));
    expect(listOf(ofRow(rows[3]!))).toContain(list('plan nin pro,&where[1]=plan set&where[1]=plan nnull'));
    expect(listOf(ofRow({kind: 'null'}))).toContain(list('plan null'));
    expect(ofRow({kind: 'not_scalar'}).noPeople).toContain('cannot ask for lists');
    rows.push({kind: 'not_scalar'});
    expect(ofRow(rows[3]!).noPeople).toContain('cannot ask for lists');
  });
});

test('a list of people says how much of it is shown', () => {
  expect(listedText(1, false, undefined)).toBe('1 person');
  expect(listedText(12, false, 12)).toBe('12 people');
  expect(listedText(50, true, 1_234)).toBe('1,234 people, the first 50 of them');
  expect(listedText(50, true, undefined)).toBe('the first 50 people');
});

describe('divided lines', () => {
  const answer = (counts: number[]): CountsAnswer =>
    ({
      data: counts.map((count, at) => ({date: `2026-11-0${at + 1}`, count})),
      total: counts.reduce((all, one) => all + one, 0),
    }) as CountsAnswer;
  const line = (label: string, counts: number[]) =>
    ({label, measure: 'total', answer: answer(counts), meta: undefined}) as const;

  test('are quotients by bucket, and of totals; nothing is divided by zero', () => {
    const lines = linesOf([line('refunds', [1, 0, 3]), line('orders', [4, 0, 4])]);
    const [quotient, ...others] = dividedBy(lines, 1);
    expect(others).toEqual([]);
    expect(quotient).toMatchObject({label: 'refunds / orders', total: 0.5, parts: [4, 8]});
    expect(quotient!.answer.data.map(({count}) => count)).toEqual([0.25, null, 0.75]);
    expect(quotientText([quotient!], true)(0.25)).toBe('25.0\u2009%');
    expect(quotientText([quotient!], false)(12.34567)).toBe('12.3457');
    expect(quotientText(dividedBy(lines, 0), true)(4)).toBe('4');
  });
});

describe('active users', () => {
  test('of a point are those of its window', () => {
    const number = {
      value: 3,
      question: {event: null, where: [], user_where: [], by: null},
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
    expect(listOf(activeBehind({...number, point: point('dau')}))).toContain('did[1]=2026-11-02..2026-11-02&');
    expect(listOf(activeBehind({...number, point: point('mau')}))).toContain('did[1]=2026-10-04..2026-11-02&');
    expect(listOf(activeBehind({...number, point: undefined}))).toContain('did[1]=2026-11-01..2026-11-10&');
  });
});

describe('retention', () => {
  const behind = (search: string, period: number | undefined, isOfAll = false) => {
    const {question} = readAddress(retentionForm, search);
    return retentionBehind({
      value: 2,
      size: 4,
      question,
      start: 'signup',
      days: days('2026-10-28', '2026-11-20'),
      interval: 'week',
      dates: ['2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16'],
      cohort: isOfAll ? undefined : {at: 1, name: 'this week'},
      period,
      freshness,
    });
  };
  const began = 'v1/users?did[1]=2026-11-02..2026-11-08&did_event[1]=signup';

  test('of a cohort are those who began in it, for the first time or not', () => {
    expect(listOf(behind('', undefined))).toBe(`${began}&did_not[2]=..2026-11-01&did_event[2]=signup&timezone=UTC`);
    expect(listOf(behind('cohort=recurring', undefined))).toBe(`${began}&timezone=UTC`);
  });

  test('of a cell are those of them who returned in its period, or until the end of the days', () => {
    expect(listOf(behind('cohort=recurring&return=login', 2))).toBe(
      `${began}&did[2]=2026-11-16..2026-11-22&did_event[2]=login&timezone=UTC`,
    );
    expect(listOf(behind('cohort=recurring&criteria=on_or_after', 1))).toBe(
      `${began}&did[2]=2026-11-09..2026-11-20&timezone=UTC`,
    );
  });

  test('has no list where none is exactly that', () => {
    for (const [explanation, why] of [
      [behind('', 0), 'no order'],
      [behind('frame=rolling', 1), 'rolling'],
      [behind('', 1, true), 'several cohorts'],
      [behind('criteria=on_or_after', 9), 'after the days'],
    ] as const) {
      expect(explanation.people).toBeUndefined();
      expect(explanation.noPeople).toContain(why);
    }
  });
});

describe('lifecycle', () => {
  const {question} = readAddress(lifecycleForm, 'event=a');
  const asked = {value: 2, question, days: days('2026-11-04', '2026-11-18'), interval: 'week' as const, freshness};
  const behind = (stage: Stage | undefined, date = '2026-11-09') =>
    listOf(stageBehind({...asked, stage, date, when: 'then'}))!.replaceAll(
      /&did_event\[\d\]=a|&timezone=UTC|^v1.users\?/g,
      '',
    );

  test('stages are who did it in some weeks and not in others', () => {
    expect(behind('new')).toBe('did[1]=2026-11-09..2026-11-15&did_not[2]=..2026-11-08');
    expect(behind('returning')).toBe('did[1]=2026-11-09..2026-11-15&did[2]=2026-11-02..2026-11-08');
    expect(behind('resurrecting')).toBe(
      'did[1]=2026-11-09..2026-11-15&did_not[2]=2026-11-02..2026-11-08&did[3]=..2026-11-01',
    );
    expect(behind('dormant')).toBe('did[1]=2026-11-02..2026-11-08&did_not[2]=2026-11-09..2026-11-15');
  });

  test('the first week is whole, the last ends with the days', () => {
    expect(behind(undefined, '2026-11-02')).toBe('did[1]=2026-11-02..2026-11-08');
    expect(behind(undefined, '2026-11-16')).toBe('did[1]=2026-11-16..2026-11-18');
  });

  test('no list goes by how often, but that of everybody', () => {
    const often = {...asked, isAtLeast: true, when: 'then'};
    expect(oftenBehind({...often, buckets: 2}).people).toBeUndefined();
    expect(oftenBehind({...often, buckets: 1}).people).toBeDefined();
  });
});

test('a row of a funnel leads to its people; `other` has several values', () => {
  const {question} = readAddress(funnelForm, 'step=a&step=b&by=plan&by_at=2');
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
  expect(listOf(behind({value: 'pro'}))).toContain('outcome=dropped&breakdown=plan&breakdown_at=2&breakdown_value=pro');
  expect(listOf(behind({kind: 'missing'}))).toContain('&breakdown_kind=missing');
  expect(behind({kind: 'other'}).noPeople).toContain('several values');
  expect(behind({value: ''}).noPeople).toContain('empty');
});
