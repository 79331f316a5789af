// What the page Web asks, out of its address.
import {describe, expect, test} from 'vitest';
import {conditionsOf, membersOf, stateOf} from '../../dashboard/src/address/page-question.js';
import {
  answerAddress,
  listQuestion,
  narrowedBy,
  narrowText,
  rowConditionsOf,
  valueText,
  viewNameIn,
  type WebList,
  webAsked,
  webLists,
  webUntilQuestions,
} from '../../dashboard/src/pages/web/web-question.js';
import {type FixedQuestion, flatOf} from '../../src/asks/question/flat.js';

const today = Date.parse('2026-11-28') / 86_400_000;
const {codec} = stateOf<'active'>('/web');
const questionOf = (search: string) => codec.read(search).question;
const [pages, referrers] = webLists as [WebList, WebList];
const partsOf = (path: string) => {
  const [route, query] = path.split('?', 2) as [string, string];
  return {route, given: new URLSearchParams(query)};
};
const parts = (asked: FixedQuestion) => partsOf(flatOf(asked));
const asked = (search: string, event = 'page', since?: number) => webAsked(questionOf(search), event, today, since);

test('the event is the first name of a page view that exists', () => {
  expect(viewNameIn(['signup', '$mp_web_page_view', '$pageview'])).toBe('$pageview');
  expect(viewNameIn(['$pageview', 'page'])).toBe('page');
  expect(viewNameIn(['signup', 'pages'])).toBeUndefined();
});

describe('the figures', () => {
  test('are users and events of page views, and first events of sessions of any name, without bots', () => {
    const [visitors, views, sessions] = asked('?range=7d').asks.map(parts);
    expect(visitors!.route).toBe('v1/reports/users');
    expect(Object.fromEntries(visitors!.given)).toEqual({
      metric: 'dau',
      event: 'page',
      where: 'context.bot unset',
      interval: 'day',
      timezone: 'UTC',
      from: '2026-11-22',
      to: '2026-11-28',
    });
    expect(views!.route).toBe('v1/reports/events');
    expect([views!.given.get('event'), views!.given.getAll('where')]).toEqual(['page', ['context.bot unset']]);
    expect(sessions!.given.get('event')).toBeNull();
    expect(sessions!.given.get('any_event')).toBe('true');
    expect(sessions!.given.getAll('where')).toEqual(['context.bot unset', 'context.session.start eq true']);
  });

  test('with bots, and narrowed, have the conditions of the address alone', () => {
    const {asks} = asked('?bots=counted&where=context.page.path+eq+/docs', '$pageview');
    expect(asks.map((one) => parts(one).given.getAll('where'))).toEqual([
      ['context.page.path eq /docs'],
      ['context.page.path eq /docs'],
      ['context.page.path eq /docs', 'context.session.start eq true'],
    ]);
    expect(parts(asks[1]!).given.get('event')).toBe('$pageview');
  });

  test('are compared with the range before, up to the same moment while today is in the range', () => {
    const froms = (asks: readonly FixedQuestion[]) => asks.map((one) => parts(one).given.get('from'));
    const seven = asked('?range=7d&zone=Asia/Tokyo');
    expect(froms(seven.pastAsks)).toEqual(['2026-11-15', '2026-11-15', '2026-11-15']);
    const until = webUntilQuestions(seven, today, Date.parse('2026-11-28T03:00:00Z'))!;
    expect(until.map((path) => parts(path).given.get('to'))).toEqual(Array(3).fill('2026-11-21T12:00:00.000'));
    expect(until.map((path) => parts(path).given.get('timezone'))).toEqual(Array(3).fill('Asia/Tokyo'));
    expect(webUntilQuestions(seven, today, undefined)).toBeUndefined();
    expect(asked('?range=7d&compare=off').pastAsks).toEqual([]);
    expect(asked('?range=7d', 'page', today - 8).pastAsks).toEqual([]);
  });
});

