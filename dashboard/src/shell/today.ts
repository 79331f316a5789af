// The UTC day that it is, which relative ranges end with. It changes at midnight and not every second.
import {computed} from '@preact/signals';
import {dayOfMs} from '../address/range';
import {now} from './now';

/** Days since 1970-01-01. */
export const today = computed(() => dayOfMs(now.value));
