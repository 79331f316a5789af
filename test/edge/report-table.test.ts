// Reports as tables, written as CSV: the columns of each shape, and tags that JSON answers do not share.
import {describe, expect, test} from 'vitest';
import type {ReportQuery} from '../../src/asks/report.js';
import {jsonTags, tableTag} from '../../src/edge/routes/report-format.js';
import {tableCsv} from '../../src/edge/tables/csv.js';
import {tableOf} from '../../src/edge/tables/report-table.js';

const times = {fromMs: 0, toMs: 1, interval: 'day'} as const;
const lines = (query: object, answer: object): string[] =>
  tableCsv(tableOf({...times, ...query} as ReportQuery, JSON.stringify(answer))).split('\r\n');
const day = (date: string, count: number, value?: number | null) => ({
  date,
  count,
  ...(value === undefined ? {} : {value}),
});

describe('the columns', () => {
  test('of counts', () => {
    const answer = {event: 'signup', interval: 'day', data: [day('2026-05-01', 2), day('2026-05-02', 0)], total: 2};
    expect(lines({report: 'counts'}, answer)).toEqual(['date,count', '2026-05-01,2', '2026-05-02,0', '']);
  });

  test('of what was measured: a column of its name, empty for null', () => {
    const answer = {any_event: true, interval: 'day', data: [day('a', 2, -1.5), day('b', 0, null)], total: 2};
    expect(lines({report: 'counts', measure: 'p50'}, answer)).toEqual(['date,count,p50', 'a,2,-1.5', 'b,0,', '']);
  });

  test('of several events, with and without a breakdown', () => {
    const one = {event: '=A', data: [day('a', 1)], total: 1};
    const other = {event: 'B, "b"', data: [day('a', 2)], total: 2};
    const answer = {interval: 'day', series: [one, other]};
    expect(lines({report: 'counts'}, answer)).toEqual(['event,date,count', "'=A,a,1", '"B, ""b""",a,2', '']);
    const rows = [{value: 'x', data: [day('a', 1)], total: 1}];
    const broken = [one, other].map((each) => ({...each, breakdown: {property: 'p', additive: true, rows}}));
    expect(lines({report: 'counts'}, {...answer, series: broken})).toEqual([
      'event,value,kind,date,count',
      "'=A,x,,a,1",
      '"B, ""b""",x,,a,1',
      '',
    ]);
  });

  test('of a breakdown: a row for each value and bucket; kinds that are no values have no text', () => {
    const data = [day('a', 1, 5), day('b', 2, 6)];
    const rows = [{value: ''}, {value: '-1'}, {kind: 'other', values: 7}, {kind: 'missing'}];
    const answer = {
      event: 'A',
      interval: 'day',
      data,
      total: 3,
      breakdown: {property: 'p', additive: true, rows: rows.map((row) => ({...row, data, total: 3}))},
    };
    expect(lines({report: 'counts'}, answer)).toEqual([
      'value,kind,date,count',
      ...[',,', "'-1,,", ',other,', ',missing,'].flatMap((row) => [`${row}a,1`, `${row}b,2`]),
      '',
    ]);
    const measured = lines({report: 'counts', measure: 'sum'}, answer);
    expect(measured.slice(0, 2)).toEqual(['value,kind,date,count,sum', ',,a,1,5']);
  });

  test('of several breakdowns: columns for each', () => {
    const data = [day('a', 1)];
    const by = [{value: 'pro'}, {kind: 'missing'}];
    const breakdown = {properties: ['p', 'q'], additive: true, rows: [{by, data, total: 1}]};
    const answer = {event: 'A', interval: 'day', data, total: 1, breakdown};
    expect(lines({report: 'counts'}, answer)).toEqual([
      'value,kind,value_2,kind_2,date,count',
      'pro,,,missing,a,1',
      '',
    ]);
  });

  test('of lists: a column for each type of values, and those that were asked for', () => {
    const end = {has_more: false, next_cursor: null};
    const name = {name: 'a', count: 2, first_seen: 't1', last_seen: 't2'};
    expect(lines({report: 'names'}, {data: [name], ...end})).toEqual([
      'name,count,first_seen,last_seen',
      'a,2,t1,t2',
      '',
    ]);
    const hidden = {texts: ['a'], areShown: true};
    const listed = [
      {...name, users: 1, hidden: true},
      {...name, name: '=b', users: 1},
    ];
    expect(lines({report: 'names', withUsers: true, hidden}, {data: listed, ...end})).toEqual([
      'name,count,users,first_seen,last_seen,hidden',
      'a,2,1,t1,t2,true',
      "'=b,2,1,t1,t2,",
      '',
    ]);
    const types = {string: 1, null: 2};
    expect(lines({report: 'properties'}, {data: [{property: 'p', share: 0.5, types}], ...end})).toEqual([
      'property,share,string,number,boolean,null,object,array',
      'p,0.5,1,0,0,2,0,0',
      '',
    ]);
    expect(lines({report: 'traits'}, {data: [{trait: 'p', share: 1, types}], ...end})).toEqual([
      'trait,share,string,number,boolean,null,object,array',
      'p,1,1,0,0,2,0,0',
      '',
    ]);
    const values = [
      {value: '', count: 2},
      {kind: 'null', count: 1},
    ];
    for (const report of ['property_values', 'trait_values'])
      expect(lines({report}, {data: values, distinct: 1, ...end})).toEqual(['value,kind,count', ',,2', ',null,1', '']);
    const user = {id: '+1', kind: 'user', created_at: 't1', last_seen: 't2', traits: {plan: 'pro'}};
    expect(lines({report: 'user_list'}, {data: [user], ...end})).toEqual([
      'id,kind,created_at,last_seen,traits',
      '\'+1,user,t1,t2,"{""plan"":""pro""}"',
      '',
    ]);
  });

  test('of active users and of a funnel', () => {
    const active = {metric: 'dau', interval: 'day', data: [day('2026-05-01', 2)], total: 2};
    expect(lines({report: 'active'}, active)).toEqual(['date,count', '2026-05-01,2', '']);
    const rates = {conversion_rate: 0.5, step_conversion_rate: 0.25, drop_off: 1};
    const steps = [
      {event: 'a', count: 2, ...rates, median_seconds: null},
      {event: 'b', count: 1, ...rates, median_seconds: 1.5},
    ];
    expect(lines({report: 'funnel'}, {steps, conversion_rate: 0.5, total: 2})).toEqual([
      'step,event,count,conversion_rate,step_conversion_rate,drop_off,median_seconds',
      '1,a,2,0.5,0.25,1,',
      '2,b,1,0.5,0.25,1,1.5',
      '',
    ]);
  });
});

