// Conditions that a page adds to its questions: each kind of report takes them, and keeps its own.
import {expect, test} from 'vitest';
import {asSaved, boardForm, narrowingOf} from '../../dashboard/src/address/board-address.js';
import {readAddress, writeAddress} from '../../dashboard/src/address/codec.js';
import {narrowed} from '../../dashboard/src/address/narrowed.js';
import {showable} from '../../dashboard/src/address/page-question.js';
import {asked, pageIn, type ReportPage} from '../../src/asks/address.js';
import {reportQuestion} from '../../src/asks/question/behind.js';

const draftAt = (page: ReportPage, search: string) => pageIn({page, search}, showable).draft;
const narrowing = {where: ['country eq DE'], users: {where: ['plan eq pro']}};

test('every kind of report counts only the events and users that meet the conditions, and the service takes the question', () => {
  const expected = {where: ['country eq DE'], users: {where: ['plan eq pro']}};
  const addresses: readonly (readonly [ReportPage, string, object])[] = [
    ['/trends', '?event=a&event=b', expected],
    ['/active', '', expected],
    ['/funnels', '?step=a&step=b', expected],
    ['/lifecycle', '', expected],
    ['/paths', '?event=a', expected],
    [
      '/retention',
      '?start=a',
      {
        start: {event: 'a', where: ['country eq DE']},
        return: {where: ['country eq DE']},
        users: {where: ['plan eq pro']},
      },
    ],
  ];
  for (const [page, search, members] of addresses) {
    const question = asked(narrowed(draftAt(page, search), narrowing));
    expect(question).toMatchObject(members);
    expect(reportQuestion.safeParse(question).error).toBeUndefined();
  }
});

test('a question keeps its own conditions, one that it has already is not added again, and without any it is as it was', () => {
  const own = draftAt(
    '/trends',
    '?event=a&all_where=country%20eq%20DE&all_where=os%20eq%20mac&user_where=vip%20eq%20true',
  );
  expect(narrowed(own, narrowing)).toMatchObject({
    where: ['country eq DE', 'os eq mac'],
    users: {where: ['vip eq true', 'plan eq pro']},
  });
  expect(narrowed(own, {where: []})).toEqual(own);
  const others = {not_segment: 'sg_0123456789abcdef'};
  expect(narrowed(own, {where: [], users: others}).users).toEqual({where: ['vip eq true'], ...others});
  expect(narrowed(narrowed(own, narrowing), narrowing)).toEqual(narrowed(own, narrowing));
  expect(narrowed(own, {where: [], users: {did: [{event: 'login', not: true}]}}).users).toEqual({
    where: ['vip eq true'],
    did: [{event: 'login', not: true}],
  });
});

test('a board without choices shows its tiles as saved; its days and filters are in its address', () => {
  const board = 'bd_0123456789abcdef';
  expect(readAddress(boardForm, `?board=${board}`)).toEqual({question: {board, ...asSaved}, problems: []});
  const search = `?board=${board}&range=30d&where=country+eq+DE&user_where=plan+eq+pro`;
  const {question, problems} = readAddress(boardForm, search);
  expect(problems).toEqual([]);
  expect(narrowingOf(question)).toEqual(narrowing);
  expect(question.range).toEqual({kind: 'last', amount: 30, unit: 'day'});
  expect(readAddress(boardForm, writeAddress(boardForm, question)).question).toEqual(question);
  expect(readAddress(boardForm, '?range=soon').problems).toHaveLength(1);
});
