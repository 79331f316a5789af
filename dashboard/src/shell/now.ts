// The one clock of the pages: everything that says how long ago something was follows it.
import {signal} from '@preact/signals';

/** Epoch ms, once a second. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 1_000);
