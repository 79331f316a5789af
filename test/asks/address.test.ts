// The address of a page and the question that it asks: both ways.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {showable} from '../../dashboard/src/address/page-question.js';
import {
  addressOf,
  asked as askedBy,
  fitting,
  isAsked,
  isFormula,
  pageIn,
  type ReportQuestion,
  searchOf,
  type View,
} from '../../src/asks/address.js';
import {intervals} from '../../src/asks/question/members.js';
import {pointing, readQuestion} from '../../src/edge/query/read-question.js';

const name = fc.oneof(
  fc.string({minLength: 1, maxLength: 20, unit: 'grapheme-ascii'}),
  fc.constantFrom('1:a', 'a, b', 'é & ü', 'a=b', '{', 'trait:plan'),
);
const conditionTexts = ['plan eq pro', 'plan in a\\,b,c', 'coupon unset', 'amount gte 10', '"a eq b" eq 2:c'];
const texts = fc.uniqueArray(fc.constantFrom(...conditionTexts), {maxLength: 3});
const conditions = fc.uniqueArray(
  fc.constantFrom<string | object>(...conditionTexts, {property: 'p'.repeat(300), op: 'eq', value: 'x'}),
  {maxLength: 3},
);
const range = fc.constantFrom(
  ...[
    '-30d',
    '-1d',
    '-90d',
    '-12mo',
    '-4mo',
    'today',
    'yesterday',
    'this week',
    'last week',
    'last month',
    'this quarter',
  ],
  {from: '2026-11-03', to: '2026-11-09'},
  {from: '2026-11-03', to: '2026-11-03'},
  {from: '2026-10-01', to: '2026-10-31'},
  {from: '2025-01-01', to: '2025-12-31'},
);
const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, {nil: undefined});
const did = fc.record({event: some(name), where: conditions, range: some(range), not: fc.boolean()});
const segment = some(fc.constant('sg_0123456789abcdef'));
const users = some(fc.record({where: conditions, segment, not_segment: segment, did: fc.array(did, {maxLength: 2})}));
const entry = fc.record({event: some(name), where: conditions});
const chosen = fc.record({event: name, where: conditions});
const measure = some(
  fc.constantFrom({of: 'users'}, {of: 'total'}, {of: 'sum', property: 'a:b'}, {of: 'p99', property: 'n'}),
);
const rowsMax = fc.integer({min: 1, max: 50});
const rows = some(
  fc
    .oneof(
      fc.record({property: name.filter((one) => !one.startsWith('trait:')), limit: rowsMax}),
      fc.record({trait: name, limit: rowsMax}),
    )
    .map((one) => [one]),
);
const breakdown = fc.oneof(rows, some(name.map((trait) => [{trait}])));
const times = {
  range,
  timezone: fc.constantFrom(undefined, 'UTC', 'Europe/Berlin', '-03:30'),
  compare: fc.constantFrom(undefined, 'before', 'weekdays', 'year', 'previous'),
};
const bucketed = {...times, interval: fc.constantFrom(...intervals), week_start: fc.constantFrom('monday', 'sunday')};
/** An entry without a name or a condition is as none. */
const meant = entry.filter(({event, where}) => event !== undefined || where.length > 0);
const days = {events: fc.array(meant, {maxLength: 1}), where: conditions, users, ...bucketed};

const ofUsers = some(fc.record({where: texts, segment, not_segment: segment}));
const shownTimes = {range, timezone: fc.constantFrom('UTC', 'Europe/Berlin')};
const shownBuckets = {...bucketed, ...shownTimes};
const shownDays = {
  events: some(name).map((event) => (event === undefined ? [] : [{event}])),
  where: texts,
  users: ofUsers,
  ...shownBuckets,
};

