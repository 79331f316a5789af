// Questions as values: the parameters of a route mean the same, what is misspelt is told what was meant, and the normal form is one.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {readCondition, writeCondition} from '../../actors/report/rows/condition-text.js';
import {eventsAskedFor} from '../../src/asked-names.js';
import {type FixedQuestion, flatOf} from '../../src/asks/question/flat.js';
import {kinds} from '../../src/asks/question/kinds.js';
import type {ReportQuery} from '../../src/asks/report.js';
import {RequestFailure} from '../../src/edge/failure.js';
import type {Front} from '../../src/edge/front.js';
import {pointing, readQuestion} from '../../src/edge/query/read-question.js';
import {usersReport} from '../../src/edge/routes/active-users.js';
import {countsReport} from '../../src/edge/routes/event-counts.js';
import {namesReport} from '../../src/edge/routes/event-names.js';
import {funnelReport} from '../../src/edge/routes/funnel.js';
import {lifecycleReport} from '../../src/edge/routes/lifecycle.js';
import {propertiesList, propertyValuesList, traitsList, traitValuesList} from '../../src/edge/routes/lists.js';
import {pathsReport} from '../../src/edge/routes/paths.js';
import {queryOf} from '../../src/edge/routes/query.js';
import type {ReportRoute} from '../../src/edge/routes/reports.js';
import {retentionReport} from '../../src/edge/routes/retention.js';
import {stickinessReport} from '../../src/edge/routes/stickiness.js';
import {userList} from '../../src/edge/routes/user-list.js';
import {zoneOf} from '../../src/zone.js';

const hidden = {names: ['debug'], properties: ['debug']};
/** Thursday in UTC, and Friday in Kathmandu. */
const nowMs = Date.UTC(2026, 4, 21, 22);
const front = {reportZone: undefined, wallMs: () => nowMs, kept: {keys: {lists: hidden}}} as unknown as Front;

const asked = (question: object, ofService = front): ReportQuery => {
  const read = readQuestion(question, '');
  return pointing('', () => queryOf(read, ofService));
};

function failureOf(read: () => unknown): {field?: string | undefined; message: string} {
  try {
    read();
  } catch (error) {
    if (error instanceof RequestFailure) return error.failure;
    throw error;
  }
  throw new Error('it was not refused');
}

const days = 'from=2026-05-01&to=2026-05-20';
const range = {from: '2026-05-01', to: '2026-05-20'};

