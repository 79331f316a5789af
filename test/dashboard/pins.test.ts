// Pins of boards: reports, each once whatever its days, bounded; and how they are moved.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {keptIn} from '../../dashboard/src/address/kept.js';
import {moved, pinKey, pinsMax} from '../../dashboard/src/service/pin-list.js';
import {boardTilesMax} from '../../src/kept/board.js';
import {keptAt} from '../support/kept-report.js';

const keyAt = (address: string): string => pinKey(keptAt(address));

test('a pin keeps its whole question; what differs in days and looks alone is one pin', () => {
  expect(keptAt('/funnels?step=a&step=b&range=90d&zone=Asia/Tokyo').questions[0]).toMatchObject({
    report: 'funnel',
    range: '-90d',
    timezone: 'Asia/Tokyo',
  });
  const key = keyAt('/funnels?step=signup&step=purchase&window=7d&range=90d');
  expect(key).toBe('/funnels?step=signup&step=purchase&window=7d');
  expect(keyAt('/funnels?window=7d&step=signup&step=purchase&every=week')).toBe(key);
  expect(keyAt('/trends?event=a&every=week&weeks=sunday&compare=off')).toBe(keyAt('/trends?event=a'));
  expect(keyAt('/retention?start=a&show=users&every=week')).toBe(keyAt('/retention?start=a'));
  expect(keyAt('/lifecycle?often=at_least')).toBe(keyAt('/lifecycle'));
  expect(keyAt('/active?by=plan&metric=wau')).not.toBe(keyAt('/active'));
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
