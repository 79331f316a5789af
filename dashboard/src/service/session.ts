// The session, as the service describes it.

import {signal} from '@preact/signals';
import type {SessionAnswer} from '../../../src/edge/dashboard/answers/session.js';
import type {DashboardRole} from '../../../src/keys/dashboard-role.js';
import {setHomeZone} from '../address/zone';
import {type Answer, change, isSignedOut} from './client';

export type Role = DashboardRole;

/** Undefined before the service has answered; null while the browser is signed out. */
export const session = signal<SessionAnswer | null | undefined>(undefined);

const order: readonly Role[] = ['reader', 'analyst', 'admin'];
export const may = (role: Role): boolean => order.indexOf(session.value?.role ?? 'reader') >= order.indexOf(role);

export async function signIn(way: {code: string} | {token: string}): Promise<Answer<SessionAnswer>> {
  const answer = await change<SessionAnswer>('POST', 'session', way);
  if (answer.kind === 'value') take(answer);
  return answer;
}

export async function signOut(everywhere = false): Promise<Answer<unknown>> {
  const answer = await change('DELETE', everywhere ? 'sessions' : 'session');
  if (answer.kind === 'value') {
    session.value = null;
    isSignedOut.value = true;
  }
  return answer;
}

/** The browser has this session now; a refusal that says so ends it. */
export function take(answer: Answer<SessionAnswer>): void {
  if (answer.kind === 'value') {
    setHomeZone(answer.value.timezone);
    session.value = answer.value;
    isSignedOut.value = false;
  } else if (answer.fault.code === 'not_signed_in') session.value = null;
}
