// The current UTC day, with which relative ranges end. It changes at midnight, not every second.
import {computed} from '@preact/signals';
import {dayOfMs} from '../address/range';
import {now} from './now';

/** Days since 1970-01-01. */
export const today = computed(() => dayOfMs(now.value));
