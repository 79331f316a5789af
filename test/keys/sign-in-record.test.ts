// The record of the dashboard's sign-in over a fake bucket that two edges share.
import {expect, test} from 'vitest';
import {codeMsMax, SignInRecord} from '../../src/keys/sign-in-record.js';
import type {BucketEntry} from '../../src/keys/store.js';

class Bucket {
  entry: BucketEntry | undefined;
  private revision = 0;

  async write(name: string, text: string, expected: number): Promise<number | undefined> {
    if ((this.entry?.revision ?? 0) !== expected) return undefined;
    this.revision += 1;
    this.entry = {name, text, revision: this.revision};
    return this.revision;
  }

  async read(): Promise<BucketEntry | undefined> {
    return this.entry;
  }
}

function edges() {
  const bucket = new Bucket();
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
  expect(bucket.entry!.text).not.toContain(code);
  clock.ms += codeMsMax;
  expect(await one.spendCode(code)).toBe(false);
  await one.createCode();
  expect((JSON.parse(bucket.entry!.text) as {codes: unknown[]}).codes).toHaveLength(1);
});

test('the record stays bounded, and the newest codes are good', async () => {
  const {bucket, one} = edges();
  const codes: string[] = [];
  for (let n = 0; n < 105; n++) codes.push(await one.createCode());
  expect((JSON.parse(bucket.entry!.text) as {codes: unknown[]}).codes).toHaveLength(100);
  expect(await one.spendCode(codes[0])).toBe(false);
  expect(await one.spendCode(codes[104])).toBe(true);
});

test('the end of all sessions keeps the secret and the codes', async () => {
  const {bucket, clock, one, other} = edges();
  const code = await one.createCode();
  const {secret} = one;
  clock.ms += 5;
  await other.endSessions();
  expect(one.notBeforeMs).toBe(0);
  one.take(bucket.entry!); // As the watch tells it.
  expect(one.notBeforeMs).toBe(1_000_005);
  expect(other.secret).toBe(secret);
  expect(other.notBeforeMs).toBe(1_000_005);
  expect(await other.spendCode(code)).toBe(true);
});
