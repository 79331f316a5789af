// Finds the stalls of one user in a funnel: a step is reached, and the next one not in time.
//   SW1. An attempt begins with an event of the first step (the entry), and lasts for the conversion window, or without end if there is
//        none. Entries during an attempt begin no other one, so attempts of a user do not overlap.
//   SW2. Within an attempt each step takes the earliest event after the step before, as the funnel report does from that entry.
//   SW3. The deadline of a stall is the time of its step plus the time that the next step may take, inclusive. Later events undo no
//        stall.

export interface StallRules {
  /** Selector of each step, up to the one that is waited for; equal ones are of the same events. */
  readonly steps: readonly number[];
  /** Ms that the last of them may take after the one before. */
  readonly withinMs: number;
  /** Ms of an attempt, inclusive; infinite without a conversion window. */
  readonly windowMs: number;
}

/** Calls `each` with the entry and the time at which the last step but one was reached, for every stall of the events [start, end). */
export function walkStalls(
  {steps, withinMs, windowMs}: StallRules,
  times: Float64Array,
  isChosen: (place: number, selector: number) => boolean,
  start: number,
  end: number,
  each: (enteredMs: number, reachedMs: number) => void,
): void {
  let depth = 0;
  let [enteredMs, reachedMs] = [Number.NEGATIVE_INFINITY, 0];
  const endAttempt = (): void => {
    if (depth === steps.length - 1) each(enteredMs, reachedMs);
  };
  for (let place = start; place < end; place++) {
    const timeMs = times[place];
    if (depth === 0 || timeMs > enteredMs + windowMs) {
      if (!isChosen(place, steps[0])) continue;
      endAttempt();
      [depth, enteredMs, reachedMs] = [1, timeMs, timeMs]; // SW1
    } else if (depth < steps.length && isChosen(place, steps[depth])) {
      depth += 1;
      if (depth < steps.length) reachedMs = timeMs;
      else if (timeMs > reachedMs + withinMs) each(enteredMs, reachedMs); // SW3
    }
  }
  endAttempt();
}
