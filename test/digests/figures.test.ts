// The numbers of digests, and their texts.
import {expect, test} from 'vitest';
import type {ReportQuestion} from '../../src/asks/address.js';
import {changeOf, figuresOf} from '../../src/digests/figures.js';
import {digestText} from '../../src/digests/texts.js';

const asked = (question: object): ReportQuestion => question as ReportQuestion;
const counts = (more: object) => asked({report: 'counts', ...more});

test.each<[string, ReportQuestion, object, object, readonly (readonly [string, number | null, number | null])[]]>([
  ['an event', counts({events: [{event: 'signup'}]}), {event: 'signup', total: 12}, {total: 10}, [['signup', 12, 10]]],
  ['all events', counts({}), {any_event: true, total: 12}, {total: 0}, [['All events', 12, 0]]],
  [
    'a measure',
    counts({events: [{event: 'paid'}], measure: {of: 'avg', property: 'price'}}),
    {total: 3, total_value: 9.5},
    {total: 0, total_value: null},
    [['paid', 9.5, null]],
  ],
  [
    'several events and a formula',
    counts({events: [{event: 'a'}, {event: 'b', as: 'B'}, {}], formulas: [{as: 'Rate', is: 'B / A'}]}),
    {
      series: [
        {as: 'A', total: 4},
        {as: 'B', total: 2, total_value: 1},
        {as: 'C', total: 9},
      ],
      formulas: [{as: 'Rate', total_value: 0.5}],
    },
    {
      series: [
        {as: 'A', total: 1},
        {as: 'B', total: 2, total_value: 3},
        {as: 'C', total: 0},
      ],
      formulas: [{as: 'Rate', total_value: null}],
    },
    [
      ['a', 4, 1],
      ['B', 1, 3],
      ['All events', 9, 0],
      ['Rate', 0.5, null],
    ],
  ],
  ['active users', asked({report: 'active'}), {total: 7, data: [{count: 5}]}, {total: 8}, [['Active users', 7, 8]]],
  [
    'a funnel',
    asked({report: 'funnel'}),
    {total: 8, steps: [{count: 8}, {count: 2}], conversion_rate: 0.25},
    {total: 0, steps: [{count: 0}, {count: 0}], conversion_rate: 0},
    [
      ['Entered', 8, 0],
      ['Converted', 2, 0],
      ['Conversion', 0.25, 0],
    ],
  ],
  [
    'retention',
    asked({report: 'retention', interval: 'week'}),
    {overall: [{rate: 1}, {rate: 0.5}]},
    {overall: [{rate: 1}, {rate: null}]},
    [['Returned after 1 week', 0.5, null]],
  ],
  [
    'the last bucket of a lifecycle',
    asked({report: 'lifecycle'}),
    {data: [{}, {new: 1, returning: 2, resurrecting: 3, dormant: 4}]},
    {data: [{}, {new: 5, returning: 6, resurrecting: 7, dormant: 8}]},
    [
      ['New', 1, 5],
      ['Returning', 2, 6],
      ['Resurrecting', 3, 7],
      ['Dormant', 4, 8],
    ],
  ],
  ['stickiness', asked({report: 'stickiness'}), {total: 3, data: []}, {total: 2}, [['Active users', 3, 2]]],
  [
    'paths',
    asked({report: 'paths', start: {event: 'a'}}),
    {steps: [[{event: 'a', users: 9}], [{event: 'ada@example.com', users: 9}]]},
    {steps: [[]]},
    [['Users', 9, 0]],
  ],
])('of %s', (_, question, answer, previous, expected) => {
  const figures = figuresOf(question, answer, previous);
  expect(figures.map(({name, value, previous: before}) => [name, value, before])).toEqual(expected);
});

test('a change is a share of the number before; there is none without it', () => {
  const change = (value: number | null, previous: number | null) => changeOf({name: 'a', value, previous});
  expect([change(12, 10), change(0, 4), change(3, 0), change(null, 3), change(3, null)]).toEqual([
    ...[0.2, -1, null, null, null],
  ]);
});

const digest = {name: 'Growth', isWeekly: false, dueMs: Date.parse('2026-06-03T07:00Z'), isLate: false, missed: 0};
const figure = (name: string, value: number | null, previous: number | null, isShare = false) => ({
  ...{name, value, previous},
  ...(isShare && {is_share: true as const}),
});
const report = (...figures: ReturnType<typeof figure>[]) => ({from: '2026-05-27', to: '2026-06-02', figures});

test('a text has the numbers and their changes, and where to see them', () => {
  const reports = [
    {
      ...report(figure('signup', 1_234, 1_100), figure('Conversion', 0.125, 0.1, true)),
      link: 'https://a.example/dashboard/trends',
    },
    {
      ...report(figure('a', 3, 0), figure('b', 140, 10), figure('c', null, 2), figure('d', 1 / 3, 0.5)),
      to: '2026-05-27',
    },
    {...report(), error: 'there is no segment sg_1'},
  ];
  expect(digestText({...digest, reports})).toBe(
    [
      'Daily digest: Growth.',
      '2026-05-27 to 2026-06-02: signup 1,234 (+12.2 %, 1,100 before); Conversion 12.5 % (+25 %, 10 % before)',
      'https://a.example/dashboard/trends',
      '2026-05-27: a 3 (0 before); b 140 (14 times 10 before); c none (2 before); d 0.33 (-33.3 %, 0.5 before)',
      '2026-05-27 to 2026-06-02: No numbers: there is no segment sg_1',
    ].join('\n'),
  );
});

test('one that is late says so, and how many were missed', () => {
  const late = {...digest, isWeekly: true, isLate: true, reports: []};
  const head = 'Weekly digest: Growth. Late: it was due at 2026-06-03 07:00 UTC';
  expect(digestText(late)).toBe(`${head}.`);
  expect(digestText({...late, missed: 1})).toBe(`${head}, and 1 earlier one was missed.`);
  expect(digestText({...late, missed: 3})).toBe(`${head}, and 3 earlier ones were missed.`);
});

test('what does not fit a chat is counted', () => {
  const long = Array.from({length: 12}, () => report(...Array.from({length: 5}, () => figure('x'.repeat(90), 1, 1))));
  const text = digestText({...digest, reports: long});
  expect(text.length).toBeLessThan(2_000);
  expect(text).toMatch(/\nand 9 more\.$/);
});
