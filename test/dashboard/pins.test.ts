// Pins of Overview: addresses without a range, each once, bounded; and how they are moved.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {funnelForm} from '../../dashboard/src/address/funnel-address.js';
import {moved, pageOfPin, pinsMax, readPins} from '../../dashboard/src/address/pin-list.js';
import {pinOf} from '../../dashboard/src/address/pins.js';
import {trendsForm} from '../../dashboard/src/address/trends-address.js';

test('a pin is the question of its page without a range: equal questions are one pin', () => {
  const pin = pinOf('/funnels', funnelForm, '?step=signup&step=purchase&window=7d&range=90d');
  expect(pin).toBe('/funnels?step=signup&step=purchase&window=7d');
  expect(pinOf('/funnels', funnelForm, '?window=7d&step=signup&step=purchase')).toBe(pin);
  expect(pageOfPin(pin)).toBe('/funnels');
  expect(pinOf('/trends', trendsForm, '?event=a&where=1%3Aplan+eq+pro&every=week&compare=off')).toBe(
    '/trends?event=a&where=1:plan+eq+pro',
  );
});

test('what was kept is read back; what is no pin is dropped', () => {
  const pin = pinOf('/trends', trendsForm, '?event=a');
  expect(readPins(JSON.stringify([pin, pin, '/people?user=ada', '/trends', 7]))).toEqual([pin]);
  for (const text of [null, 'not json', '{}', '""']) expect(readPins(text)).toEqual([]);
  const many = Array.from({length: 2 * pinsMax}, (_, at) => pinOf('/trends', trendsForm, `?event=e${at}`));
  expect(readPins(JSON.stringify(many))).toEqual(many.slice(0, pinsMax));
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
