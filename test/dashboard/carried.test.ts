// What the links between pages take along.
import {expect, test} from 'vitest';
import {boardForm} from '../../dashboard/src/address/board-address.js';
import {type Carried, carriedFrom, carriedTo} from '../../dashboard/src/address/carried.js';
import {readAddress} from '../../dashboard/src/address/codec.js';
import {stateOf} from '../../dashboard/src/address/page-question.js';
import {overviewForm} from '../../dashboard/src/address/report-address.js';
import {peopleListForm} from '../../dashboard/src/pages/people/people-address.js';
import type {Page} from '../../src/asks/address.js';

const segment = 'sg_0123456789abcdef';
const filters = `range=7d&zone=Europe/Berlin&user_where=plan+eq+pro&segment=${segment}&not_segment=${segment}`;
const walk = (...pages: readonly (readonly [path: string, search: string])[]): Carried =>
  pages.reduce((known, [path, search]) => carriedFrom(known, path, search), {});

test('conditions go from report to report under the names that they have there', () => {
  const known = walk(['/trends', `?event=a&where=1:x+set&all_where=os+eq+mac&look=bars&compare=off&${filters}`]);
  expect(carriedTo('/active', known)).toBe(`?${filters}&where=os+eq+mac`);
  expect(carriedTo('/funnels', known)).toBe(`?${filters}&all_where=os+eq+mac`);
  expect(carriedTo('/retention', known)).toBe(`?${filters}`);
  expect(carriedTo('/', known)).toBe(`?range=7d&zone=Europe/Berlin&not_segment=${segment}`);
  expect(carriedTo('/live', known)).toBe('');
});

test('what a page has no control for is known until a page has it again; what a page has and does not say is off', () => {
  const known = walk(
    ['/active', `?where=os+eq+mac&${filters}`],
    ['/live', ''],
    ['/people', '?zone=Europe/Berlin&user_where=vip+set'],
  );
  expect(carriedTo('/paths', known)).toBe(
    `?range=7d&zone=Europe/Berlin&user_where=vip+set&segment=${segment}&where=os+eq+mac`,
  );
  expect(carriedTo('/paths', carriedFrom(known, '/lifecycle', '?range=90d'))).toBe('?range=90d');
});

test('a person, a receipt and the list of boards change nothing of it', () => {
  const known = walk(['/active', `?${filters}`]);
  for (const [path, search] of [
    ['/people', '?user=ada'],
    ['/people', '?receipt=del_1'],
    ['/boards', ''],
  ] as const)
    expect(carriedFrom(known, path, search)).toBe(known);
  expect(carriedFrom(known, '/boards', '?board=bd_0123456789abcdef')).not.toEqual(known);
});

test('every page takes what the links bring', () => {
  const known = walk(['/trends', `?all_where=os+eq+mac&${filters}`]);
  const reports: readonly Page[] = ['/trends', '/active', '/funnels', '/retention', '/lifecycle', '/paths', '/web'];
  for (const page of reports)
    expect([page, stateOf(page).codec.read(carriedTo(page, known)).problems]).toEqual([page, []]);
  for (const [path, form] of [
    ['/', overviewForm],
    ['/boards', boardForm],
    ['/people', peopleListForm],
  ] as const)
    expect([path, readAddress(form, carriedTo(path, known)).problems]).toEqual([path, []]);
});
