// The current day of a zone, with which relative ranges end there.
import {computed, type ReadonlySignal} from '@preact/signals';
import {dayOfMs} from '../address/range';
import {wallMs} from '../address/zone';
import {now} from '../service/now';
import {shared} from '../service/shared';

const days = new Map<string, ReadonlySignal<number>>();

/** Days since 1970-01-01. */
export function todayIn(zone: string): number {
  const known = days.get(zone) ?? computed(() => dayOfMs(wallMs(zone, shared.value?.atMs ?? now.value)));
  days.set(zone, known);
  return known.value;
}
