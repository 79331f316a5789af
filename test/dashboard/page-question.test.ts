// Pages whose state is their question: what an address says to them, what they have no control for, and other days.
import {describe, expect, test} from 'vitest';
import {
  askedOver,
  questionAddress,
  stateOf,
  stickinessAsked,
  usersWith,
} from '../../dashboard/src/address/page-question.js';
import {parseRange} from '../../dashboard/src/address/range.js';
import {
  addressOfFollowed,
  followedBy,
  funnelTimesQuestion,
} from '../../dashboard/src/reports/funnels/funnel-question.js';
import {
  fittingFormulas,
  formulaLabels,
  labelsOf,
  type Series,
  seriesQuestion,
} from '../../dashboard/src/reports/trends/series.js';
import type {Page} from '../../src/asks/address.js';
import {flatOf} from '../../src/asks/question/flat.js';

const retention = stateOf<'retention'>('/retention');
const lifecycle = stateOf<'lifecycle'>('/lifecycle');
const paths = stateOf<'paths'>('/paths');
const trends = stateOf<'counts'>('/trends');
const funnels = stateOf<'funnel'>('/funnels');
const days = {from: 20_000, to: 20_013};

describe('an address', () => {
  test.each<[Page, string]>([
    ['/retention', ''],
    ['/retention', '?cohort=recurring&range=7d'],
    [
      '/retention',
      '?start=a&return=b&criteria=on_or_after&frame=rolling&start_where=plan+eq+pro&return_where=n+gt+1&periods=60&every=hour&zone=Asia/Kathmandu&show=users',
    ],
    [
      '/retention',
      '?start=a&user_where=plan+in+pro,team&segment=sg_0123456789abcdef&not_segment=sg_0123456789abcdee&range=2026-10',
    ],
    ['/active', '?event=a&where=plan+eq+pro&by=trait:plan&by_limit=9&metric=mau&range=this-week&every=day&compare=off'],
    ['/active', '?by=plan&range=7d&zone=Asia/Kathmandu&compare=year'],
    ['/lifecycle', '?event=a&where=plan+eq+pro&range=12mo&every=quarter&often=at_least'],
    ['/lifecycle', '?range=last-sunday-week&weeks=sunday'],
    ['/paths', '?direction=before&depth=2'],
    ['/trends', ''],
    ['/trends', '?event=a&look=bars'],
    ['/trends', '?event=a&by=plan&by=trait:plan&by=country'],
    ['/trends', '?event=a&by=plan&by=country&by_limit=3&by_limit=9'],
    [
      '/trends',
      '?event=&all_where=n+gt+1&user_where=plan+eq+pro&by=trait:plan&by_limit=9&every=week&weeks=sunday&compare=off',
    ],
    [
      '/trends',
      '?event=a&event=b&measure=1:users&measure=2:p90:a:b&where=1:plan+eq+pro&where=1:n+gt+1&formula=A+/+B&formula=per+cent:+100*A/B&range=7d',
    ],
    ['/funnels', '?step=a&step=b&where=2:plan+eq+pro&all_where=n+gt+1&window=none&order=any&hold=cart'],
    [
      '/funnels',
      '?step=a&step=b&step=c&exclude=all:x&exclude=1-3:y&exclude_where=2:n+gt+1&paths=entry&by=plan&by_limit=2&by_at=last&every=week',
    ],
    [
      '/funnels',
      '?step=a&user_where=plan+eq+pro&segment=sg_0123456789abcdef&window=12h&range=last-sunday-week&weeks=sunday',
    ],
    ['/web', '?event=page&where=context.os.name+eq+iOS&bots=counted&range=7d&every=hour&zone=Asia/Tokyo&compare=off'],
    ['/paths', '?event=a&where=plan+eq+pro&top=50&range=2026-11-03..2026-11-09&zone=Europe/Berlin'],
  ])('%s%s is written as it was read, and has no problem', (page, search) => {
    const {codec} = stateOf(page);
    const {question, problems} = codec.read(search);
    expect([problems, codec.write(question)]).toEqual([[], search]);
  });

  test.each<[Page, string, readonly string[]]>([
    ['/retention', '?start=a&start=b&by=plan&compare=year', ['by=plan', 'compare=year', 'start=a', 'start=b']],
    ['/retention', '?periods=61&every=year&show=all', ['periods=61', 'every=year', 'show=all']],
    ['/active', '?metric=yau&compare=all&by_limit=1000', ['metric=yau', 'compare=all', 'by_limit=1000']],
    ['/active', '?by=a&by=b', ['by=a', 'by=b']],
    ['/trends', '?event=a&by=a&by=b&by=c&by=d', ['by=a', 'by=b', 'by=c', 'by=d']],
    ['/lifecycle', '?range=soon&zone=Mars/Olympus&colour=red', ['colour=red', 'range=soon', 'zone=Mars/Olympus']],
    ['/lifecycle', '?range=2026-11-03T10:00Z..2026-11-03T11:00Z', ['range=2026-11-03T10:00Z..2026-11-03T11:00Z']],
    ['/lifecycle', '?event_where=a+eq+b&segment=sg_1&did={}', ['event_where=a eq b', 'did={}', 'segment=sg_1']],
    ['/paths', '?where=plan&where=plan+eq+pro&direction=up', ['direction=up', 'where=plan']],
    ['/paths', `?event=${'a'.repeat(257)}`, [`event=${'a'.repeat(257)}`]],
    ['/paths', '?weeks=sunday', ['weeks=sunday']],
    [
      '/trends',
      '?event=a&where=1:plan+eq+pro&where=1:plan&where=2:plan+eq+pro&measure=1:users&measure=2:users&measure=users&user_where=seats+gt+x',
      ['where=1:plan', 'where=2:plan eq pro', 'measure=2:users', 'measure=users', 'user_where=seats gt x'],
    ],
    ['/trends', '?event=a&measure=1:sum&measure=1:users:n', ['measure=1:sum', 'measure=1:users:n']],
    ['/trends', '?event=a&measure=1:sum:n&measure=1:users', ['measure=1:sum:n', 'measure=1:users']],
    [
      '/trends',
      '?event=a&formula=A+/+B&formula=A+/&formula=A&formula=A:+A+*+2&by_limit=3&as=1:B&series=true',
      ['as=1:B', 'by_limit=3', 'formula=A / B', 'formula=A /', 'formula=A: A * 2', 'series=true'],
    ],
    [
      '/trends',
      `?event=a&event=${'b'.repeat(257)}&where=1:n+gt+1`,
      ['event=a', `event=${'b'.repeat(257)}`, 'where=1:n gt 1'],
    ],
    ['/trends', `?${'event=a&'.repeat(7)}`, Array(7).fill('event=a')],
    ['/funnels', '?step=&step=a', ['step=', 'step=a']],
    [
      '/funnels',
      '?step=a&window=3w&order=random&paths=some&hold=',
      ['hold=', 'order=random', 'paths=some', 'window=3w'],
    ],
    [
      '/funnels',
      '?step=a&window=90&by_at=2&compare=year&interval=day',
      ['by_at=2', 'compare=year', 'interval=day', 'window=90'],
    ],
    [
      '/funnels',
      '?step=a&step=b&exclude=c&exclude=2-1:c&exclude=1-51:c&exclude=all:&exclude_where=1:n+gt+1&where=3:n+gt+1&by=plan&by_at=51',
      [
        'by_at=51',
        'exclude=1-51:c',
        'exclude=2-1:c',
        'exclude=all:',
        'exclude=c',
        'exclude_where=1:n gt 1',
        'where=3:n gt 1',
      ],
    ],
    [
      '/funnels',
      '?step=a&step=b&exclude=all:c&exclude=d&exclude_where=1:n+gt+1',
      ['exclude=all:c', 'exclude=d', 'exclude_where=1:n gt 1'],
    ],
    [
      '/web',
      '?by=plan&metric=mau&bots=yes&user_where=n+gt+1',
      ['bots=yes', 'by=plan', 'metric=mau', 'user_where=n gt 1'],
    ],
    ['/paths', '?where={"property":"a","op":"eq","value":"b"}', ['where={"property":"a","op":"eq","value":"b"}']],
  ])('%s%s: what the page does not show is named and left out', (page, search, named) => {
    const {codec} = stateOf(page);
    const {question, problems} = codec.read(search);
    expect(problems.map(({name, text}) => `${name}=${text}`).sort()).toEqual([...named].sort());
    expect(codec.read(codec.write(question)).problems).toEqual([]);
    expect(codec.read(codec.write(question, problems)).problems).toHaveLength(problems.length);
  });

  test('what is expected is said, but of a parameter that the page does not have', () => {
    const {problems} = retention.codec.read('?cohort=last&colour=red&segment=sg_1');
    expect(problems).toEqual([
      {name: 'colour', text: 'red', expected: undefined},
      {name: 'segment', text: 'sg_1', expected: 'the id of a segment'},
      {name: 'cohort', text: 'last', expected: 'one of first, recurring'},
    ]);
  });

  test('too many conditions are none; of one of several events, none of its', () => {
    const where = (count: number, of = '') => Array.from({length: count}, (_, n) => `where=${of}n+gt+${n}`).join('&');
    const {question, problems} = lifecycle.codec.read(where(11));
    expect([question.where, problems.length]).toEqual([undefined, 11]);
    const ofWeb = stateOf<'active'>('/web').codec;
    expect([8, 9].map((count) => ofWeb.read(where(count)).problems.length)).toEqual([0, 9]);
    const ofTrends = trends.codec.read(`event=a&event=b&${where(11, '1:')}&${where(2, '2:')}`);
    expect(ofTrends.question.events).toEqual([{event: 'a'}, {event: 'b', where: ['n gt 0', 'n gt 1']}]);
    expect(ofTrends.problems).toHaveLength(11);
  });

  test('of the usual order and paths of a funnel is as one without', () => {
    const {question, problems} = funnels.codec.read('?step=a&order=sequential&paths=all&by=plan&by_at=1');
    expect([problems, question]).toEqual([[], funnels.codec.read('?step=a&by=plan').question]);
  });

  test('stays where a page completes it, with what means nothing', () => {
    const {question, problems} = trends.codec.read('?events[]=a%26b&where=1:plan&range=soon&compare=off');
    expect(trends.codec.write({...question, events: [{event: 'signup'}]}, problems)).toBe(
      '?event=signup&compare=off&events%5B%5D=a%26b&where=1:plan&range=soon',
    );
  });
});

