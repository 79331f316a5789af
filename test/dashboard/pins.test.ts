// Pins of boards: addresses without a range, each once, bounded; and how they are moved.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {pagePaths} from '../../dashboard/page-paths.js';
import {activeQuestionForm} from '../../dashboard/src/address/active-address.js';
import {lifecycleForm, retentionForm} from '../../dashboard/src/address/engagement-address.js';
import {funnelForm} from '../../dashboard/src/address/funnel-address.js';
import {moved, partsOfPin, pinsMax} from '../../dashboard/src/address/pin-list.js';
import {pinOf} from '../../dashboard/src/address/pins.js';
import {trendsForm} from '../../dashboard/src/address/trends-address.js';
import {boardPinsMax} from '../../src/kept/board.js';
import {savedPages} from '../../src/kept/saved-report.js';

test('a pin is the question of its page without a range: equal questions are one pin', () => {
  const pin = pinOf('/funnels', funnelForm, '?step=signup&step=purchase&window=7d&range=90d');
  expect(pin).toBe('/funnels?step=signup&step=purchase&window=7d');
  expect(pinOf('/funnels', funnelForm, '?window=7d&step=signup&step=purchase')).toBe(pin);
  expect(partsOfPin(pin)).toEqual({page: '/funnels', search: '?step=signup&step=purchase&window=7d'});
  expect(pinOf('/trends', trendsForm, '?event=a&where=1%3Aplan+eq+pro&every=week&compare=off')).toBe(
    '/trends?event=a&where=1:plan+eq+pro',
  );
  expect(pinOf('/retention', retentionForm, '?start=signup&periods=8&show=users&every=week&zone=Asia/Tokyo')).toBe(
    '/retention?start=signup&periods=8',
  );
});

test('a page that asks something by itself is a pin without a query', () => {
  expect(pinOf('/active', activeQuestionForm, '?range=90d&compare=year')).toBe('/active');
  expect(pinOf('/lifecycle', lifecycleForm, '?often=at_least')).toBe('/lifecycle');
  expect(partsOfPin('/active')).toEqual({page: '/active', search: ''});
});

test('the pages know how many pins the service stores, and of which pages', () => {
  expect(pinsMax).toBe(boardPinsMax);
  expect(pagePaths).toEqual(expect.arrayContaining([...savedPages]));
  expect(pagePaths).toContain('/people');
});

test('moving loses none, and puts the one where it was to be', () => {
  const names = fc.uniqueArray(fc.string({minLength: 1}), {minLength: 1, maxLength: pinsMax});
  fc.assert(
    fc.property(names, fc.nat(), fc.nat(), (pins, a, b) => {
      const [pin, to] = [pins[a % pins.length], b % pins.length];
      const after = moved(pins, pin, to);
      expect([...after].sort()).toEqual([...pins].sort());
      expect(after[to]).toBe(pin);
    }),
  );
});
