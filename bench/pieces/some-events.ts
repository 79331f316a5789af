// Columns of the canonical workload, for pieces that need no more of it.

import {canonical, eventMix, workloadEvents} from '../workload/events.js';

/** In the order in which they come. */
export interface SomeEvents {
  readonly count: number;
  /** Epoch ms. */
  readonly times: Float64Array;
  readonly users: Uint32Array;
  /** Places in the mix of events. */
  readonly names: Uint32Array;
}

export function someEvents(count: number): SomeEvents {
  const [times, users, names] = [new Float64Array(count), new Uint32Array(count), new Uint32Array(count)];
  const places = new Map(eventMix.map(([name], place) => [name, place]));
  let row = 0;
  for (const {name, user, timeMs} of workloadEvents({...canonical, eventCount: count})) {
    times[row] = timeMs;
    users[row] = user;
    names[row++] = places.get(name)!;
  }
  return {count, times, users, names};
}
