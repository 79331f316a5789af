// Signals that ask this process to stop.
//   SS1. Ctrl-C reaches npm and the process that it started, and npm forwards it: signals within a second of the first one are
//        the same request.

import {monotonicMs} from './clock.js';

export type StopSignal = 'SIGTERM' | 'SIGINT';

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
}
