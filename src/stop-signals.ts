// Signals by which somebody asks this process to stop.
//   SS1. Ctrl-C reaches npm and the process that it started, and npm sends it on: what comes within a second of the first
//        signal says the same once more.

import {monotonicMs} from './clock.js';

export type StopSignal = 'SIGTERM' | 'SIGINT';

const sameWishMs = 1_000;

/** `stop` is called once; `again` when somebody asks once more, later. SS1 */
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