describe('the lists', () => {
  const listsOf = (search: string, hasSessions: boolean) =>
    webLists.map((list) => parts(listQuestion(asked(search), list, hasSessions)));

  test('count page views, sessions or visitors by a property of the context, in one bucket a year', () => {
    const lists = listsOf('?range=7d', true);
    expect(lists.map(({route, given}) => [given.get('breakdown'), route, given.get('event') ?? 'any'])).toEqual([
      ['context.page.path', 'v1/reports/events', 'page'],
      ['context.referrer.host', 'v1/reports/events', 'any'],
      ['context.campaign.name', 'v1/reports/events', 'any'],
      ['context.location.country', 'v1/reports/users', 'page'],
      ['context.device.type', 'v1/reports/users', 'page'],
      ['context.browser.name', 'v1/reports/users', 'page'],
      ['context.os.name', 'v1/reports/users', 'page'],
    ]);
    for (const {given} of lists) {
      expect([given.get('interval'), given.get('breakdown_limit')]).toEqual(['year', '25']);
      expect(given.getAll('where')[0]).toBe('context.bot unset');
    }
  });

  test('whether sessions are counted does not depend on what the page is narrowed to', () => {
    const wide = asked('?range=7d');
    expect(wide.asksSessions).toEqual(wide.asks[2]);
    expect(asked('?range=7d&where=context.page.path+eq+/docs').asksSessions).toEqual(wide.asksSessions);
  });

  test('of referrers and campaigns count visitors where no session is counted', () => {
    for (const {route, given} of listsOf('?range=7d', false).slice(1, 3))
      expect([route, given.get('event'), given.getAll('where')]).toEqual([
        'v1/reports/users',
        'page',
        ['context.bot unset'],
      ]);
  });
});

describe('a value', () => {
  test('narrows the page in its address, in place of another one of the same property', () => {
    const {where} = questionOf('?where=context.os.name+eq+iOS&where=context.page.path+eq+/');
    const docs = rowConditionsOf(pages, {value: '/docs'}, true)!;
    const narrowed = {...questionOf(''), where: membersOf(narrowedBy(conditionsOf(where), docs))};
    const address = codec.write(narrowed);
    expect(new URLSearchParams(address).getAll('where')).toEqual([
      'context.os.name eq iOS',
      'context.page.path eq /docs',
    ]);
    expect(questionOf(address)).toEqual(narrowed);
    expect(rowConditionsOf(pages, {kind: 'other'}, true)).toBeUndefined();
  });

  test('that is absent narrows the page as well: of sessions to their first events, which are counted once', () => {
    const absent = {property: 'context.page.path', op: 'unset', values: []};
    expect(rowConditionsOf(pages, {kind: 'missing'}, true)).toEqual([absent]);
    expect(rowConditionsOf(referrers, {kind: 'missing'}, false)).toHaveLength(1);
    const direct = rowConditionsOf(referrers, {kind: 'missing'}, true)!;
    expect(direct.map(narrowText)).toEqual(['Referrer is direct, or unknown', 'First event of a session']);
    const {asks} = webAsked({...questionOf('?range=7d'), where: membersOf(direct)}, 'page', today);
    const conditions = ['context.bot unset', 'context.referrer.host unset', 'context.session.start eq true'];
    for (const one of asks) expect(parts(one).given.getAll('where')).toEqual(conditions);
  });

  test('has plain words, and a country its name', () => {
    const country = {property: 'context.location.country', op: 'eq', values: ['DE']} as const;
    expect(narrowText(country)).toBe('Country is Germany');
    expect(narrowText({...country, values: ['Utopia']})).toBe('Country is Utopia');
    expect(narrowText({property: 'context.referrer.host', op: 'unset', values: []})).toBe(
      'Referrer is direct, or unknown',
    );
    expect(narrowText({property: 'plan', op: 'ne', values: ['pro']})).toBe('plan is not pro');
    expect(valueText({by: 'context.page.path'}, '')).toBe('(empty)');
  });
});

describe('a number leads to the page that answers it', () => {
  const question = questionOf('?range=7d&zone=Asia/Tokyo&where=context.os.name+eq+iOS');
  const addressed = (...rest: [Parameters<typeof answerAddress>[2], Parameters<typeof answerAddress>[3]?]) =>
    partsOf(answerAddress(question, 'page', ...rest));

  test('visitors to Active users, with all conditions', () => {
    const {route, given} = addressed('visitors', {by: 'context.os.name'});
    expect([route, given.get('event'), given.get('by'), given.get('range'), given.get('zone')]).toEqual([
      '/active',
      'page',
      'context.os.name',
      '7d',
      'Asia/Tokyo',
    ]);
    expect(given.getAll('where')).toEqual(['context.bot unset', 'context.os.name eq iOS']);
  });

  test('page views and sessions to Trends', () => {
    const more = rowConditionsOf(pages, {value: '/'}, true)!;
    const {route, given} = addressed('views', {more});
    expect([route, given.getAll('event'), given.getAll('where')]).toEqual([
      '/trends',
      ['page'],
      ['1:context.bot unset', '1:context.os.name eq iOS', '1:context.page.path eq /'],
    ]);
    expect(addressed('sessions').given.getAll('where')).toContain('1:context.session.start eq true');
    expect(addressed('sessions').given.getAll('event')).toEqual(['']);
  });
});