test.each<[string, ReportRoute, object]>([
  [`event=a&${days}`, countsReport, {report: 'counts', events: [{event: 'a'}], range}],
  [`any_event=true&${days}`, countsReport, {report: 'counts', range}],
  [`events[]=a&${days}`, countsReport, {report: 'counts', events: [{event: 'a'}], series: true, range}],
  [`events[]=a&events[]=b&${days}`, countsReport, {report: 'counts', events: [{event: 'a'}, {event: 'b'}], range}],
  [
    `event=a&filter=plan=pro&${days}`,
    countsReport,
    {report: 'counts', events: [{event: 'a', where: ['plan=pro']}], range},
  ],
  [
    `event=a&where=n+gt+5&filter=plan=pro&user_where=x+set&interval=week&week_start=sunday&timezone=Europe/Berlin&measure=sum&property=n&breakdown=trait:plan&breakdown_limit=3&${days}`,
    countsReport,
    {
      report: 'counts',
      events: [{event: 'a'}],
      where: ['n>5', {property: 'plan', op: 'eq', value: 'pro'}],
      users: {where: ['x set']},
      range,
      interval: 'week',
      week_start: 'sunday',
      timezone: 'Europe/Berlin',
      measure: {of: 'sum', property: 'n'},
      breakdown: [{trait: 'plan', limit: 3}],
    },
  ],
  [
    `event=a&breakdown=trait:plan&breakdown=b&breakdown_limit=3&breakdown_limit=4&${days}`,
    countsReport,
    {
      report: 'counts',
      events: [{event: 'a'}],
      breakdown: [
        {trait: 'plan', limit: 3},
        {property: 'b', limit: 4},
      ],
      range,
    },
  ],
  [`metric=mau&${days}`, usersReport, {report: 'active', metric: 'mau', range}],
  [
    `event=a&where=b+in+c,d&${days}`,
    usersReport,
    {report: 'active', events: [{event: 'a', where: ['b in (c,d)']}], range},
  ],
  [
    `steps[]=a&steps[]=b&window=7d&${days}`,
    funnelReport,
    {report: 'funnel', steps: [{event: 'a'}, {event: 'b'}], window: '7d', range},
  ],
  [
    `steps[]=a&steps[]=b&where[2]=n+lt+5&range=entry&window=7d&exclude[2]=c&exclude_between[2]=1-2&breakdown=p&breakdown_at=last&histogram=true&percentiles=true&interval=day&${days}`,
    funnelReport,
    {
      report: 'funnel',
      steps: [{event: 'a'}, {event: 'b', where: ['n < 5']}],
      in_range: 'entry',
      window: '7d',
      exclude: [{event: 'c', between: [1, 2]}],
      breakdown: [{property: 'p', at: 'last'}],
      histogram: 'decimal',
      percentiles: true,
      interval: 'day',
      range,
    },
  ],
  [
    `start=a&return=b&return_where=n+gte+1&periods=3&cohort=recurring&${days}`,
    retentionReport,
    {
      report: 'retention',
      start: {event: 'a'},
      return: {event: 'b', where: ['n>=1']},
      periods: 3,
      cohort: 'recurring',
      range,
    },
  ],
  [`any_event=true&${days}`, lifecycleReport, {report: 'lifecycle', range}],
  [
    `event=a&at_least=true&${days}`,
    stickinessReport,
    {report: 'stickiness', events: [{event: 'a'}], at_least: true, range},
  ],
  [`end=a&depth=3&${days}`, pathsReport, {report: 'paths', end: {event: 'a'}, depth: 3, range}],
  ['prefix=s&include=users&hidden=true', namesReport, {report: 'names', prefix: 's', include: 'users', hidden: true}],
  ['event=a&to=2026-05-02', propertiesList, {report: 'properties', event: 'a', range: {to: '2026-05-02'}}],
  [`property=p&${days}`, propertyValuesList, {report: 'values', property: 'p', range}],
  ['from=2026-05-01', traitsList, {report: 'traits', range: {from: '2026-05-01'}}],
  ['trait=t', traitValuesList, {report: 'trait_values', trait: 't'}],
  [
    'did[4]=2026-05-01..&did_event[4]=a&did_not[2]=..&did_where[2]=b+unset&user_where=p+eq+1&sort=sum:n&event=c',
    userList,
    {
      report: 'people',
      users: {
        where: ['p=1'],
        did: [
          {event: 'a', range: {from: '2026-05-01'}},
          {where: ['b unset'], not: true},
        ],
      },
      event: 'c',
      sort: {sum: 'n'},
    },
  ],
])('%s: the parameters of a route mean the question', (query, route, question) => {
  expect(asked(question)).toEqual(route.questionOf(front, query));
  expect(readFlat(readQuestion(question, ''))).toEqual(asked(question));
  // Its conditions are texts, as those of pages.
  if (!JSON.stringify(question).includes('"op"')) expect(readFlat(question)).toEqual(asked(question));
});

const routes: Readonly<Record<string, ReportRoute>> = {
  'v1/reports/events': countsReport,
  'v1/reports/users': usersReport,
  'v1/reports/funnel': funnelReport,
  'v1/reports/retention': retentionReport,
  'v1/reports/lifecycle': lifecycleReport,
  'v1/reports/stickiness': stickinessReport,
  'v1/reports/paths': pathsReport,
  'v1/names': namesReport,
  'v1/properties': propertiesList,
  'v1/properties/values': propertyValuesList,
  'v1/traits': traitsList,
  'v1/traits/values': traitValuesList,
  'v1/users': userList,
};

/** What the route understands of the path of a question. */
function readFlat(question: object, ofService = front): ReportQuery {
  const [path, query] = flatOf(question as FixedQuestion).split(/\?(.*)/s) as [string, string];
  return routes[path]!.questionOf(ofService, query);
}

test('the path of a question has texts of any characters', () => {
  const text = fc.string({minLength: 1, maxLength: 40, unit: 'grapheme'});
  fc.assert(
    fc.property(text, text, text, (event, property, value) => {
      const where = [{property, op: 'eq' as const, value}];
      const did = [{event, where, range: {to: '2026-05-02'}}];
      for (const question of [
        {report: 'counts', events: [{event}], where, users: {where}, measure: {of: 'users'}, range},
        {report: 'funnel', steps: [{event}, {event, where}], exclude: [{event, where}], where, hold: property, range},
        {report: 'retention', start: {event, where}, return: {where}, breakdown: [{trait: property}], range},
        {report: 'people', users: {where, did}, where, prefix: value, cursor: undefined},
      ])
        expect(readFlat(readQuestion(question, ''))).toEqual(asked(question));
    }),
    {numRuns: 30},
  );
});