const questions: Readonly<Record<ReportQuestion['report'], fc.Arbitrary<object>>> = {
  counts: fc.record({
    events: fc.array(fc.record({...entryParts(), measure, as: some(fc.constantFrom('A', 'Rate'))}), {
      minLength: 1,
      maxLength: 10,
    }),
    series: fc.boolean(),
    where: conditions,
    users,
    measure,
    breakdown,
    formulas: fc.constantFrom<object[]>([], [{as: 'B / A', is: 'B / A'}], [{as: 'x', is: '(A + 1) * 2'}]),
    ...bucketed,
  }),
  active: fc.record({metric: fc.constantFrom('dau', 'wau', 'mau'), ...days, breakdown}),
  funnel: fc.record({
    steps: fc.array(chosen, {minLength: 1, maxLength: 5}),
    where: conditions,
    users,
    window: fc.constantFrom('7d', '14d', '30m'),
    in_range: fc.constantFrom(undefined, 'all', 'entry'),
    order: fc.constantFrom(undefined, 'sequential', 'strict', 'any'),
    exclude: fc.array(fc.record({event: name, where: conditions, between: fc.constantFrom(undefined, [1, 2])}), {
      maxLength: 2,
    }),
    hold: some(name),
    breakdown: breakdown.map((all) => all?.map((one) => ({...one, ...('property' in one && {at: 'last'})}))),
    interval: fc.constantFrom(undefined, ...intervals),
    week_start: fc.constantFrom(undefined, 'monday', 'sunday'),
    histogram: fc.constantFrom(undefined, 'clock', 'decimal'),
    percentiles: fc.boolean(),
    ...times,
  }),
  retention: fc.record({
    start: chosen,
    return: some(entry),
    users,
    ...bucketed,
    interval: fc.constantFrom('hour', 'day', 'week', 'month'),
    periods: fc.integer({min: 1, max: 60}),
    cohort: fc.constantFrom('first', 'recurring'),
    criteria: fc.constantFrom('on', 'on_or_after'),
    frame: fc.constantFrom('calendar', 'rolling'),
    breakdown,
  }),
  lifecycle: fc.record(days),
  stickiness: fc.record({...days, at_least: fc.boolean()}),
  paths: fc
    .record({
      is: fc.constantFrom('start', 'end'),
      event: name,
      where: conditions,
      users,
      ...times,
      depth: fc.integer({min: 2, max: 5}),
    })
    .map(({is, event, ...rest}) => ({...rest, [is]: {event}})),
};

function entryParts() {
  return {event: some(name), where: conditions};
}

/** In its normal form. */
const asked = (report: string, question: object): ReportQuestion =>
  pointing('', () => readQuestion(JSON.parse(JSON.stringify({report, ...question})), '')) as ReportQuestion;

/** A question as its page has it: without what only the API has, and with what is usual of other parts. */
const shown: Readonly<Record<string, fc.Arbitrary<object>>> = {
  counts: fc
    .record({
      events: fc.array(
        fc.record({event: some(name), where: texts, measure: measure.filter((one) => one?.of !== 'total')}),
        {
          minLength: 1,
          maxLength: 6,
        },
      ),
      where: texts,
      users: ofUsers,
      breakdown: rows,
      formulas: fc.uniqueArray(
        fc.record({as: some(name), is: fc.constantFrom('A', 'A / A', '(A + 1) * 100', '-A', 'B / A', 'A - F')}),
        {maxLength: 5, selector: ({as, is}) => as ?? is},
      ),
      ...shownBuckets,
    })
    .map(({formulas, ...question}) => ({
      ...question,
      formulas: formulas
        .filter(({is}) => isFormula(is, question.events.length))
        .map(({as, is}) => ({as: as ?? is, is})),
    })),
  active: fc.record({metric: fc.constantFrom('dau', 'wau', 'mau'), ...shownDays, breakdown: rows}),
  funnel: fc
    .record({
      steps: fc.array(fc.record({event: name, where: texts}), {minLength: 2, maxLength: 5}),
      where: texts,
      users: ofUsers,
      window: some(fc.constantFrom('7d', '14d', '30m')),
      order: fc.constantFrom(undefined, 'strict', 'any'),
      exclude: fc.array(fc.record({event: name, where: texts, between: fc.constantFrom(undefined, [1, 2])}), {
        maxLength: 2,
      }),
      hold: some(name),
      in_range: fc.constantFrom(undefined, 'entry'),
      breakdown: rows.map((all) => all?.map((one) => ({...one, ...('property' in one && {at: 'last'})}))),
      week_start: fc.constantFrom(undefined, 'sunday'),
      ...shownTimes,
    })
    .map((question) => fitting({...question, report: 'funnel', percentiles: false} as Parameters<typeof fitting>[0])),
  retention: fc.record({
    start: fc.record({event: name, where: texts}),
    return: some(fc.record({event: some(name), where: texts})),
    users: ofUsers,
    ...shownBuckets,
    compare: fc.constant(undefined),
    interval: fc.constantFrom('hour', 'day', 'week', 'month'),
    periods: fc.integer({min: 1, max: 60}),
    cohort: fc.constantFrom('first', 'recurring'),
    criteria: fc.constantFrom('on', 'on_or_after'),
    frame: fc.constantFrom('calendar', 'rolling'),
  }),
  lifecycle: fc.record({...shownDays, compare: fc.constant(undefined)}),
  paths: fc
    .record({
      is: fc.constantFrom('start', 'end'),
      event: name,
      where: texts,
      users: ofUsers,
      ...shownTimes,
      depth: fc.integer({min: 2, max: 5}),
    })
    .map(({is, event, ...rest}) => ({...rest, [is]: {event}})),
};

