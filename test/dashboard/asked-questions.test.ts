// What a report's page asks, out of its address: the service asks it for a report that is shared.
import {describe, expect, test} from 'vitest';
import {askedQuestions} from '../../dashboard/src/address/asked-questions.js';
import {type FixedQuestion, flatOf} from '../../src/asks/question/flat.js';
import {savedPages} from '../../src/kept/saved-report.js';

const nowMs = Date.parse('2026-11-28T23:30:00Z');
const partsOf = (asks: readonly FixedQuestion[]) =>
  asks.map((one) => {
    const [route, query] = flatOf(one).split('?', 2) as [string, string];
    return {route, given: new URLSearchParams(query)};
  });
const asked = (page: keyof typeof askedQuestions, search: string) => partsOf(askedQuestions[page](search, nowMs).asks);

test('every page whose reports are saved is known', () => {
  expect(Object.keys(askedQuestions).sort()).toEqual([...savedPages].sort());
});

test('only reports are asked, whatever the address says', () => {
  const searches = [
    '?event=signup&start=a&step=a&step=b&by=plan&range=7d',
    '?event=../users&start=../v1/events&step=..%2Fuser%3FuserId%3Da&step=x%26at%3D1',
    '?event=a%26breakdown%3Demail&where=1:plan+eq+pro%26limit%3D9',
  ];
  for (const page of savedPages) {
    for (const search of searches) {
      for (const {route, given} of asked(page, search)) {
        expect(route).toMatch(/^v1\/reports\/(events|users|funnel|retention|lifecycle|stickiness|paths)$/);
        expect(given.get('at') ?? given.get('cursor') ?? given.get('format')).toBeNull();
      }
    }
  }
});

test('a relative range ends with the day of the moment, in the zone of the question', () => {
  const daysIn = (search: string) =>
    asked('/retention', search).map(({given}) => [given.get('timezone'), given.get('from'), given.get('to')]);
  expect(daysIn('?start=signup&range=7d')).toEqual([['UTC', '2026-11-22', '2026-11-28']]);
  expect(daysIn('?start=signup&range=7d&zone=Asia/Tokyo')).toEqual([['Asia/Tokyo', '2026-11-23', '2026-11-29']]);
  expect(daysIn('?start=signup&range=2026-10')).toEqual([['UTC', '2026-10-01', '2026-10-31']]);
});

describe('Trends', () => {
  test('asks for each series, for its users and for the range before', () => {
    const paths = asked('/trends', '?event=signup&event=login&measure=1:users&range=7d');
    expect(paths.map(({given}) => [given.get('event'), given.get('measure'), given.get('from')])).toEqual([
      ['signup', 'users', '2026-11-22'],
      ['signup', 'users', '2026-11-15'],
      ['login', null, '2026-11-22'],
      ['login', null, '2026-11-15'],
      ['login', 'users', '2026-11-22'],
    ]);
  });

  test('then for the range before up to the same moment, while today is in the range', () => {
    const untilOf = (search: string) =>
      partsOf(askedQuestions['/trends'](search, nowMs).until(Date.parse('2026-11-28T12:03:50Z')));
    const [one, ...more] = untilOf('?event=signup&range=7d');
    expect(more).toEqual([]);
    expect([one?.given.get('from'), one?.given.get('to')]).toEqual(['2026-11-15', '2026-11-21T12:03:50.000Z']);
    expect(untilOf('?event=signup&range=7d&compare=off')).toEqual([]);
    expect(untilOf('?event=signup&range=2026-10')).toEqual([]);
  });
});

test('a question that names no event asks nothing, and a part that means nothing is named', () => {
  for (const [page, search] of [
    ['/trends', ''],
    ['/funnels', '?window=7d'],
    ['/retention', '?return=login'],
    ['/paths', ''],
  ] as const) {
    expect([page, askedQuestions[page](search, nowMs).asks]).toEqual([page, []]);
  }
  expect(askedQuestions['/active']('', nowMs).asks).not.toEqual([]);
  expect(askedQuestions['/lifecycle']('?colour=red', nowMs).problems).toMatchObject([{name: 'colour', text: 'red'}]);
});
