// Signals that ask this process to stop.
//   SS1. Ctrl-C reaches npm and the process that it started, and npm forwards it: signals within a second of the first one are
//        the same request.
//   SS2. SIGHUP says that the terminal is closed. It stops a process that has one. Node takes back that `nohup` ignores it, so a
//        process without a terminal ignores it itself.

import {isatty} from 'node:tty';
import {monotonicMs} from './clock.js';

export type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

const sameWishMs = 1_000;

/** `stop` is called once; `again` for a later request. SS1 */
export function onStopSignals(stop: (signal: StopSignal) => void, again: (signal: StopSignal) => void): void {
  let firstMs: number | undefined;
  const hear = (signal: StopSignal): void => {
    if (firstMs === undefined) {
      firstMs = monotonicMs();
      stop(signal);
    } else if (monotonicMs() - firstMs > sameWishMs) again(signal);
  };
  process.on('SIGTERM', hear);
  process.on('SIGINT', hear);
  process.on('SIGHUP', (signal) => {
    if ([0, 1, 2].some(isatty)) hear(signal as StopSignal); // SS2
  });
}
