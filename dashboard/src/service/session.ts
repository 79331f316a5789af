// Who is signed in, as the service says it.
import {computed, signal} from '@preact/signals';
import {type Answer, change, isSignedOut, read} from './client';

export type Role = 'reader' | 'analyst' | 'admin';

export interface Session {
  readonly role: Role;
  readonly name: string;
  /** Id of the access token; `admin` for the admin token and a sign-in link. */
  readonly by: string;
  readonly until: string;
  /** Everything between the browser and the service is encrypted, as far as the service can tell. */
  readonly is_secure: boolean;
}

/** Undefined until the service has said it, null when nobody is. */
export const session = signal<Session | null | undefined>(undefined);

const order: readonly Role[] = ['reader', 'analyst', 'admin'];
export const may = (role: Role): boolean => order.indexOf(session.value?.role ?? 'reader') >= order.indexOf(role);
export const isAdmin = computed(() => may('admin'));

export async function readSession(): Promise<void> {
  const answer = await read<Session | {readonly role: null}>('session');
  if (answer.kind === 'value' && answer.value.role === null) session.value = null;
  else take(answer as Answer<Session>);
}

export async function signIn(way: {code: string} | {token: string}): Promise<Answer<Session>> {
  const answer = await change<Session>('POST', 'session', way);
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

function take(answer: Answer<Session>): void {
  if (answer.kind === 'value') {
    session.value = answer.value;
    isSignedOut.value = false;
  } else if (answer.fault.code === 'not_signed_in') session.value = null;
}
