// Salts of visitor ids over a fake bucket that edges share, and a clock that the test moves.
import {describe, expect, test} from 'vitest';
import {blockOf} from '../../src/edge/admission/address-limits.js';
import {BucketFault} from '../../src/keys/key-bucket.js';
import {visitorId, visitorOf} from '../../src/keys/visitor-id.js';
import {VisitorSalts} from '../../src/keys/visitor-salts.js';
import {MemoryBucket} from '../support/memory-bucket.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const midnight = Date.UTC(2026, 10, 29);

function edges() {
  const bucket = new MemoryBucket();
  const clock = {ms: midnight + 5 * hourMs};
  const open = () => new VisitorSalts(bucket, () => clock.ms);
  return {bucket, clock, open, one: open(), other: open()};
}

test('edges that start together have one salt of 256 bits, also if both saw that there is none', async () => {
  const {bucket, clock, one, other} = edges();
  await Promise.all([one.keep(), other.keep()]);
  expect(one.of(clock.ms)).toHaveLength(32);
  expect(other.of(clock.ms)).toEqual(one.of(clock.ms));
  expect([...bucket.entries.keys()]).toEqual(['salt.2026-11-29']);
});

test('the next salt is there before its day begins, and is another one', async () => {
  const {bucket, clock, one, other} = edges();
  clock.ms = midnight + dayMs - hourMs - 1;
  await one.keep();
  expect(one.of(midnight + dayMs)).toBeUndefined();
  clock.ms += 1;
  await one.keep();
  await other.keep();
  expect([...bucket.entries.keys()]).toEqual(['salt.2026-11-29', 'salt.2026-11-30']);
  const [today, next] = [one.of(midnight + dayMs - 1), one.of(midnight + dayMs)];
  expect(today).not.toEqual(next);
  expect(other.of(midnight + dayMs - 1)).toEqual(today);
  expect(other.of(midnight + dayMs)).toEqual(next);
});

test('a salt is destroyed 48 hours after it could be made, in the bucket and on every edge', async () => {
  const {bucket, clock, one, other} = edges();
  await one.keep();
  await other.keep();
  const salt = one.of(midnight);
  clock.ms = midnight - hourMs + 2 * dayMs - 1;
  await one.keep();
  expect(one.of(midnight)).toEqual(salt);
  expect(bucket.entries.has('salt.2026-11-29')).toBe(true);
  clock.ms += 1;
  await one.keep();
  expect([...bucket.entries.keys()]).toEqual(['salt.2026-11-30', 'salt.2026-12-01']);
  await other.keep();
  for (const edge of [one, other]) expect(edge.of(midnight)).toBeUndefined();
  expect(JSON.stringify([...bucket.entries.values()])).not.toContain(salt!.toString('base64url'));
});

test('an edge that was away for days destroys what it left', async () => {
  const {bucket, clock, one, open} = edges();
  await one.keep();
  clock.ms += 9 * dayMs;
  const later = open();
  await later.keep();
  expect([...bucket.entries.keys()]).toEqual(['salt.2026-12-08']);
});

describe('without the bucket', () => {
  test('there is no salt, and never a made-up one', async () => {
    const {bucket, clock, one} = edges();
    bucket.isAway = true;
    await expect(one.keep()).rejects.toThrow(BucketFault);
    expect(one.of(clock.ms)).toBeUndefined();
    bucket.isAway = false;
    await one.keep();
    expect(one.of(clock.ms)).toHaveLength(32);
  });

  test('a known salt holds for its day, and is forgotten in time all the same', async () => {
    const {bucket, clock, one} = edges();
    await one.keep();
    bucket.isAway = true;
    clock.ms = midnight + dayMs - 1;
    await expect(one.keep()).rejects.toThrow(BucketFault);
    expect(one.of(clock.ms)).toHaveLength(32);
    clock.ms = midnight + 2 * dayMs;
    await expect(one.keep()).rejects.toThrow(BucketFault);
    expect(one.of(midnight)).toBeUndefined();
  });
});

test('a bucket that lost the record gets the known salt again; one that another edge made there holds', async () => {
  const {bucket, clock, one, open} = edges();
  await one.keep();
  const salt = one.of(clock.ms);
  bucket.entries.clear();
  await one.keep();
  expect(Buffer.from(bucket.entries.get('salt.2026-11-29')!.text, 'base64url')).toEqual(salt);
  bucket.entries.clear();
  const newcomer = open();
  await newcomer.keep();
  await one.keep();
  expect(one.of(clock.ms)).toEqual(newcomer.of(clock.ms));
  expect(one.of(clock.ms)).not.toEqual(salt);
});

test('an edge that is overtaken between its read and its write takes the salt of the other', async () => {
  const {bucket, clock, one, other} = edges();
  bucket.afterRead = async () => {
    bucket.afterRead = undefined;
    await other.keep();
  };
  await one.keep();
  expect(other.of(clock.ms)).toHaveLength(32);
  expect(one.of(clock.ms)).toEqual(other.of(clock.ms));
});

describe('a visitor id', () => {
  const salt = Buffer.alloc(32, 7);
  const traces = {receivedMs: midnight + hourMs, addressBlock: '192.0.2.7', userAgent: 'Browser 1'};
  const idOf = (more: Partial<typeof traces> = {}, key = 'k', by = salt): string =>
    visitorId(visitorOf(by, {...traces, ...more}), key);

  test('is v_ and 22 characters, the same all day on every edge', () => {
    expect(idOf()).toMatch(/^v_[\w-]{22}$/);
    expect(idOf({receivedMs: midnight + dayMs - 1})).toBe(idOf());
  });

  test.each<[string, string]>([
    ['day', idOf({receivedMs: midnight + dayMs})],
    ['address', idOf({addressBlock: '192.0.2.8'})],
    ['user agent', idOf({userAgent: 'Browser 2'})],
    ['key', idOf({}, 'another')],
    ['salt', idOf({}, 'k', Buffer.alloc(32, 8))],
    ['border between address and user agent', idOf({addressBlock: '192.0.2.7Brow', userAgent: 'ser 1'})],
  ])('is another one for another %s', (_, id) => {
    expect(id).not.toBe(idOf());
  });

  test('is one for an IPv6 /64', () => {
    const of = (address: string): string => idOf({addressBlock: blockOf(address)});
    expect(of('2001:db8:1:2:ffff::9')).toBe(of('2001:db8:1:2::1'));
    expect(of('2001:db8:1:3::1')).not.toBe(of('2001:db8:1:2::1'));
  });
});
