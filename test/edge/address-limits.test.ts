// The share of a key that each client address has, on a clock driven by hand.
import {expect, test} from 'vitest';
import {AddressLimits, eventsPerAddress} from '../../src/edge/admission/address-limits.js';

const isAdmitted = (
  limits: AddressLimits<'events-per-address'>,
  address: string,
  keyId = 'key_1',
  nowMs = 0,
): boolean => typeof limits.admit(eventsPerAddress(1), keyId, address, nowMs) === 'function';

test('each address has a quota of its own, for each key', () => {
  const limits = new AddressLimits<'events-per-address'>();
  expect([0, 0, 0, 999, 1_000].map((nowMs) => isAdmitted(limits, '192.0.2.1', 'key_1', nowMs))).toEqual([
    ...[true, true, false],
    ...[false, true],
  ]);
  expect([isAdmitted(limits, '192.0.2.2'), isAdmitted(limits, '192.0.2.1', 'key_2')]).toEqual([true, true]);
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::1', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['2001:db8::1', '2001:db8::2:0:0:1', true],
  ['2001:db8:0:1::', '2001:db8::1:0:0:0:1', true],
  ['::1', '::2:0:0:1', true],
  ['::1', '0:0:0:1::', false],
  ['192.0.2.1', '192.0.2.2', false],
])('%s and %s are of one block: %j', (one, other, isOne) => {
  const limits = new AddressLimits<'events-per-address'>();
  for (let i = 0; i < 2; i++) isAdmitted(limits, one);
  expect(isAdmitted(limits, other)).toBe(!isOne);
});

test('a batch is charged whole, and what the key refuses is given back', () => {
  const limits = new AddressLimits<'events-per-address'>();
  const charge = limits.admit(eventsPerAddress(1), 'key_1', '192.0.2.1', 0);
  expect(charge).toBeTypeOf('function');
  (charge as (units: number) => void)(9);
  expect(limits.admit(eventsPerAddress(1), 'key_1', '192.0.2.1', 0)).toMatchObject({
    code: 'rate_limited',
    headers: [
      ['Retry-After', '9'],
      ['RateLimit', '"events-per-address";r=0;t=9'],
      ['RateLimit-Policy', '"events-per-address";q=2;w=2'],
    ],
  });
  for (let i = 0; i < 3; i++) {
    const back = limits.admit(eventsPerAddress(1), 'key_2', '192.0.2.1', 0);
    expect(back).toBeTypeOf('function');
    (back as (units: number) => void)(-1);
  }
});

test('the table is bounded: who has not asked for longest is forgotten', () => {
  const limits = new AddressLimits<'events-per-address'>(2);
  for (let i = 0; i < 2; i++) isAdmitted(limits, '192.0.2.1');
  isAdmitted(limits, '192.0.2.2');
  expect(isAdmitted(limits, '192.0.2.1'), 'asked again').toBe(false);
  isAdmitted(limits, '192.0.2.3');
  expect(isAdmitted(limits, '192.0.2.1'), 'the other one was forgotten').toBe(false);
});
