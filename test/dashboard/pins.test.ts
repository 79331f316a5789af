// Pins of boards: reports, each once whatever its days, bounded; and how they are moved.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {keptIn} from '../../dashboard/src/address/kept.js';
import {moved, pinKey, pinsMax} from '../../dashboard/src/service/pin-list.js';
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
  expect(pinsMax).toBe(boardTilesMax);
});

test('moving loses none, and puts the one where it was to be', () => {
  const names = fc.uniqueArray(fc.string({minLength: 1}), {minLength: 1, maxLength: pinsMax});
  fc.assert(
    fc.property(names, fc.nat(), fc.nat(), (events, a, b) => {
      const pins = events.map((event) => keptAt(`/trends?${new URLSearchParams({event})}`));
      const [pin, to] = [pins[a % pins.length]!, b % pins.length];
      const after = moved(pins, pinKey(pin), to);
      expect(after.map(pinKey).sort()).toEqual(pins.map(pinKey).sort());
      expect(after[to]).toBe(pin);
    }),
  );
});
