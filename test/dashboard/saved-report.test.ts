// Saved reports: places between others, folders, and what a question is about.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {folderOf, placeBetween, summaryOf} from '../../dashboard/src/address/saved-report.js';
import {keptAt} from '../support/kept-report.js';

test('a place is between its neighbours, before the first or after the last', () => {
  expect([placeBetween(undefined, 3), placeBetween(3, undefined), placeBetween(3, 4)]).toEqual([2, 4, 3.5]);
  const place = fc.integer({min: -1_000_000, max: 1_000_000});
  fc.assert(
    fc.property(place, place, (a, b) => {
      fc.pre(a < b);
      const between = placeBetween(a, b);
      expect(between > a && between < b).toBe(true);
    }),
  );
});

test('a folder is what is before the last slash', () => {
  expect(folderOf('Growth / Weekly / Sign-ups')).toEqual({folder: 'Growth / Weekly', leaf: 'Sign-ups'});
  for (const name of ['Sign-ups', '/Sign-ups', 'Sign-ups/', ' / '])
    expect(folderOf(name)).toEqual({folder: '', leaf: name});
});

test('a question is about its events and its range', () => {
  const summaryAt = (address: string): string => summaryOf(keptAt(address).questions[0]!);
  expect(summaryAt('/trends?event=signup&event=&range=7d&where=1:plan+eq+pro')).toBe('signup, any event; 7d');
  expect(summaryAt('/funnels?step=signup&step=login&range=last-sunday-week')).toBe('signup, login; last-sunday-week');
  expect(summaryAt('/retention?start=signup&return=login')).toBe('signup, login; 90d');
  expect(summaryAt('/paths?event=signup&direction=before')).toBe('signup; 30d');
  expect(summaryAt('/active')).toBe('30d');
});
