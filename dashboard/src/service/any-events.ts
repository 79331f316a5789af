// Whether any event was ever sent: until then the first page shows how to send one.

import {signal} from '@preact/signals';
import type {LoadAnswer} from '../../../src/edge/dashboard/answers/load.js';
import {read} from './client';

/** Undefined while it is not known. */
export const hasEvents = signal<boolean | undefined>(undefined);

/** Looks at the number of users, which every role may read. */
export async function lookForEvents(): Promise<void> {
  const answer = await read<LoadAnswer>('load?minutes=1');
  if (answer.kind === 'fault') return;
  const users = answer.value.state.partitions.map((partition) => partition.users);
  if (users.some((count) => (count ?? 0) > 0)) hasEvents.value = true;
  else if (!users.includes(null)) hasEvents.value = false;
}
