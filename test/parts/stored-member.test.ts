// Stored gzip members against zlib.
import {randomFillSync} from 'node:crypto';
import {gunzipSync, gzipSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {storedBlock, storedMember} from '../../src/parts/stored-member.js';

test.each([0, 1, 255, 2_048, 65_535])('%i bytes come back, here and out of any gzip', (length) => {
  const block = randomFillSync(new Uint8Array(length));
  const member = storedMember(block);
  expect(new Uint8Array(gunzipSync(member))).toEqual(block);
  // Within a larger part, as parts hold members.
  const part = new Uint8Array(member.length + 7);
  part.set(member, 3);
  expect(storedBlock(part.subarray(3, 3 + member.length))).toEqual(block);
});

test('what zlib compressed, or stored in its own way, is left to it', () => {
  for (const level of [0, 1, 9]) {
    const block = storedBlock(gzipSync('a block of bodies', {level}));
    expect(block === undefined || Buffer.from(block).toString() === 'a block of bodies').toBe(true);
  }
  expect(storedBlock(gzipSync('a block of bodies', {level: 1}))).toBeUndefined();
  expect(storedBlock(new Uint8Array(5))).toBeUndefined();
});

test('a member with any bit flipped, cut short or followed by more is not taken', () => {
  const member = storedMember(new TextEncoder().encode('a block of bodies'));
  for (let at = 0; at < member.length * 8; at++) {
    const damaged = member.slice();
    damaged[at >> 3]! ^= 1 << (at & 7);
    expect(storedBlock(damaged)).toBeUndefined();
  }
  expect(storedBlock(member.subarray(0, -1))).toBeUndefined();
  expect(storedBlock(new Uint8Array([...member, 0]))).toBeUndefined();
});
