// Pins of boards: reports, each once whatever its days, bounded; and how they are moved.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {keptIn} from '../../dashboard/src/address/kept.js';
import {
  type BoardTile,
  moved,
  pinKey,
  spanOf,
  tileKeys,
  tilesMax,
  tileWith,
} from '../../dashboard/src/service/board-tiles.js';
import {boardTilesMax} from '../../src/kept/board.js';
import {keptAt} from '../support/kept-report.js';

const keyAt = (address: string): string => pinKey(keptAt(address));

test('a pin is its whole question: reports that differ in days, looks or filters are pins of their own', () => {
  expect(keptAt('/funnels?step=a&step=b&range=90d&zone=Asia/Tokyo').questions[0]).toMatchObject({
    report: 'funnel',
    range: '-90d',
    timezone: 'Asia/Tokyo',
  });
  const addresses = [
    '/trends?event=a',
    '/trends?event=a&range=90d',
    '/trends?event=a&every=week&weeks=sunday',
    '/trends?event=a&look=number',
    '/trends?event=a&zone=Asia/Tokyo',
    '/trends?event=a&compare=off',
    '/trends?event=a&where=1:plan%20eq%20pro',
    '/retention?start=a&show=users',
    '/retention?start=a',
  ];
  expect(new Set(addresses.map(keyAt)).size).toBe(addresses.length);
  // The order of an address says nothing, and neither does what is usual.
  expect(keyAt('/funnels?window=7d&step=a&step=b&range=90d')).toBe(keyAt('/funnels?step=a&step=b&range=90d&window=7d'));
  expect(keyAt('/trends?event=a&range=30d&every=day&compare=before')).toBe(keyAt('/trends?event=a'));
  expect(keyAt('/funnels?step=signup&step=purchase&window=7d&range=90d')).toMatch(
    /^\/funnels\?step=signup&step=purchase/,
  );
});

test('a page keeps what it shows: what means nothing in its address, and what other parts make meaningless, is left out', () => {
  expect(keptAt('/trends?event=a&colour=red&range=soon')).toEqual(keptAt('/trends?event=a'));
  expect(keptAt('/funnels?step=a&step=b&order=any&exclude=all:x&paths=entry&window=none')).toEqual(
    keptAt('/funnels?step=a&step=b&order=any&window=none'),
  );
  for (const page of ['/trends', '/funnels', '/retention', '/paths'] as const)
    expect(keptIn({page, search: ''})).toBeUndefined();
});

test('the pages know how many tiles the service stores', () => {
  expect(tilesMax).toBe(boardTilesMax);
});

const anyTile: fc.Arbitrary<BoardTile> = fc.oneof(
  fc.constantFrom('a', 'b', 'c').map((event) => keptAt(`/trends?event=${event}`)),
  fc.record({text: fc.constantFrom('one', 'two')}),
);

test('each tile of a board has a key of its own, whatever it shows; moving loses none, and puts the one where it was to be', () => {
  fc.assert(
    fc.property(fc.array(anyTile, {minLength: 1, maxLength: tilesMax}), fc.nat(), fc.nat(), (tiles, a, b) => {
      const keys = tileKeys(tiles);
      expect(new Set(keys).size).toBe(tiles.length);
      const [from, to] = [a % tiles.length, b % tiles.length];
      const after = moved(tiles, keys[from]!, to);
      expect(tileKeys(after).sort()).toEqual([...keys].sort());
      expect(after[to]).toBe(tiles[from]);
    }),
  );
});

test('a title, a width and a text are members that can be taken away; the key of a report stays', () => {
  const report = keptAt('/trends?event=a');
  const named = tileWith(report, {name: 'Sign-ups', width: 'third'});
  expect(named).toEqual({...report, name: 'Sign-ups', width: 'third'});
  expect(tileKeys([named])).toEqual(tileKeys([report]));
  expect(tileWith(named, {name: undefined})).toEqual({...report, width: 'third'});
  expect(tileWith({text: 'old'}, {text: 'new'})).toEqual({text: 'new'});
  expect([spanOf(undefined, true), spanOf(undefined, false), spanOf('third', true), spanOf('full', false)]).toEqual([
    12, 6, 4, 12,
  ]);
});
