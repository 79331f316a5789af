// State of the service, for the side of every page. A visible page asks every few seconds, and at once when the stream ends, when
// another request gets no answer, and when it is looked at again: no page says "Ready" of a service that it knows to be silent.

import {effect, signal} from '@preact/signals';
import type {StateAnswer} from '../../../src/edge/dashboard/answers/state.js';
import {isSilent, read} from './client';
import {session} from './session';
import {streamState} from './stream';

/** The last answer; `unknown` while the service does not answer. */
type ServiceState = Omit<StateAnswer, 'status' | 'durability' | 'version'> &
  Partial<Pick<StateAnswer, 'durability' | 'version'>> & {readonly status: StateAnswer['status'] | 'unknown'};

const unknown: ServiceState = {status: 'unknown', reasons: [], warnings: [], notes: []};
const everyMs = 10_000;

export const serviceState = signal<ServiceState>(unknown);

export async function readServiceState(): Promise<void> {
  if (session.peek() == null) return;
  // A service that hangs is one that does not answer.
  const answer = await read<StateAnswer>('state', AbortSignal.timeout(everyMs));
  if (answer.kind === 'value') serviceState.value = answer.value;
  else serviceState.value = {...serviceState.value, status: 'unknown', reasons: [answer.fault.message]};
}

const look = (): void => {
  if (document.visibilityState === 'visible') void readServiceState();
};
setInterval(look, everyMs);
document.addEventListener('visibilitychange', look);
effect(() => {
  if (isSilent.value || streamState.value === 'lost') look();
});
