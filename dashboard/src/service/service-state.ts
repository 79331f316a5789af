// How the service is, for the side of every page: asked every few seconds while the page is visible.

import {signal} from '@preact/signals';
import type {StateAnswer} from '../../../src/edge/dashboard/answers.js';
import {read} from './client';
import {session} from './session';

/** What the service said last; `unknown` while it does not answer. */
export type ServiceState = Omit<StateAnswer, 'status' | 'durability' | 'version'> &
  Partial<Pick<StateAnswer, 'durability' | 'version'>> & {readonly status: StateAnswer['status'] | 'unknown'};

const unknown: ServiceState = {status: 'unknown', reasons: [], warnings: [], notes: []};
const everyMs = 10_000;

export const serviceState = signal<ServiceState>(unknown);

export async function readServiceState(): Promise<void> {
  if (session.value == null) return;
  const answer = await read<StateAnswer>('state');
  if (answer.kind === 'value') serviceState.value = answer.value;
  else serviceState.value = {...serviceState.value, status: 'unknown', reasons: [answer.fault.message]};
}

setInterval(() => {
  if (document.visibilityState === 'visible') void readServiceState();
}, everyMs);
