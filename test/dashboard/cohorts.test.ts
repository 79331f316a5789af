// Retention: cells of cohorts by what is known of them, and the event that the page begins with.
import {expect, test} from 'vitest';
import {cohortCsv, cohortsOf} from '../../dashboard/src/charts/cohorts.js';
import {suggestedOf} from '../../dashboard/src/controls/suggested-name.js';
import {usualPeriod} from '../../src/asks/question/usual.js';

const open = (count: number) => ({count, incomplete: true as const});
const answer = {
  interval: 'week' as const,
  cohorts: [
    {date: '2026-10-26', size: 0, cells: [{count: 0}, {count: 0}, {count: 0}]},
    {date: '2026-11-02', size: 8, cells: [{count: 8}, {count: 2}, open(1)]},
    {date: '2026-11-09', size: 0, cells: [{count: 0}, open(0), open(0)]},
    {date: '2026-11-16', size: 4, cells: [open(3), open(0), open(0)]},
  ],
  overall: [],
};

test('a cell that has not begun is empty, one that may grow is open, cohorts of nobody at the start are left out', () => {
  const {rows, leftOut} = cohortsOf(answer, 'week', Date.parse('2026-11-18T12:00:00Z'));
  expect(leftOut).toBe(1);
  expect(rows.map(({date, cells}) => [date, ...cells.map(({state, share}) => [state, share])])).toEqual([
    ['2026-11-02', ['final', 1], ['final', 0.25], ['open', 0.125]],
    ['2026-11-09', ['final', null], ['open', null], ['ahead', null]],
    ['2026-11-16', ['open', 0.75], ['ahead', 0], ['ahead', 0]],
  ]);
  expect(cohortsOf({...answer, cohorts: [answer.cohorts[0]!]}, 'week', 0)).toEqual({rows: [], leftOut: 1});
});

test('the CSV is that of the API: every cohort, a row for each cell', () => {
  const rows = cohortCsv(answer);
  expect(rows.length).toBe(1 + 4 * 3);
  expect(rows.slice(0, 2)).toEqual([
    ['date', 'size', 'period', 'count', 'incomplete'],
    ['2026-10-26', 0, 0, 0, null],
  ]);
  expect(rows[6]).toEqual(['2026-11-02', 8, 2, 1, 'true']);
});

test('a page begins with a sign-up, or else with what is most frequent', () => {
  expect(suggestedOf(['page_viewed', 'login', 'User Signed Up'])).toBe('User Signed Up');
  expect(suggestedOf(['page_viewed', 'signup'])).toBe('signup');
  expect(suggestedOf(['page_viewed', 'login'])).toBe('page_viewed');
  expect(suggestedOf([])).toBeUndefined();
});

test('periods are such that a table fits on a page', () => {
  expect([30, 90, 365].map((days) => usualPeriod({from: 1, to: days}))).toEqual(['day', 'week', 'month']);
});