test('of a funnel with more parameters: means; levels without names; a row for each bucket where there are any', () => {
  const step = {count: 2, conversion_rate: 1, step_conversion_rate: 1, drop_off: 0, median_seconds: 3};
  const steps = [
    {level: 1, ...step, mean_seconds: null},
    {level: 2, ...step, mean_seconds: 2.5},
  ];
  const whole = {order: 'any', steps, conversion_rate: 1, total: 2};
  const titles = 'step,event,count,conversion_rate,step_conversion_rate,drop_off,median_seconds,mean_seconds';
  expect(lines({report: 'funnel'}, whole)).toEqual([titles, '1,,2,1,1,0,3,', '2,,2,1,1,0,3,2.5', '']);
  const percentiles = {p75_seconds: 4, p90_seconds: 5, p95_seconds: 6};
  expect(lines({report: 'funnel'}, {...whole, steps: [{...steps[1], ...percentiles}]})).toEqual([
    `${titles},p75_seconds,p90_seconds,p95_seconds`,
    '1,,2,1,1,0,3,2.5,4,5,6',
    '',
  ]);
  const series = {...whole, data: [{date: 'a', count: 2, converted: 1, conversion_rate: 0.5}]};
  expect(lines({report: 'funnel'}, series)).toEqual(['date,count,converted,conversion_rate', 'a,2,1,0.5', '']);
  const broken = {...series, breakdown: {property: 'p', additive: true, rows: [{value: 'x', ...series}]}};
  expect(lines({report: 'funnel'}, broken)[1]).toBe('x,,a,2,1,0.5');
});

test('of retention: a row for each cell', () => {
  const cohorts = [
    {date: 'a', size: 2, cells: [{count: 1}, {count: 2, incomplete: true}]},
    {date: 'b', size: 0, cells: [{count: 0}, {count: 0, incomplete: true}]},
  ];
  const answer = {interval: 'day', cohorts, overall: []};
  const rows = ['a,2,0,1,', 'a,2,1,2,true', 'b,0,0,0,', 'b,0,1,0,true'];
  expect(lines({report: 'retention'}, answer)).toEqual(['date,size,period,count,incomplete', ...rows, '']);
  const groups = [{value: 'x'}, {kind: 'missing'}].map((name) => ({...name, cohorts, overall: []}));
  const broken = {...answer, breakdown: {property: 'p', additive: true, rows: groups}};
  expect(lines({report: 'retention'}, broken)).toEqual([
    'value,kind,date,size,period,count,incomplete',
    ...rows.map((row) => `x,,${row}`),
    ...rows.map((row) => `,missing,${row}`),
    '',
  ]);
});

test('of lifecycle and stickiness: the fields of their data', () => {
  const parts = {new: 1, returning: 2, resurrecting: 3, dormant: 4};
  expect(lines({report: 'lifecycle'}, {interval: 'day', data: [{date: 'a', ...parts}]})).toEqual([
    'date,new,returning,resurrecting,dormant',
    'a,1,2,3,4',
    '',
  ]);
  const sticky = {interval: 'day', data: [{buckets: 1, users: 2}], total: 2};
  expect(lines({report: 'stickiness'}, sticky)).toEqual(['buckets,users', '1,2', '']);
});

test('of paths: a row for each edge', () => {
  const [from, other] = [{event: '=a'}, {kind: 'other'}];
  const edges = [
    {step: 1, from, to: {kind: 'end'}, users: 2},
    {step: 1, from: other, to: other, users: 1},
  ];
  expect(lines({report: 'paths'}, {depth: 2, steps: [], edges})).toEqual([
    'step,from,from_kind,to,to_kind,users',
    "1,'=a,,,end,2",
    '1,,other,,other,1',
    '',
  ]);
});

describe('the tags', () => {
  test('of a table and of its JSON answer differ, and lead to each other', () => {
    expect(tableTag('"abc"', 'csv')).toBe('"abc-csv"');
    for (const format of ['csv', 'parquet'] as const) expect(jsonTags(tableTag('"abc"', format), format)).toBe('"abc"');
    expect(jsonTags('"abc-csv"', 'parquet')).toBe(undefined);
  });

  test.each([
    [undefined, undefined],
    ['*', '*'],
    ['"abc"', undefined],
    ['W/"abc-csv"', '"abc"'],
    ['"a", "b-csv", W/"c-csv"', '"b", "c"'],
    ['no quotes-csv', undefined],
  ])('that a client has of CSV: %s', (sent, expected) => {
    expect(jsonTags(sent, 'csv')).toBe(expected);
  });
});
