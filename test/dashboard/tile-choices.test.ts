// What the dialog of a board offers: reports that the service takes, found by their words.
import {expect, test} from 'vitest';
import {matching, readyMade, savedChoices} from '../../dashboard/src/pages/boards/tile-choices.js';
import {isReport, pinKey, tileKeys} from '../../dashboard/src/service/board-tiles.js';
import {reportQuestion} from '../../src/asks/question/behind.js';
import type {SavedReportAnswer} from '../../src/edge/answers/saved-reports.js';
import {keptAt} from '../support/kept-report.js';

const names = ['page_viewed', 'signup', 'order_placed', 'a b&c=d'];

test('every ready-made tile is a report that the service takes, and is offered once', () => {
  for (const some of [names, names.slice(0, 1), []]) {
    const choices = readyMade(some);
    for (const {tile} of choices) {
      expect(isReport(tile)).toBe(true);
      if (isReport(tile))
        for (const question of tile.questions) expect(reportQuestion.safeParse(question).error).toBeUndefined();
    }
    expect(new Set(choices.map(({key}) => key)).size).toBe(choices.length);
    expect(new Set(tileKeys(choices.map(({tile}) => tile))).size).toBe(choices.length);
  }
  expect(readyMade([]).map(({title}) => title)).toEqual(['Active users', 'Lifecycle']);
});

test('a ready-made tile is the report that its page shows at first', () => {
  const addresses = readyMade(names).map(({tile}) => (isReport(tile) ? pinKey(tile) : ''));
  expect(addresses).toEqual(
    [
      ...['/trends?event=page_viewed', '/trends?event=page_viewed&look=number'],
      ...['/trends?event=signup', '/trends?event=signup&look=number'],
      ...['/active', '/funnels?step=signup&step=order_placed', '/retention?start=signup', '/lifecycle'],
      ...['/trends?event=order_placed', '/trends?event=order_placed&look=number'],
      ...['/trends?event=a%20b%26c%3Dd', '/trends?event=a%20b%26c%3Dd&look=number'],
    ].map((address) => pinKey(keptAt(address))),
  );
});

test('words find choices wherever they stand, whatever their case; saved reports keep name and look', () => {
  const found = (typed: string) => matching(readyMade(names), typed, 3).map(({title}) => title);
  expect(found('NUMBER order')).toEqual(['Number of order_placed']);
  expect(found('funnels')).toEqual(['From signup to order_placed']);
  expect(found('')).toHaveLength(3);
  expect(found('nothing of it')).toEqual([]);
  const report = {id: 'sr_0123456789abcdef', name: 'Growth / Weekly', ...keptAt('/trends?event=signup&look=bars')};
  const [{tile, note} = {}] = savedChoices([report as unknown as SavedReportAnswer]);
  expect(tile).toMatchObject({name: 'Growth / Weekly', view: {look: 'bars'}});
  expect(note).toBe('signup; 30d');
});