describe('a question', () => {
  test('has its days of the head of the page, and other ones have the interval that is usual', () => {
    const {question} = lifecycle.codec.read('?range=7d&every=hour&zone=Europe/Berlin&segment=sg_0123456789abcdef');
    expect(lifecycle.times(question)).toEqual({
      range: parseRange('7d'),
      zone: 'Europe/Berlin',
      every: 'hour',
      compare: 'off',
      segment: 'sg_0123456789abcdef',
      not_segment: null,
    });
    const others = lifecycle.over(question, {range: parseRange('this-sunday-week')!, every: null, zone: 'UTC'});
    expect(lifecycle.codec.write(others)).toBe('?segment=sg_0123456789abcdef&range=this-sunday-week&weeks=sunday');
    expect(lifecycle.times(others).range).toEqual(parseRange('this-sunday-week'));
    const monday = lifecycle.over(others, {range: parseRange('this-week')!});
    expect(lifecycle.codec.write(monday)).toBe('?segment=sg_0123456789abcdef&range=this-week');
  });

  test('is asked over the days that are shown', () => {
    const asked = (path: string): string => decodeURIComponent(path).replaceAll('+', ' ');
    const ofRetention = retention.codec.read('?start=a&return=b&return_where=plan+eq+pro&zone=Asia/Tokyo').question;
    expect(asked(flatOf(askedOver(ofRetention, {...days, zone: 'Asia/Tokyo'}, 'week')))).toBe(
      'v1/reports/retention?start=a&return=b&return_where=plan eq pro&cohort=first&criteria=on&frame=calendar&periods=12' +
        '&interval=week&timezone=Asia/Tokyo&from=2024-10-04&to=2024-10-17',
    );
    const often = stickinessAsked(lifecycle.codec.read('?often=at_least&range=last-sunday-week').question);
    expect(asked(flatOf(askedOver(often, days, 'week')))).toBe(
      'v1/reports/stickiness?any_event=true&interval=week&week_start=sunday&at_least=true&timezone=UTC' +
        '&from=2024-10-04&to=2024-10-17',
    );
    const before = paths.codec.read('?event=a&direction=before').question;
    expect(asked(flatOf(askedOver(before, days)))).toBe(
      'v1/reports/paths?end=a&depth=4&limit=8&timezone=UTC&from=2024-10-04&to=2024-10-17',
    );
  });

  test('that is suggested keeps the direction that was chosen', () => {
    const {question} = paths.codec.read('?direction=before');
    expect(paths.codec.write({...question, start: {event: 'a'}})).toBe('?event=a&direction=before');
  });

  test('of a segment keeps it when its conditions change', () => {
    const users = {segment: 'sg_0123456789abcdef'};
    const where = [{property: 'plan', op: 'eq' as const, values: ['pro']}];
    expect(usersWith(users, {user_where: where})).toEqual({...users, where: ['plan eq pro']});
    expect(usersWith(users, {segment: null})).toEqual({segment: undefined});
  });

  test('of Trends is one for each of its series, and keeps its place among the others', () => {
    const {question} = trends.codec.read(
      '?event=a&event=&measure=1:sum:seats&where=1:plan+eq+pro&all_where=n+gt+1&user_where=plan+eq+pro&by=trait:plan&weeks=sunday',
    );
    const [first, second] = question.events!;
    expect(flatOf(seriesQuestion(first!, question, {from: 20_000, to: 20_001}, 'week'))).toBe(
      'v1/reports/events?event=a&where=n+gt+1&where=plan+eq+pro&user_where=plan+eq+pro&measure=sum&property=seats' +
        '&breakdown=trait%3Aplan&breakdown_limit=25&interval=week&week_start=sunday&timezone=UTC&from=2024-10-04&to=2024-10-05',
    );
    expect(flatOf(seriesQuestion(second!, question, days, 'day'))).toContain('any_event=true&where=n+gt+1&user_where');
    expect(questionAddress<'counts'>('/trends', {events: [{event: 'a, b'}]}, {range: parseRange('7d')!})).toBe(
      '/trends?event=a,+b&range=7d',
    );
  });

  test('of several events has formulas over their letters, in words', () => {
    const {question} = trends.codec.read('?event=a&event=b&event=c&formula=A / B&formula=rate: (C - B) / A');
    expect(question.formulas).toEqual([
      {as: 'A / B', is: 'A / B'},
      {as: 'rate', is: '(C - B) / A'},
    ]);
    expect(formulaLabels(question)).toEqual(['a / b', 'rate']);
    const {events = [], formulas = []} = question;
    expect(fittingFormulas(formulas, events, events.slice(1))).toEqual([]);
    expect(fittingFormulas(formulas, events, events.slice(0, 2))).toEqual([{as: 'A / B', is: 'A / B'}]);
    expect(fittingFormulas([{as: 'A / C', is: 'A / C'}], events, [events[0]!, events[2]!])).toEqual([
      {as: 'A / B', is: 'A / B'},
    ]);
    expect(fittingFormulas(formulas, events, [...events, {event: 'd'}])).toEqual(formulas);
  });

  test('of a funnel leaves out what other parts make meaningless', () => {
    const span = {from: 20_000, to: 20_001};
    const {question} = funnels.codec.read(
      '?step=a&step=b&where=2:plan eq pro&order=any&exclude=all:x&paths=entry&window=none&by=trait:plan&by_at=first',
    );
    expect(decodeURIComponent(flatOf(askedOver(question, span)))).toBe(
      'v1/reports/funnel?steps[]=a&steps[]=b&where[2]=plan+eq+pro&order=any&breakdown=trait:plan&breakdown_limit=6' +
        '&timezone=UTC&from=2024-10-04&to=2024-10-05',
    );
    const sequential = {...question, order: undefined, breakdown: undefined};
    expect(decodeURIComponent(flatOf(askedOver(sequential, span)))).toBe(
      'v1/reports/funnel?steps[]=a&steps[]=b&where[2]=plan+eq+pro&exclude[1]=x' +
        '&timezone=UTC&from=2024-10-04&to=2024-10-05',
    );
    expect(decodeURIComponent(flatOf(funnelTimesQuestion(question, span, 'week')))).toBe(
      'v1/reports/funnel?steps[]=a&steps[]=b&where[2]=plan+eq+pro&order=any&histogram=clock&percentiles=true&interval=week' +
        '&timezone=UTC&from=2024-10-04&to=2024-10-05',
    );
  });

  test.each([
    '?step=a&step=b&where=2:plan+eq+pro',
    '?step=a&step=b&window=none',
    '?step=a&step=b&window=7d&order=strict',
    '?step=a&step=b&all_where=plan+eq+pro&exclude=1-2:x',
  ])('that a saved funnel follows leads to the address that it was saved from: %s', (search) => {
    const {question, problems} = funnels.codec.read(search);
    expect([problems, addressOfFollowed(followedBy(question))]).toEqual([[], search]);
  });
});

test('equal series are told apart by a number', () => {
  const series: Series[] = [
    {event: 'a'},
    {event: 'a', where: ['plan eq pro']},
    {event: 'a'},
    {event: 'a', measure: {of: 'avg', property: 'seats'}},
  ];
  expect(labelsOf(series)).toEqual(['a', 'a, plan is pro', 'a (2)', 'average of seats of a']);
});