describe('users', () => {
  const id = 'sg_0123456789abcdef';
  const ofSegment = {where: ['plan eq pro'], did: [{event: 'login', range: '-7d', not: false}]};
  const definitions = {get: (text: string) => (text === id ? {id, users: ofSegment} : undefined)};
  const withSegment = {...front, kept: {...front.kept, store: {definitions: () => definitions}}} as unknown as Front;
  const askedOf = (question: object): ReportQuery => asked(question, withSegment);
  const [own, did] = [['x set'], [{event: 'left', not: true}]];

  test.each<[string, ReportRoute, object]>([
    [`event=a&${days}`, countsReport, {report: 'counts', events: [{event: 'a'}], range}],
    [days, usersReport, {report: 'active', range}],
    [`steps[]=a&steps[]=b&${days}`, funnelReport, {report: 'funnel', steps: [{event: 'a'}, {event: 'b'}], range}],
    [`start=a&any_return=true&${days}`, retentionReport, {report: 'retention', start: {event: 'a'}, range}],
    [`any_event=true&${days}`, lifecycleReport, {report: 'lifecycle', range}],
    [`any_event=true&${days}`, stickinessReport, {report: 'stickiness', range}],
    [`start=a&${days}`, pathsReport, {report: 'paths', start: {event: 'a'}, range}],
    ['', userList, {report: 'people'}],
  ])('of a segment, and those of a question, must hold: %s', (query, route, question) => {
    const byName = askedOf({...question, users: {segment: id, where: own}});
    expect(route.questionOf(withSegment, `${query}&segment=${id}&user_where=x+set`)).toEqual(byName);
    expect(readFlat({...question, users: {segment: id, where: own}}, withSegment)).toEqual(byName);
    const inline = {where: [...ofSegment.where, ...own], did: [...ofSegment.did, ...did]};
    expect(askedOf({...question, users: {segment: id, where: own, did}})).toEqual(asked({...question, users: inline}));
    expect(asked({...question, users: {did}})).not.toEqual(asked(question));
    expect(asked({...question, users: {did: [], where: []}})).toEqual(asked(question));
  });

  test.each<[string, ReportRoute, object]>([
    [`event=a&${days}`, countsReport, {report: 'counts', events: [{event: 'a'}], range}],
    [`steps[]=a&steps[]=b&${days}`, funnelReport, {report: 'funnel', steps: [{event: 'a'}, {event: 'b'}], range}],
    [days, namesReport, {report: 'names', range}],
    ['', userList, {report: 'people'}],
  ])('who are not in a segment, beside what must hold: %s', (query, route, question) => {
    const users = {not_segment: id, where: own};
    const without = askedOf({...question, users});
    expect(route.questionOf(withSegment, `${query}&not_segment=${id}&user_where=x+set`)).toEqual(without);
    expect(readFlat({...question, users}, withSegment)).toEqual(without);
    const inside = askedOf({...question, users: {segment: id}}) as {users: object};
    const ofOwn = asked({...question, users: {where: own}}) as {users: object};
    expect(without).toEqual({...ofOwn, users: {...ofOwn.users, except: inside.users}});
  });

  test('ranges of a segment are of the zone of the question', () => {
    const filterIn = (timezone: string) =>
      (askedOf({report: 'active', users: {segment: id}, timezone}) as {users?: object}).users;
    expect(filterIn('Asia/Kathmandu')).not.toEqual(filterIn('UTC'));
  });

  test.each([
    ['sg_0123456789abcdee', '/users/segment', 'there is no segment sg_0123456789abcdee'],
    ['Paying', '/users/segment', 'must be the id of a segment'],
  ])('%s is no segment', (segment, field, message) => {
    const failure = failureOf(() => askedOf({report: 'active', users: {segment}}));
    expect(failure).toMatchObject({field, message: expect.stringContaining(message)});
    const without = failureOf(() => askedOf({report: 'active', users: {not_segment: segment}}));
    expect(without).toMatchObject({field: '/users/not_segment', message: expect.stringContaining(message)});
  });
});

