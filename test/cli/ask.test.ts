// `millrace ask`: what its words ask, and what a terminal shows.
import {expect, test} from 'vitest';
import {CommandFault, readCommand} from '../../src/cli/ask/command.js';
import {type Answered, linesOf, shown} from '../../src/cli/ask/table.js';

const question = (...words: string[]): unknown => {
  const command = readCommand(words);
  return command.kind === 'ask' ? command.question : command.kind;
};

test('words are members of a question', () => {
  expect(question('signup', '--last', '30d', '--by', 'plan')).toEqual({
    report: 'counts',
    events: [{event: 'signup'}],
    range: '-30d',
    breakdown: [{property: 'plan'}],
  });
  expect(question()).toEqual({report: 'counts', range: '-30d'});
  expect(question('a', 'b', '--users', '--last', 'this month', '--where', 'plan eq pro', '--where', 'x>1')).toEqual({
    report: 'counts',
    events: [{event: 'a'}, {event: 'b'}],
    range: 'this month',
    where: ['plan eq pro', 'x>1'],
    measure: {of: 'users'},
  });
  expect(question('a', 'b', '--funnel', '--by', 'trait:plan', '--from', '2026-01-01', '--to', '2026-01-31')).toEqual({
    report: 'funnel',
    steps: [{event: 'a'}, {event: 'b'}],
    range: {from: '2026-01-01', to: '2026-01-31'},
    breakdown: [{trait: 'plan'}],
  });
  expect(question('--help')).toBe('help');
});

test('words that do not go together are a sentence', () => {
  for (const [words, sentence] of [
    [['a', '--funnel'], '--funnel needs at least two events, its steps.'],
    [['a', 'b', '--funnel', '--users'], '--users is for counts: a funnel counts people anyway.'],
    [
      ['a', '--last', '7d', '--from', '2026-01-01', '--to', '2026-01-02'],
      '--last and --from, --to are two ranges: give one.',
    ],
    [['a', '--from', '2026-01-01'], '--from and --to belong together.'],
  ] as const)
    expect(() => readCommand(words)).toThrow(new CommandFault(sentence));
  expect(() => readCommand(['a', '--colour'])).toThrow(CommandFault);
});

const meta = {as_of: '2026-01-03T10:00:00.000Z', hint: null};
const day = (date: string, count: number) => ({date, count});
const answered = (answer: object, report = 'counts'): Answered =>
  ({question: {report, interval: 'day'}, answer, meta}) as Answered;
const end = ['', 'as of 2026-01-03T10:00:00.000Z'];

test('counts are a row a bucket, with bars', () => {
  const data = [day('2026-01-01', 1_500), day('2026-01-02', 0), day('2026-01-03', 500)];
  expect(linesOf(answered({event: 'a', data, total: 2_000}))).toEqual([
    `2026-01-01  1,500  ${'█'.repeat(30)}`,
    '2026-01-02      0',
    `2026-01-03    500  ${'█'.repeat(10)}`,
    'total       2,000',
    ...end,
  ]);
});

test('values are a row each, with their course; many buckets share marks, and the text says so', () => {
  const row = (value: string, ...counts: number[]) => ({
    value,
    data: counts.map((count, at) => day(`2026-01-0${at + 1}`, count)),
    total: counts.reduce((sum, one) => sum + one, 0),
  });
  const {data, total} = row('', 3, 9, 6);
  const answer = {data, total, breakdown: {rows: [row('pro\u001b[31m', 0, 8, 4), row('free', 3, 1, 2)]}};
  expect(linesOf(answered(answer))).toEqual([
    'total          18  ▃█▆',
    'pro\\u{1b}[31m  12  ▁█▅',
    'free            6  █▃▆',
    ...end,
  ]);
  const year = Array.from({length: 365}, (_, at) => day(String(at), 1));
  const lines = linesOf(answered({data: year, total: 365, breakdown: {rows: []}}));
  expect(lines[0]!.replace(/^total {2}365 {2}/, '')).toHaveLength(53);
  expect(lines[1]).toBe('a mark is up to 7 buckets of a day');
});

test('a funnel is a row a step', () => {
  const steps = [
    {event: 'a', count: 4, conversion_rate: 1, step_conversion_rate: 1, drop_off: 0},
    {event: 'b', count: 1, conversion_rate: 0.25, step_conversion_rate: 0.25, drop_off: 3},
  ];
  expect(linesOf(answered({steps, total: 4, conversion_rate: 0.25}, 'funnel'))).toEqual([
    '   people  of the first  lost',
    `a       4       100.0 %     0  ${'█'.repeat(30)}`,
    `b       1        25.0 %     3  ${'█'.repeat(8)}`,
    ...end,
  ]);
});

test('what a terminal would obey is shown as an escape', () => {
  expect(shown('a\u202eb\nc\u0007 é 漢')).toBe('a\\u{202e}b\\u{a}c\\u{7} é 漢');
});