test.each(Object.entries(shown))(
  'a question of the kind %s that its page shows is read as it was written',
  (report, some) => {
    fc.assert(
      fc.property(some, (given) => {
        const question = asked(report, given);
        const {draft, problems} = pageIn(addressOf({questions: [question]}, 'UTC'), showable);
        expect(problems).toEqual([]);
        expect([isAsked(draft), askedBy(draft)]).toEqual([true, question]);
      }),
      {numRuns: 60},
    );
  },
);

const pairsIn = (search: string): string[] => [...new URLSearchParams(search)].map((pair) => pair.join('=')).sort();

test.each(Object.entries(questions))(
  'of a question of the kind %s the page names what it does not show, and keeps it',
  (report, some) => {
    fc.assert(
      fc.property(some, (given) => {
        const {page, search} = addressOf({questions: [asked(report, given)]}, 'UTC');
        const {draft, problems} = pageIn({page, search}, showable);
        expect(pairsIn(searchOf(page, draft, 'UTC', problems))).toEqual(pairsIn(search));
        expect(pageIn({page, search: searchOf(page, draft, 'UTC')}, showable)).toEqual({draft, problems: []});
      }),
      {numRuns: 60},
    );
  },
);

test('how a page shows its question is read as it was written', () => {
  for (const [report, more, view] of [
    ['counts', {events: [{event: 'a'}], timezone: 'UTC', interval: 'day'}, {look: 'stacked'}],
    ['retention', {start: {event: 'a'}, timezone: 'UTC'}, {show: 'users'}],
    ['lifecycle', {timezone: 'UTC'}, {often: 'at_least'}],
    ['funnel', {steps: [{event: 'a'}], window: '14d', timezone: 'UTC'}, {every: 'week'}],
  ] as const) {
    const question = asked(report, more);
    const {draft, problems} = pageIn(addressOf({questions: [question], view: view as View}, 'UTC'), showable);
    expect([askedBy(draft), draft.view, problems]).toEqual([question, view, []]);
  }
});

describe('an address', () => {
  test.each([
    ['/trends', '?event=signup'],
    ['/trends', '?event=&event=a,+b&measure=2:sum:seats&where=1:plan+eq+pro&formula=B+/+A&range=7d'],
    ['/trends', '?event=a&by=trait:plan&range=this-sunday-week&every=day&zone=Europe/Berlin&weeks=sunday&compare=off'],
    ['/active', ''],
    ['/active', '?event=a&by=plan&metric=mau&range=2026-10&compare=weekdays'],
    ['/funnels', '?step=a&step=b&where=2:n+gt+1&window=none&order=any&hold=cart&by=plan&by_at=first'],
    ['/funnels', '?step=a&step=b&exclude=1-2:c'],
    ['/retention', '?start=a&return=b&periods=8&range=2026-11-03..2026-11-09'],
    ['/lifecycle', '?where=plan+eq+pro&every=month'],
    ['/paths', '?event=a&direction=before&depth=3&top=20&range=today'],
  ] as const)('%s%s says what is not as usual', (page, search) => {
    const {draft} = pageIn({page, search}, showable);
    const question = askedBy(draft);
    expect(addressOf({questions: [question], view: draft.view}, 'UTC')).toEqual({page, search});
    expect(asked(question.report, question)).toEqual(question);
  });

  test('that names no event asks nothing, and what means nothing in one is left out', () => {
    for (const page of ['/trends', '/funnels', '/retention', '/paths'] as const)
      expect(isAsked(pageIn({page, search: '?range=7d'}, showable).draft)).toBe(false);
    const question = asked('counts', {events: [{event: 'a'}], timezone: 'UTC', compare: 'before'});
    const search = '?event=a&colour=red&range=soon&every=decade&did=a&formula={&where=plan';
    const {draft, problems} = pageIn({page: '/trends', search}, showable);
    expect([askedBy(draft), problems.length]).toEqual([question, 6]);
    fc.assert(fc.property(fc.webQueryParameters(), (any) => void pageIn({page: '/trends', search: any}, showable)));
  });

  test('of a funnel has one window for as many seconds, with a letter and without', () => {
    const of = (window: string) =>
      addressOf({questions: [asked('funnel', {steps: [{event: 'a'}], window})]}, 'UTC').search;
    expect([of('90'), of('90s'), of('14d')]).toEqual(['?step=a&window=90s', '?step=a&window=90s', '?step=a']);
  });
});
