// How the service is, for the side of every page: asked every few seconds while the page is visible.
import {signal} from '@preact/signals';
import {read} from './client';
import {session} from './session';

export interface ServiceState {
  readonly status: 'ready' | 'not_ready' | 'unknown';
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  readonly durability?: 'power-cut' | 'process-crash' | undefined;
  readonly version?: string | undefined;
}

const unknown: ServiceState = {status: 'unknown', reasons: [], warnings: [], notes: []};
const everyMs = 10_000;

export const serviceState = signal<ServiceState>(unknown);

export async function readServiceState(): Promise<void> {
  if (session.value == null) return;
  const answer = await read<ServiceState>('state');
  if (answer.kind === 'value') serviceState.value = answer.value;
  else serviceState.value = {...serviceState.value, status: 'unknown', reasons: [answer.fault.message]};
}

setInterval(() => {
  if (document.visibilityState === 'visible') void readServiceState();
}, everyMs);
