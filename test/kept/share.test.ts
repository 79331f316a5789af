// The link of a token, by its hash and until its end.
import {expect, test} from 'vitest';
import type {KeptStore} from '../../src/kept/kept-store.js';
import {newShareToken, type Share, shareOf} from '../../src/kept/share.js';
import {hashKey} from '../../src/keys/key.js';

const nowMs = Date.parse('2026-11-28T12:00:00Z');

test('a link ends with its moment, and one without an end does not', () => {
  const [ending, lasting] = [newShareToken(), newShareToken()];
  const shares = [
    {hash: hashKey(ending), untilMs: nowMs},
    {hash: hashKey(lasting), untilMs: null},
  ] as readonly Partial<Share>[];
  const store = {definitions: () => ({list: () => shares})} as unknown as KeptStore;
  expect(ending).toMatch(/^[\w-]{32}$/);
  expect(shareOf(store, ending, nowMs - 1)).toBe(shares[0]);
  expect(shareOf(store, ending, nowMs)).toBeUndefined();
  expect(shareOf(store, lasting, nowMs)).toBe(shares[1]);
  for (const token of [newShareToken(), hashKey(ending), ending.slice(1), '']) {
    expect(shareOf(store, token, nowMs - 1)).toBeUndefined();
  }
});
