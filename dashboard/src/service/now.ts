// The clock of the pages: every age that a page shows follows it.
import {signal} from '@preact/signals';

/** Epoch ms, once a second. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 1_000);
