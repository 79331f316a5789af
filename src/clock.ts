// The only reader of clocks. Everything else is handed times, so that tests and replays decide what time it is.

/** Epoch ms. May jump (NTP, an operator): for showing and for log time, never for measuring. */
export const wallMs = (): number => Date.now();

/** Ms since an arbitrary moment; never goes back. For durations, deadlines and rates. */
export const monotonicMs = (): number => performance.now();
