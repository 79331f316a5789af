// How long a session lasts, on a clock driven by hand.
import {expect, test} from 'vitest';
import {Sessions} from '../../../src/edge/dashboard/session.js';
import type {Session} from '../../../src/keys/session.js';
import type {SignInRecord} from '../../../src/keys/sign-in-record.js';
import type {KeyStore} from '../../../src/keys/store.js';

const hour = 3_600_000;
const day = 24 * hour;
const clock = {ms: 1_000_000};
const ended = new Set<string>();
const signIn: Pick<SignInRecord, 'secret' | 'hasEnded'> = {secret: '00'.repeat(32), hasEnded: ({id}) => ended.has(id)};
const sessions = new Sessions({signIn} as KeyStore, 'an admin token', () => clock.ms);

function begin(): Session {
  return sessions.read(sessions.begin('admin')!)!;
}

/** The session of a browser that asks every hour, and how long it lasted. */
function lived(first: Session): number {
  const startMs = clock.ms;
  for (let session = first; ; clock.ms += hour) {
    const value = sessions.renewed(session);
    const now = value === undefined ? session : sessions.read(value);
    if (now === undefined || now.untilMs <= clock.ms) return clock.ms - startMs;
    expect([now.id, now.sinceMs]).toEqual([first.id, first.sinceMs]);
    session = now;
  }
}

test('a session lasts half a day, and 30 days however often it is renewed', () => {
  const session = begin();
  expect(session.untilMs - clock.ms).toBe(day / 2);
  expect(lived(session)).toBe(30 * day);
});

test('every cookie of a session that was ended is void, those of a renewal too', () => {
  const session = begin();
  clock.ms += 7 * hour;
  const renewed = sessions.renewed(session)!;
  expect(sessions.read(renewed)).toMatchObject({id: session.id});
  ended.add(session.id);
  expect(sessions.read(renewed)).toBeUndefined();
});