describe('the normal form', () => {
  test('has the defaults, conditions as texts, and nothing empty', () => {
    const question = {
      report: 'counts',
      events: [{event: 'a', where: [{property: 'plan', op: 'in', value: ['a,b', '(c)', 1]}]}],
      where: [],
      users: {where: ['amount>5']},
      breakdown: [{property: 'p'}],
    };
    const normal = readQuestion(question, '');
    expect(normal).toEqual({
      report: 'counts',
      events: [{event: 'a', where: ['plan in a\\,b,\\(c),1']}],
      series: false,
      users: {where: ['amount gt 5']},
      range: '-30d',
      interval: 'day',
      week_start: 'monday',
      breakdown: [{property: 'p', limit: 25}],
    });
    expect(readQuestion(normal, '')).toEqual(normal);
  });

  test.each([
    ['plan=pro', 'plan eq pro'],
    ['plan != a=b', 'plan ne a=b'],
    ['n>=5', 'n gte 5'],
    ['n <5', 'n lt 5'],
    ['plan in (a,b)', 'plan in a,b'],
    ['plan nin (a)', 'plan nin a'],
    ['plan in \\(a,b)', 'plan in \\(a,b)'],
    ['coupon unset', 'coupon unset'],
  ])('%s is the condition %s', (text, written) => {
    const condition = readCondition(text)!;
    expect(writeCondition(condition)).toBe(written);
    expect(readCondition(written)).toEqual(condition);
  });

  test.each(['n>x', 'plan==pro', 'a plan=pro', '=a', 'plan'])('%s is no condition', (text) => {
    expect(readCondition(text)).toBeUndefined();
  });
});

describe('ranges that move', () => {
  test.each([
    ['today', '2026-05-21', '2026-05-21'],
    ['yesterday', '2026-05-20', '2026-05-20'],
    ['-7d', '2026-05-15', '2026-05-21'],
    ['this week', '2026-05-18', '2026-05-21'],
    ['last week', '2026-05-11', '2026-05-17'],
    ['this month', '2026-05-01', '2026-05-21'],
    ['last month', '2026-04-01', '2026-04-30'],
    ['last quarter', '2026-01-01', '2026-03-31'],
    ['this year', '2026-01-01', '2026-05-21'],
  ])('%s is %s to %s', (range, from, to) => {
    expect(asked({report: 'active', range})).toEqual(asked({report: 'active', range: {from, to}}));
  });

  test('begin with the week that was asked for, and end with today of the zone', () => {
    const sunday = {report: 'counts', range: 'this week', week_start: 'sunday'};
    expect(asked(sunday)).toMatchObject({fromMs: Date.UTC(2026, 4, 17)});
    const zone = zoneOf('Asia/Kathmandu')!;
    const there = {report: 'paths', start: {event: 'a'}, range: 'today', timezone: 'Asia/Kathmandu'};
    expect(asked(there)).toMatchObject({fromMs: zone.dayStart(zone.dayOf(nowMs))});
    expect(zone.dayOf(nowMs)).toBe(Math.floor(nowMs / 86_400_000) + 1);
  });
});

const counts = {report: 'counts'};
const ofTwo = {...counts, breakdown: [{property: 'p'}, {trait: 'q'}]};
const funnel = {report: 'funnel', steps: [{event: 'a'}, {event: 'b'}]};
const retention = {report: 'retention', start: {event: 'a'}};
const paths = {report: 'paths', start: {event: 'a'}};
const behind = (question: object, point?: object) => ({report: 'people', behind: {question, point}});

