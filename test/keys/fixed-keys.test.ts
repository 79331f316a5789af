// What a start says of keys that its configuration fixes and that open nothing.
import {expect, test} from 'vitest';
import {FixedKeys} from '../../src/keys/fixed-keys.js';
import {recordOf} from '../../src/keys/key.js';
import {KeyRing} from '../../src/keys/key-ring.js';

const write = 'sk_write_fixed0000000001';
const secret = 'sk_live_fixed00000000001';
const revokedMs = Date.parse('2026-05-01T12:00:00Z');
const writeRecord = recordOf(write, 'write', 'key_w', 'bootstrap', 0);
const sentence =
  'BOOTSTRAP_WRITE_KEY is a key that was revoked at 2026-05-01T12:00:00.000Z: set a new key, or unset it';

function ringOf(...revoked: boolean[]): KeyRing {
  const ring = new KeyRing();
  ring.put({...writeRecord, revokedMs: revoked[0] ? revokedMs : null});
  ring.put(recordOf(secret, 'secret', 'key_s', 'bootstrap', 0));
  return ring;
}

test('one that was revoked before the start is a reason, with the cure and without the key', () => {
  const fixed = new FixedKeys(ringOf(true), {write, secret});
  expect([fixed.reasons(), fixed.warnings()]).toEqual([[sentence], []]);
});

test('one that is revoked afterwards is a warning', () => {
  const ring = ringOf(false);
  const fixed = new FixedKeys(ring, {write, secret});
  expect([fixed.reasons(), fixed.warnings()]).toEqual([[], []]);
  ring.put({...writeRecord, revokedMs});
  expect([fixed.reasons(), fixed.warnings()]).toEqual([[], [sentence]]);
});

test('keys that are not fixed are nobody’s concern', () => {
  const fixed = new FixedKeys(ringOf(true), {secret});
  expect([fixed.reasons(), fixed.warnings()]).toEqual([[], []]);
});
