// The record of the dashboard's sign-in over a fake bucket that two edges share.
import {describe, expect, test} from 'vitest';
import {codeMsMax, SignInRecord, sessionMsMax} from '../../src/keys/sign-in-record.js';
import {MemoryBucket} from '../support/memory-bucket.js';

function edges() {
  const bucket = new MemoryBucket();
  const clock = {ms: 1_000_000};
  const open = () => new SignInRecord(bucket, () => clock.ms);
  return {bucket, clock, one: open(), other: open()};
}

test('edges that start together have one secret', async () => {
  const {one, other} = edges();
  await Promise.all([one.ensure(), other.ensure()]);
  expect(one.secret).toMatch(/^[0-9a-f]{64}$/);
  expect(other.secret).toBe(one.secret);
});

test('a code signs in once, on whichever edge, and only the first of two that try at once', async () => {
  const {one, other} = edges();
  await one.ensure();
  await other.ensure();
  const code = await one.createCode();
  const tries = await Promise.all([one.spendCode(code), other.spendCode(code), one.spendCode(code)]);
  expect(tries.filter(Boolean)).toHaveLength(1);
  expect(await other.spendCode(code)).toBe(false);
  expect(await other.spendCode('another')).toBe(false);
});

test('a code is over after its time, and leaves the record', async () => {
  const {bucket, clock, one} = edges();
  const code = await one.createCode();
  expect(bucket.entry.text).not.toContain(code);
  clock.ms += codeMsMax;
  expect(await one.spendCode(code)).toBe(false);
  await one.createCode();
  expect((JSON.parse(bucket.entry.text) as {codes: unknown[]}).codes).toHaveLength(1);
});

test('the record stays bounded, and the newest codes are good', async () => {
  const {bucket, one} = edges();
  const codes: string[] = [];
  for (let n = 0; n < 105; n++) codes.push(await one.createCode());
  expect((JSON.parse(bucket.entry.text) as {codes: unknown[]}).codes).toHaveLength(100);
  expect(await one.spendCode(codes[0])).toBe(false);
  expect(await one.spendCode(codes[104])).toBe(true);
});

test('the end of all sessions keeps the secret and the codes', async () => {
  const {bucket, clock, one, other} = edges();
  const code = await one.createCode();
  const {secret} = one;
  clock.ms += 5;
  await other.endSessions();
  const begunAt = (sinceMs: number) => ({by: 'admin', id: 'a', sinceMs});
  expect(one.hasEnded(begunAt(1_000_005))).toBe(false);
  one.take(bucket.entry); // As the watch tells it.
  expect(other.secret).toBe(secret);
  for (const edge of [one, other]) {
    expect([1_000_005, 1_000_006].map((sinceMs) => edge.hasEnded(begunAt(sinceMs)))).toEqual([true, false]);
  }
  expect(await other.spendCode(code)).toBe(true);
});

describe('a session that was ended', () => {
  const session = (by: string, id: string, sinceMs = 999_000) => ({by, id, sinceMs});

  test('is over on every edge, and no other one is', async () => {
    const {bucket, one, other} = edges();
    await one.ensure();
    other.take(bucket.entry);
    await one.endSession(session('key_1', 'a'));
    other.take(bucket.entry);
    for (const edge of [one, other]) {
      expect(
        [session('key_1', 'a'), session('key_1', 'b'), session('key_2', 'a')].map((of) => edge.hasEnded(of)),
      ).toEqual([...[true, false, false]]);
    }
  });

  test('is remembered while a cookie of it could be valid, and then leaves the record', async () => {
    const {bucket, clock, one} = edges();
    await one.ensure();
    await one.endSession(session('key_1', 'a'));
    clock.ms += sessionMsMax;
    await one.endSession(session('key_1', 'b'));
    expect(one.hasEnded(session('key_1', 'a'))).toBe(true);
    clock.ms += sessionMsMax;
    await one.endSession(session('key_1', 'c'));
    expect(endedOf(bucket)).toMatchObject([{id: 'b'}, {id: 'c'}]);
  });

  test('of a person who ends very many ends all that began before: none becomes valid again', async () => {
    const {bucket, clock, one} = edges();
    await one.ensure();
    await one.endSession(session('key_2', 'z'));
    for (let n = 0; n < 1_000; n++) {
      clock.ms += 1;
      await one.endSession(session('key_1', `s${n}`, clock.ms));
    }
    expect(endedOf(bucket).length).toBeLessThan(60);
    const ended = Array.from({length: 1_000}, (_, n) => one.hasEnded(session('key_1', `s${n}`, 1_000_001 + n)));
    expect(ended).toEqual(Array(1_000).fill(true));
    expect(one.hasEnded(session('key_1', 'new', clock.ms + 1))).toBe(false);
    expect(one.hasEnded(session('key_2', 'a'))).toBe(false);
    expect(one.hasEnded(session('key_2', 'z'))).toBe(true);
  });
});

const endedOf = (bucket: MemoryBucket): unknown[] => (JSON.parse(bucket.entry.text) as {ended: unknown[]}).ended;