describe('who misspells', () => {
  test.each<[object, string, string]>([
    // Members.
    [{...counts, evnets: []}, '/evnets', 'events'],
    [{...counts, mesure: {}}, '/mesure', 'measure'],
    [{...counts, brekdown: []}, '/brekdown', 'breakdown'],
    [{...counts, intervall: 'day'}, '/intervall', 'interval'],
    [{...counts, time_zone: 'UTC'}, '/time_zone', 'timezone'],
    [{...counts, weekstart: 'monday'}, '/weekstart', 'week_start'],
    [{...counts, usres: {}}, '/usres', 'users'],
    [{...counts, rnage: '-7d'}, '/rnage', 'range'],
    [{...counts, sereis: true}, '/sereis', 'series'],
    [{...counts, events: [{evnt: 'a'}]}, '/events/0/evnt', 'event'],
    [{...counts, events: [{event: 'a', wher: []}]}, '/events/0/wher', 'where'],
    [{...counts, users: {were: []}}, '/users/were', 'where'],
    [{...counts, range: {form: '2026-05-01', to: '2026-05-02'}}, '/range/form', 'from'],
    [{...counts, measure: {of: 'sum', propery: 'n'}}, '/measure/propery', 'property'],
    [{...counts, breakdown: [{propety: 'plan'}]}, '/breakdown/0/propety', 'property'],
    [{...counts, breakdown: [{trait: 'plan', limt: 3}]}, '/breakdown/0/limt', 'limit'],
    [{...counts, where: [{propertie: 'a', op: 'eq', value: 'b'}]}, '/where/0/propertie', 'property'],
    [{report: 'funnel', step: [{event: 'a'}]}, '/step', 'steps'],
    [{...funnel, windw: '7d'}, '/windw', 'window'],
    [{...funnel, ordr: 'any'}, '/ordr', 'order'],
    [{...funnel, exlude: []}, '/exlude', 'exclude'],
    [{...funnel, histogran: 'clock'}, '/histogran', 'histogram'],
    [{...funnel, exclude: [{event: 'c', betwen: [1, 2]}]}, '/exclude/0/betwen', 'between'],
    [{...retention, perods: 3}, '/perods', 'periods'],
    [{...retention, cohrt: 'first'}, '/cohrt', 'cohort'],
    [{...retention, retrun: {}}, '/retrun', 'return'],
    [{...paths, dept: 3}, '/dept', 'depth'],
    [{report: 'names', incude: 'users'}, '/incude', 'include'],
    [{report: 'people', srot: 'events'}, '/srot', 'sort'],
    [{report: 'people', users: {did: [{evnt: 'a'}]}}, '/users/did/0/evnt', 'event'],
    [{report: 'people', behind: {quesiton: counts}}, '/behind/quesiton', 'question'],
    [behind({...counts, evnets: []}), '/behind/question/evnets', 'events'],
    [behind(counts, {dat: '2026-05-20'}), '/behind/point/dat', 'date'],
    [behind(retention, {chort: '2026-05-20'}), '/behind/point/chort', 'cohort'],
    // Reports.
    [{report: 'count'}, '/report', 'counts'],
    [{report: 'events'}, '/report', 'counts'],
    [{report: 'users'}, '/report', 'active'],
    [{report: 'funel'}, '/report', 'funnel'],
    [{report: 'retension'}, '/report', 'retention'],
    [{report: 'lifecylce'}, '/report', 'lifecycle'],
    [{report: 'stickyness'}, '/report', 'stickiness'],
    [{report: 'path'}, '/report', 'paths'],
    [{report: 'poeple'}, '/report', 'people'],
    // Operators.
    [{...counts, where: ['plan equals pro']}, '/where/0', '"plan eq pro"'],
    [{...counts, where: ['plan is pro']}, '/where/0', '"plan eq pro"'],
    [{...counts, where: ['plan not_in a,b']}, '/where/0', '"plan nin a,b"'],
    [{...counts, where: ['plan contians x']}, '/where/0', '"plan contains x"'],
    [{...counts, where: ['x set', 'coupon unsett']}, '/where/1', '"coupon unset"'],
    [{...counts, where: ['coupon exists']}, '/where/0', '"coupon set"'],
    [{...counts, where: ['tags hass blue']}, '/where/0', '"tags has blue"'],
    [{...counts, where: [{property: 'a', op: 'equals', value: 'b'}]}, '/where/0/op', 'eq'],
    [{...counts, where: [{property: 'a', op: 'conatins', value: 'b'}]}, '/where/0/op', 'contains'],
    // Words.
    [{...counts, interval: 'weekly'}, '/interval', 'week'],
    [{...counts, interval: 'months'}, '/interval', 'month'],
    [{...counts, week_start: 'sundy'}, '/week_start', 'sunday'],
    [{...counts, measure: {of: 'summ'}}, '/measure/of', 'sum'],
    [{report: 'active', metric: 'dauu'}, '/metric', 'dau'],
    [{...funnel, order: 'stricct'}, '/order', 'strict'],
    [{...funnel, breakdown: [{property: 'p', at: 'frist'}]}, '/breakdown/0/at', 'first'],
    [{...retention, frame: 'roling'}, '/frame', 'rolling'],
    [{...retention, criteria: 'on_or_afer'}, '/criteria', 'on_or_after'],
    [{report: 'names', include: 'user'}, '/include', 'users'],
    [{report: 'people', sort: 'event'}, '/sort', 'events'],
    [behind({report: 'lifecycle'}, {date: '2026-05-20', state: 'dorment'}), '/behind/point/state', 'dormant'],
    [behind(funnel, {outcome: 'droped'}), '/behind/point/outcome', 'dropped'],
    [behind({...counts, events: [{event: 'visit'}]}, {event: 'vist'}), '/behind/point/event', 'visit'],
    [behind({...counts, events: [{as: 'visits'}, {}]}, {as: 'vists'}), '/behind/point/as', 'visits'],
  ])('%j is told at %s: %s', (question, field, meant) => {
    const failure = failureOf(() => asked(question));
    expect(failure.field).toBe(field);
    expect(failure.message).toMatch(/^\//);
    expect(failure.message.endsWith(`; did you mean ${meant}?`), failure.message).toBe(true);
  });

  test.each<[string, ReportRoute, string, string]>([
    [`event=a&form=2026-05-01&to=2026-05-02`, countsReport, 'form', 'from'],
    [`event=a&intervall=day&${days}`, countsReport, 'intervall', 'interval'],
    [`event=a&interval=weeks&${days}`, countsReport, 'interval', 'week'],
    [`event=a&fliter=a=b&${days}`, countsReport, 'fliter', 'filter'],
    [`event=a&where=plan+equals+pro&${days}`, countsReport, 'where', '"plan eq pro"'],
    [`event=a&measure=summ&${days}`, countsReport, 'measure', 'sum'],
    [`step[]=a&${days}`, funnelReport, 'step[]', 'steps[]'],
    [`steps[]=a&order=strikt&${days}`, funnelReport, 'order', 'strict'],
    [`metrc=dau&${days}`, usersReport, 'metrc', 'metric'],
    [`event=a&at_lest=true&${days}`, stickinessReport, 'at_lest', 'at_least'],
  ])('%s is told', (query, route, field, meant) => {
    const failure = failureOf(() => route.questionOf(front, query));
    expect(failure.field).toBe(field);
    expect(failure.message.endsWith(`; did you mean ${meant}?`), failure.message).toBe(true);
  });

  // The answer has the nearest name that the snapshots know as a hint (test/report/engine.test.ts).
  test.each<object>([
    {...counts, events: [{event: 'visit'}, {event: 'singup'}]},
    {report: 'active', events: [{event: 'singup'}]},
    {report: 'lifecycle', events: [{event: 'singup'}]},
    {report: 'stickiness', events: [{event: 'singup'}]},
    {...funnel, steps: [{event: 'visit'}, {event: 'singup', where: ['plan eq pro']}]},
    {...funnel, exclude: [{event: 'singup'}]},
    {...retention, start: {event: 'singup'}},
    {...retention, return: {event: 'singup'}},
    {...paths, start: {event: 'singup'}},
    {report: 'paths', end: {event: 'singup'}},
    {report: 'properties', event: 'singup'},
    {report: 'values', event: 'singup', property: 'plan'},
    {report: 'people', event: 'singup'},
    {report: 'people', users: {did: [{event: 'singup'}]}},
    {...counts, users: {did: [{event: 'singup', not: true}]}},
    behind({...counts, events: [{event: 'singup'}]}),
  ])('%j is answered with a hint about its event', (question) => {
    expect(eventsAskedFor(asked(question))).toContain('singup');
  });
});

test.each<[unknown, string, string]>([
  [1, '', 'the body must be an object: a question'],
  [{report: 'constructor'}, '/report', 'names, properties, values, traits, trait_values, people'],
  [{...counts, where: ['a constructor b']}, '/where/0', 'a number for gt, gte, lt and lte'],
  [{...counts, where: [`a gtt ${'gtt '.repeat(50_000)}`]}, '/where/0', '/where/0 must be a condition'],
  [{}, '/report', '/report is required: one of counts, active, funnel, retention, lifecycle'],
  [{report: 'funnel'}, '/steps', '/steps is required: a list of events'],
  [{...counts, range: 'yesteryear'}, '/range', '/range must be an object with from and to, or a text like -30d'],
  [{...counts, range: {from: 'x', to: '2026-05-01'}}, '/range/from', '/range/from must be an ISO 8601 date'],
  [{...counts, range: {from: '2026-05-02', to: '2026-05-01'}}, '/range/from', '/range/from must be no later than to'],
  [{...counts, range: {from: '1970-01-01', to: '2026-05-01'}, interval: 'hour'}, '/interval', 'the range has more'],
  [{...counts, series: true}, '/events', 'a series needs the name of its events'],
  [{...counts, measure: {of: 'sum'}}, '/measure/property', '/measure/property is required: its numbers'],
  [{...counts, measure: {of: 'users', property: 'n'}}, '/measure/property', '/measure/property goes with'],
  [{...counts, breakdown: [{}]}, '/breakdown/0', '/breakdown/0 must be an object with either property or trait'],
  [{...counts, breakdown: [{property: 'a', limit: 1000}], interval: 'hour'}, '/breakdown/0/limit', 'the answer would'],
  [{report: 'active', breakdown: [{property: 'a'}, {property: 'b'}]}, '/breakdown', '/breakdown must be a list of one'],
  [{...counts, breakdown: [...'abcd'].map((property) => ({property}))}, '/breakdown', '/breakdown must be at most 3'],
  [{...counts, breakdown: [{property: 'a'}, {property: 'a'}]}, '/breakdown', 'a property is given twice'],
  [{...counts, breakdown: [...'abc'].map((property) => ({property}))}, '/breakdown/0/limit', 'the answer would'],
  [{...counts, where: [{property: 'n', op: 'gt', value: 'x'}]}, '/where/0/value', '/where/0/value must be a condition'],
  [{...counts, where: ['x set', 5]}, '/where/1', '/where/1 must be a condition like "plan eq pro"'],
  [{...counts, where: [{property: 'n', op: 'in', value: []}]}, '/where/0/value', 'a list of them for in and nin'],
  [{...counts, range: null}, '/range', '/range must be an object with from and to, or a text'],
  [{...counts, wheer: []}, '/wheer', '/wheer is not among the members here: report, events,'],
  [{report: 'people', sort: {sum: ''}}, '/sort/sum', '/sort/sum must be a name of 1 to 256 characters'],
  [{report: 'people', sort: {avg: 'n'}}, '/sort/avg', '/sort/avg is not among the members here: sum'],
  [{report: 'people', sort: 7}, '/sort', '/sort must be events, or {"sum": property}'],
  [{...funnel, in_range: 'entry'}, '/window', '/window is required: given with in_range entry'],
  [{...funnel, breakdown: [{trait: 'p', at: 1}]}, '/breakdown/0/at', 'a trait is of the user'],
  [{...funnel, exclude: [{event: 'c', between: [1, 3]}]}, '/exclude/0/between', 'there is no step 3'],
  [{...funnel, order: 'any', exclude: [{event: 'c'}]}, '/exclude/0', 'with order=any nothing lies'],
  [{...retention, periods: 61}, '/periods', '/periods must be a whole number from 1 to 60'],
  [{report: 'paths'}, '/start', '/start or end is required'],
  [{...paths, end: {event: 'b'}}, '/start', 'start and end exclude each other'],
  [
    {report: 'people', users: {did: [{}, {range: {from: '2026-05-02', to: '2026-05-01'}}]}},
    '/users/did/1/range',
    '/users/did/1/range: the range begins after it ends',
  ],
  [{report: 'names', cursor: 'x'}, '/cursor', 'the cursor is damaged'],
  // The people behind a number.
  [{report: 'people', behind: {}}, '/behind/question', '/behind/question is required'],
  [behind({}), '/behind/question/report', 'one of counts, active, funnel, retention, lifecycle, stickiness, paths'],
  [behind({report: 'names'}), '/behind/question/report', 'must be one of counts, active'],
  [behind({...counts, measure: {of: 'sum'}}), '/behind/question/measure/property', 'is required: its numbers'],
  [behind(counts, {date: '2026-05-22'}), '/behind/point/date', 'must be a date of the answer: 2026-04-22, ...'],
  [behind(counts, {date: '21 May'}), '/behind/point/date', 'must be a date of the answer: 2026-04-22, ..., 2026-05-21'],
  [{report: 'people', behind: {question: null}}, '/behind/question', 'must be an object: a question for a report'],
  [behind(counts, {value: 'pro'}), '/behind/point/value', '/behind/point/value goes with a breakdown'],
  [behind(counts, {cohort: '2026-05-20'}), '/behind/point/cohort', 'is not of a number of counts, which has event'],
  [behind({...counts, events: [{event: 'a'}, {event: 'b'}]}), '/behind/point/event', 'is required: must be one of a'],
  [behind(counts, {event: 'a'}), '/behind/point/event', 'is not of counts of every name'],
  [behind(ofTwo, {value: 'pro'}), '/behind/point/value', 'is of one breakdown: of several, by names the row'],
  [behind(ofTwo, {by: [{value: 'pro'}]}), '/behind/point/by', 'must have 2 entries: one for each breakdown'],
  [behind(ofTwo, {by: [{value: 'pro', kind: 'null'}, {}]}), '/behind/point/by/0', 'either value or kind'],
  [
    behind(ofTwo, {by: [{value: 'a'}, {kind: 'null'}], kind: 'null'}),
    '/behind/point/kind',
    'and by exclude each other',
  ],
  [behind({...counts, breakdown: [{property: 'p'}]}, {kind: 'end'}), '/behind/point/kind', 'must be one of other'],
  [
    behind({...counts, breakdown: [{property: 'p'}]}, {kind: 'other', value: 'x'}),
    '/behind/point/kind',
    '/behind/point/kind and value exclude each other',
  ],
  [behind({...counts, events: [{as: 'x'}, {}]}), '/behind/point/as', '/behind/point/as is required: must be one of x'],
  [behind(counts, {as: 'A'}), '/behind/point/as', 'goes with series that have labels'],
  [behind(counts, {previous: true}), '/behind/point/previous', 'goes with compare'],
  [behind(funnel, {step: 3}), '/behind/point/step', '/behind/point/step must be at most 2'],
  [behind(funnel, {outcome: 'dropped'}), '/behind/point/step', 'must be at least 2'],
  [behind(funnel, {outcome: 'undecided'}), '/behind/point/outcome', 'can be undecided with in_range entry alone'],
  [behind(funnel, {outcome: 'member'}), '/behind/point/outcome', 'must be one of reached, dropped, undecided'],
  [behind(funnel, {date: '2026-05-20'}), '/behind/point/date', '/behind/point/date goes with an interval'],
  [behind(funnel, {step: 2, seconds_from: 1}), '/behind/point/seconds_from', 'goes with a histogram'],
  [
    behind({...funnel, histogram: 'clock'}, {step: 2, seconds_from: 3}),
    '/behind/point/seconds_from',
    'must be the seconds_from of a bin',
  ],
  [behind(retention), '/behind/point/cohort', '/behind/point/cohort is required, or period'],
  [behind({...retention, periods: 3}, {period: 3}), '/behind/point/period', 'must be at most 2'],
  [behind(retention, {cohort: '2026-05-20', outcome: 'returned'}), '/behind/point/period', 'is required: in which'],
  [behind(retention, {period: 1, outcome: 'dropped'}), '/behind/point/outcome', 'must be one of returned, member'],
  [behind({report: 'lifecycle'}), '/behind/point/date', '/behind/point/date is required'],
  [behind({report: 'stickiness'}, {buckets: 31}), '/behind/point/buckets', 'must be at most 30'],
  [behind(paths), '/behind/point/step', '/behind/point/step is required'],
  [behind(paths, {step: 1}), '/behind/point/event', 'is required: or kind, or from and to'],
  [behind(paths, {step: 5, event: 'a'}), '/behind/point/step', 'must be at most 4'],
  [behind(paths, {step: 4, from: {event: 'a'}, to: {event: 'b'}}), '/behind/point/step', 'must be at most 3 for an'],
  [behind(paths, {step: 1, from: {event: 'a'}}), '/behind/point/to', 'is required: an edge has both'],
  [behind(paths, {step: 1, from: {kind: 'other'}, to: {event: 'a'}}), '/behind/point/to', 'is of kind other where'],
  [behind(paths, {step: 1, from: {}, to: {event: 'a'}}), '/behind/point/from', 'an object with either event or kind'],
])('%j is refused at %s', (question, field, message) => {
  const failure = failureOf(() => asked(question as object));
  expect(failure.field).toBe(field);
  expect(failure.message).toContain(message);
});

test('whatever a body has, it is a question in its normal form, or refused with a pointer', () => {
  const members = [...new Set(Object.values(kinds).flatMap(({shape}) => Object.keys(shape)))];
  const leaf = fc.constantFrom(
    ...[null, true, 0, 3, 1e21, '', 'a', 'a eq b', 'n>5', 'today', '-9999d', '2026-05-01', 'week', 'UTC', '7d', 'any'],
    ...['last', 'MTIz'],
    {from: '2026-05-01', to: '2026-05-03'},
    [{event: 'a'}],
    [{event: 'a'}, {event: 'b', where: ['c unset']}],
    {event: 'a'},
    {where: ['a has b']},
    [{property: 'p'}],
    {of: 'sum', property: 'n'},
  );
  const value = fc.oneof(
    leaf,
    fc.array(leaf, {maxLength: 2}),
    fc.dictionary(fc.constantFrom(...members), leaf, {maxKeys: 2}),
  );
  const report = fc.constantFrom(...Object.keys(kinds));
  const body = fc
    .tuple(report, fc.dictionary(fc.constantFrom(...members), value, {maxKeys: 4}))
    .map(([report, more]) => ({...more, report}));
  fc.assert(
    fc.property(body, (body) => {
      try {
        const question = readQuestion(body, '/at');
        pointing('/at', () => queryOf(question, front));
        expect(readQuestion(question, '')).toEqual(question);
      } catch (error) {
        if (!(error instanceof RequestFailure)) throw error;
        expect(error.failure.field).toMatch(/^\/at\/./);
      }
    }),
    {numRuns: 500},
  );
});
