// Saved reports: places between others, folders, and what a question is about.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {folderOf, placeBetween, summaryOf} from '../../dashboard/src/address/saved-report.js';

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
  expect(summaryOf('?event=signup&event=login&range=30d&where=1:plan+eq+pro')).toBe('signup, login; 30d');
  expect(summaryOf('?start=signup&return=login')).toBe('signup, login');
  expect(summaryOf('')).toBe('');
});
